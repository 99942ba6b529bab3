"""A person's answer arrives, though the environment was away when it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

from gdl_msgs.msg import Action, State
from graph import SECONDS
from rclpy.serialization import deserialize_message

from gdl_env.gui.errors import GuiError
from gdl_env.gui.seats.seat import Seat
from gdl_env.ros.transport.qos import action_qos, state_qos

if TYPE_CHECKING:
    from graph import Graph

pytestmark = pytest.mark.ros


def test_a_question_that_is_asked_again_is_answered_again(graph: Graph) -> None:
    asking = graph.publisher(State, 'x/state', state_qos())
    seat = graph.do(lambda: Seat(graph.node, graph.namespace, 'x'))
    heard = graph.collect(Action, 'x/action', action_qos())
    graph.wait(asking.get_subscription_count)

    def ask(tick: int) -> None:
        count = seat.frames.version
        asking.publish(State(tick=tick, role='x', lanes=1, episode=[1], to_move=[1]))
        graph.wait(lambda: seat.frames.version > count)

    ask(3)
    graph.do(lambda: seat.play(3, 'a')).result(SECONDS)
    graph.wait(lambda: len(heard) == 1)
    # It may not have been heard, whoever is asking now.
    ask(3)
    graph.wait(lambda: len(heard) == 2)
    # The next question is another one.
    ask(4)
    ask(4)
    graph.do(lambda: seat.play(4, 'b'))
    graph.wait(lambda: len(heard) == 3)
    actions = [deserialize_message(data, Action) for data in heard]
    assert [(action.tick, *action.move) for action in actions] == [(3, 'a'), (3, 'a'), (4, 'b')]
    graph.do(seat.close)


def test_an_answer_waits_for_who_listens(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    seat = graph.do(lambda: Seat(graph.node, graph.namespace, 'x'))
    sent = graph.do(lambda: seat.play(3, 'a'))
    # Who asks may be found sooner than who listens.
    assert not sent.done() and seat.answered == 3
    heard = graph.collect(Action, 'x/action', action_qos())
    sent.result(SECONDS)
    graph.wait(lambda: len(heard) == 1)
    graph.do(seat.close)
    # If nobody ever does, the question is open again.
    monkeypatch.setattr('gdl_env.gui.seats.seat._MOST_POLLS', 2)
    other = graph.do(lambda: Seat(graph.node, graph.namespace, 'o'))
    with pytest.raises(GuiError, match='cannot be reached'):
        graph.do(lambda: other.play(3, 'a')).result(SECONDS)
    assert other.answered == 0
    graph.do(other.close)
