"""A recorder that stood still for longer than its lease: is the environment heard again?"""

from __future__ import annotations

import pytest

from gdl_env.ros.recording.link_watch import LinkWatch

PERIOD = 0.2


def run(watch: LinkWatch, first: float, last: float, *, is_heard: bool) -> bool:
    """Look at the clock for a while; tell whether the environment was missed at its end."""
    is_cut_off = False
    for place in range(round((last - first) / PERIOD) + 1):
        now = first + PERIOD * place
        if is_heard:
            watch.hear(now)
        is_cut_off = watch.is_cut_off(now)
    return is_cut_off


@pytest.mark.parametrize(
    ('gap', 'is_heard', 'is_missed'),
    [(8, False, True), (8, True, False), (1, False, False)],
)
def test_only_silence_after_a_standstill_counts(
    gap: float, is_heard: bool, is_missed: bool
) -> None:
    watch = LinkWatch()
    assert not run(watch, 100, 105, is_heard=True)
    assert not run(watch, 105 + gap, 108 + gap, is_heard=is_heard)
    assert run(watch, 108 + gap, 120 + gap, is_heard=is_heard) == is_missed


def test_what_waited_during_the_standstill_is_no_news() -> None:
    watch = LinkWatch()
    run(watch, 0, 5, is_heard=True)
    watch.hear(13)
    assert run(watch, 13, 25, is_heard=False)


def test_an_environment_that_was_never_there_is_not_missed() -> None:
    watch = LinkWatch()
    run(watch, 0, 5, is_heard=False)
    assert not run(watch, 13, 30, is_heard=False)
