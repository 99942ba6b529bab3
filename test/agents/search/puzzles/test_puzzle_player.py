"""mcts plays puzzles by whole lines, and finds another one where it was made to leave one."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from small_puzzles import PUZZLES, best_goal, game_of

from gdl_agents.registry import open_agent
from gdl_agents.search.players.mcts import MctsAgent
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options


def play(name: str, agent: MctsAgent, lanes: int = 1, disturb: float = 0.0, seed: int = 1) -> int:
    """Play a game in every lane, and return the mean goal; some answers are replaced."""
    chance = Random(seed)
    match = Environment.open(game_of(name), Options(lanes, seed, lanes, max_steps=60))
    agent.begin(match.info(), match.roles, seed)
    goals = []
    while not match.is_finished:
        answers = {}
        for question in match.questions(with_text=lanes == 1):
            answer = agent.choose(question)
            if chance.random() < disturb and answer.action is not None:
                legal = question.legal.unpack()
                drawn = [chance.choice(np.flatnonzero(row).tolist()) for row in legal]
                answer = replace(answer, action=np.array(drawn, np.int32))
            answers[question.role] = answer
        feedback = match.step(answers).feedback[match.roles[0]]
        goals += feedback.goal[feedback.is_over].tolist()
    agent.end()
    match.close()
    return sum(goals) / len(goals)


@pytest.mark.parametrize('name', PUZZLES)
@pytest.mark.parametrize('lanes', [1, 3])
def test_reaches_the_best_goal(name: str, lanes: int) -> None:
    assert play(name, MctsAgent('time=0.5'), lanes) == best_goal(name)


def test_a_number_of_games_is_enough() -> None:
    assert play('prizes', MctsAgent('playouts=3000')) == best_goal('prizes')


def test_who_is_disturbed_finds_another_line() -> None:
    # Any room leads out, however often the wrong door was taken.
    for seed in range(5):
        assert play('loops', MctsAgent('time=0.2'), disturb=0.3, seed=seed) == 100


def test_thinking_ahead_is_of_use() -> None:
    match = Environment.open(game_of('prizes'), Options(1, 1, 1))
    agent = MctsAgent('time=0.001')
    agent.begin(match.info(), match.roles, 1)
    (question,) = match.questions()
    start = agent.table.rules.initial[0]
    agent.ponder(question, lambda: agent.puzzle.find_plan(start) is None)
    plan = agent.puzzle.find_plan(start)
    assert (plan.goal, plan.is_best) == (best_goal('prizes'), True)
    match.close()


def test_without_lines_it_searches_as_in_other_games() -> None:
    agent = MctsAgent('playouts=50,puzzles=false')
    assert play('loops', agent) in (0, 100, 255)
    assert open_agent('mcts:puzzles=true').options['puzzles'] is True
