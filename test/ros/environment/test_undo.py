"""Moves are taken back by a service of each role."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytestmark = pytest.mark.ros


def test_a_role_takes_back_its_move_and_is_asked_again(graph: Graph) -> None:
    from gdl_msgs.msg import Action, State
    from gdl_msgs.srv import CurrentState
    from graph import read_all
    from std_srvs.srv import Trigger

    from gdl_env.ros.transport.qos import action_qos, state_qos

    graph.environment('tictactoe', episodes=1, play_clock=0.0, start_clock=0.0, undo=10)
    asked = graph.collect(State, 'x/state', state_qos())
    answers = graph.publisher(Action, 'x/action', action_qos())
    graph.start('legal_agent', role='o')

    def question(after: int) -> State:
        def find() -> State | None:
            found = [s for s in read_all(asked, State) if s.tick > after and s.to_move[0]]
            return found[-1] if found else None

        state: State = graph.wait(find)
        return state

    first = question(0)
    refused = graph.call(Trigger, 'x/undo')
    assert not refused.success and 'x has decided nothing' in refused.message
    graph.wait(answers.get_subscription_count)
    answers.publish(Action(tick=first.tick, role='x', agent='me', move=['(mark 2 2)']))
    second = question(first.tick)
    assert '(cell 2 2 x)' in second.facts
    assert graph.call(Trigger, 'x/undo').success
    again = question(second.tick)
    assert again.facts == first.facts and list(again.legal) == list(first.legal)
    assert '(cell 2 2 b)' in graph.call(CurrentState, 'current_state').facts


def test_what_is_written_down_is_not_taken_back(graph: Graph, tmp_path: Path) -> None:
    from std_srvs.srv import Trigger

    graph.environment('tictactoe', undo=10, journal=str(tmp_path / 'journal'))
    answer = graph.call(Trigger, 'x/undo')
    assert not answer.success and 'written down' in answer.message
