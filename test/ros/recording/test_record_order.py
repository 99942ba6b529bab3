"""The order of messages on `record`: what is next, known, or lost."""

from __future__ import annotations

import pytest

from gdl_env.environment.trace import KEPT, Backlog, TracedLine
from gdl_env.ros.recording.record_order import MessagePlace, RecordOrder
from gdl_env.ros.recording.repeats import LaneRepeats

NEXT, OLD, AHEAD = MessagePlace.NEXT, MessagePlace.OLD, MessagePlace.AHEAD


@pytest.mark.parametrize(
    ('messages', 'places', 'last', 'missing'),
    [
        ([(1, 1, 1), (1, 2, 1)], [NEXT, NEXT], 2, 0),
        # One is late: it is asked for, with all that follow it.
        ([(1, 1, 1), (1, 3, 1), (1, 2, 1), (1, 3, 1)], [NEXT, AHEAD, NEXT, NEXT], 3, 0),
        ([(1, 1, 1), (1, 1, 1)], [NEXT, OLD], 1, 0),
        # Those before the oldest are lost for good.
        ([(1, 1, 1), (1, 9, 5), (1, 5, 5)], [NEXT, AHEAD, NEXT], 5, 3),
        ([(1, 4, 4)], [NEXT], 4, 3),
        # A new run begins again, and nothing of the old one counts any more.
        ([(1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 1)], [NEXT, NEXT, OLD, NEXT], 2, 0),
    ],
)
def test_order(
    messages: list[tuple[int, int, int]], places: list[MessagePlace], last: int, missing: int
) -> None:
    order = RecordOrder()
    assert [order.place(*message) for message in messages] == places
    assert (order.last, order.missing) == (last, missing)


def test_only_a_new_run_repeats() -> None:
    repeats: LaneRepeats[str] = LaneRepeats()
    assert repeats.add(0, 1, ['a'], 'first') == ['first']
    # Another match of the same run that happens to begin alike.
    assert repeats.add(0, 1, ['a'], 'second') == ['second']
    repeats.begin_run()
    assert repeats.add(0, 1, ['a'], 'third') == []
    assert repeats.add(0, 2, ['b'], 'fourth') == ['fourth']


class Ticks:
    """An environment, as far as a backlog looks at it: one line a lane and tick."""

    def __init__(self, lanes: int) -> None:
        self.tick = 1
        self._lanes = lanes
        self.game = self
        self.trace = self

    def take(self) -> list[TracedLine]:
        return [TracedLine(lane, f'{lane} {self.tick}') for lane in range(self._lanes)]


@pytest.mark.parametrize('lanes', [1, 16, 1000])
def test_restarted_recorder_knows_all_that_can_be_repeated(lanes: int) -> None:
    environment = Ticks(lanes)
    backlog = Backlog(environment)  # type: ignore[arg-type]
    before: LaneRepeats[str] = LaneRepeats()
    for _ in range(3 * KEPT // lanes):
        for line in environment.take():
            before.add(line.lane, environment.tick, [line.text], 'written')
        environment.tick += 1
        backlog.follow('tick')
    # Its ticks are those before the one to come.
    environment.tick -= 1
    again: LaneRepeats[str] = LaneRepeats(before.memory)
    again.begin_run()
    repeated = [(tick, line) for tick, lines in backlog.take() for line in lines]
    assert len(repeated) >= KEPT
    for tick, line in repeated:
        lines = [f'{line.lane} {tick}']
        assert again.add(line.lane, tick, lines, 'repeated') == []


def test_restarted_recorder_knows_what_is_repeated() -> None:
    before: LaneRepeats[str] = LaneRepeats()
    for tick in range(1, 4):
        for lane in range(2):
            before.add(lane, tick, [f'{lane} {tick}'], 'written')
    again: LaneRepeats[str] = LaneRepeats(before.memory)
    again.begin_run()
    for tick in (2, 3):
        for lane in range(2):
            assert again.add(lane, tick, [f'{lane} {tick}'], 'repeated') == []
    assert again.add(1, 4, ['1 4'], 'new') == ['new']
    # This lane is of a match that began again.
    assert again.add(0, 1, ['other'], 'new') == ['repeated', 'repeated', 'new']
