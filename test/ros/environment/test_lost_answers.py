"""Answers may be lost, and agents be away: a match without a clock waits, and asks again."""

from __future__ import annotations

import time

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Action, State, Status  # noqa: E402
from graph import Graph, read_all, role_of  # noqa: E402

from gdl_env.ros.transport.qos import action_qos, state_qos  # noqa: E402


def test_question_is_repeated_until_it_is_answered(graph: Graph) -> None:
    graph.environment(play_clock=0.0)
    # An agent that is there, and whose answers do not arrive.
    questions = {role: graph.collect(State, f'{role}/state', state_qos()) for role in 'xo'}
    answers = {role: graph.publisher(Action, f'{role}/action', action_qos()) for role in 'xo'}
    goal = graph.ask(1)
    # The first, one because the agent may have come too late, and those that follow.
    graph.wait(lambda: len(questions['x']) >= 4)
    asked = read_all(questions['x'], State)
    assert len({question.tick for question in asked}) == 1 and not questions['o']
    first = asked[0]
    answers['x'].publish(
        Action(tick=first.tick, role='x', agent='/x', move=[first.legal_moves[0]])
    )
    graph.wait(lambda: questions['o'])
    for answer in answers.values():
        graph.do(lambda answer=answer: graph.node.destroy_publisher(answer))
    # All others are answered by an agent, which takes over.
    graph.start('random_agent', roles=['x', 'o'])
    result = graph.result(goal)
    assert result.success
    assert all(role.strikes == role.foreign_answers == 0 for role in result.roles)


def test_nobody_plays_for_an_agent_that_is_away(graph: Graph) -> None:
    """Without a play clock, the clock for missing agents does not run either."""
    graph.environment(play_clock=0.0, missing_clock=0.2)
    graph.start('random_agent', node='x_agent', role='x')
    away = graph.start('random_agent', node='o_agent', role='o', delay_ms=300)
    goal = graph.ask(8)
    graph.status(lambda s: s.phase == Status.PHASE_PLAYING and s.steps > 2)
    away.kill()
    graph.status(lambda s: s.message == 'no agent plays o')
    time.sleep(1.0)
    graph.start('random_agent', node='o_again', role='o')
    result = graph.result(goal)
    assert result.success and role_of(result, 'o').strikes == 0
