"""Agents with an arm, and people with a hand: what they answer, and when they do not."""

from __future__ import annotations

from typing import Any

from agent_questions import FACTS, MOVES, ask_one, make_info
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')
pytestmark = pytest.mark.ros

from gdl_msgs.action import PlayMove, WaitForMove  # noqa: E402

from gdl_agents.errors import AgentError, StoppedError  # noqa: E402
from gdl_agents.registry import open_agent  # noqa: E402
from gdl_agents.ros.graph_agent import GraphAgent  # noqa: E402
from gdl_env.environment.protocol import Question  # noqa: E402


def ask_table(*actions: int, **changes: Any) -> Question:
    """Ask with the texts that people and arms need."""
    moves = tuple(MOVES[action] for action in actions)
    return ask_one(*actions, facts=FACTS, legal_moves=moves, **changes)


def open_ready(name: str, monkeypatch: pytest.MonkeyPatch, *results: Any) -> tuple[Any, list[Any]]:
    """Return an agent whose actions have these results, and the goals that it sends."""
    agent = open_agent(name)
    assert isinstance(agent, GraphAgent)
    agent.begin(make_info(), ('x',), 1)
    goals: list[Any] = []
    left = list(results)

    def carry_out(action: Any, topic: str, goal: Any, on_feedback: Any, seconds: float) -> Any:
        goals.append(goal)
        return left.pop(0)

    monkeypatch.setattr(agent, 'carry_out', carry_out)
    return agent, goals


def test_a_robot_answers_once_its_move_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    done = PlayMove.Result(success=True)
    agent, goals = open_ready('robot:legal', monkeypatch, done)
    answer = agent.choose(ask_table(4, 7))
    assert answer.action.tolist() == [4]
    (goal,) = goals
    assert (goal.role, goal.move, tuple(goal.facts)) == ('x', MOVES[4], FACTS)


def test_a_robot_tries_three_times_and_says_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = PlayMove.Result(success=False, message='Put the x on row 2, column 2.')
    done = PlayMove.Result(success=True)
    agent, goals = open_ready('robot:random', monkeypatch, *[failed] * 3, failed, done)
    question = ask_table(*range(9))
    with pytest.raises(StoppedError, match='is not on the board: Put the x on row 2, column 2'):
        agent.choose(question)
    # Asked again, it plays the same move.
    agent.choose(question)
    assert len(goals) == 5
    assert len({goal.move for goal in goals}) == 1


def test_a_hand_answers_what_was_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = WaitForMove.Result(success=True, move=MOVES[7])
    failed = WaitForMove.Result(success=False, message='cancelled')
    agent, goals = open_ready('hand', monkeypatch, seen, failed)
    assert agent.choose(ask_table(4, 7)).moves == (MOVES[7],)
    assert list(goals[0].legal_moves) == [MOVES[4], MOVES[7]]
    with pytest.raises(AgentError, match='cancelled'):
        agent.choose(ask_table(4, 7))


@pytest.mark.parametrize('name', ['robot:legal', 'hand'])
def test_they_need_one_board_and_a_graph(name: str) -> None:
    agent = open_agent(name)
    with pytest.raises(AgentError, match='one board, but this match has 2 lanes'):
        agent.warm_up(make_info(2), ('x',))
        agent.begin(make_info(2), ('x',), 1)
    agent.begin(make_info(), ('x',), 1)
    with pytest.raises(AgentError, match='needs the graph: use gdl launch robot'):
        agent.choose(ask_table(4))


def test_a_robot_needs_an_agent_that_decides() -> None:
    with pytest.raises(AgentError, match='as in robot:mcts'):
        open_agent('robot')
    with pytest.raises(AgentError, match='did you mean legal'):
        open_agent('robot:legl')
