"""Messages are dropped in compiled code: all but those that may count, and a sample."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(120)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Action  # noqa: E402
import rclpy  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402

from gdl_env.ros.transport.fast_take import CANDIDATE, NOTHING, SAMPLE, FastTake  # noqa: E402
from gdl_env.ros.transport.qos import action_qos  # noqa: E402

WANTED = 7


@pytest.fixture
def ends(own_domain: int) -> Iterator[tuple[Any, FastTake]]:
    """Return who publishes, and what drains it."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=own_domain)
    node = rclpy.create_node('drained', context=context)
    profile = action_qos()
    profile.depth = 100
    inlet = node.create_subscription(Action, 'drained', lambda _: None, profile, raw=True)
    publisher = node.create_publisher(Action, 'drained', profile)
    deadline = monotonic() + 20
    while not publisher.get_subscription_count() and monotonic() < deadline:
        sleep(0.01)
    drain = FastTake([inlet])
    drain.wanted[0] = WANTED
    yield publisher, drain
    drain.close()
    node.destroy_node()
    context.try_shutdown()


def empty(drain: FastTake, expected: int) -> list[tuple[int, bytes]]:
    """Drain until so many messages were seen; return what was handed out."""
    found = []
    deadline = monotonic() + 20
    while monotonic() < deadline:
        kind, _, data = drain.run()
        if kind != NOTHING:
            found.append((kind, data))
        if drain.dropped.sum() + sum(kind == CANDIDATE for kind, _ in found) >= expected:
            break
    return found


def test_the_first_answer_of_the_tick_is_handed_out(ends: tuple[Any, FastTake]) -> None:
    publisher, drain = ends
    ticks = (WANTED - 1, WANTED + 1, WANTED, WANTED, WANTED - 2)
    answers = [serialize_message(Action(tick=tick, role='x', agent='a')) for tick in ticks]
    for answer in answers:
        publisher.publish(answer)
    found = empty(drain, len(answers))
    # Of what is dropped the first is a sample.
    assert found == [(SAMPLE, answers[0]), (CANDIDATE, answers[2])]
    # Late, and the rest: too early, or again.
    assert drain.dropped.tolist() == [[2, 2]]


def test_what_is_too_short_is_a_sample_too(ends: tuple[Any, FastTake]) -> None:
    publisher, drain = ends
    for _ in range(3):
        publisher.publish(bytes([0, 1, 0, 0, 7]))
    ((kind, data),) = empty(drain, 3)
    assert kind == SAMPLE and len(data) < 12
    assert drain.dropped.tolist() == [[0, 3]]
