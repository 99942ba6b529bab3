"""Check an agent: it plays all roles of a game, and every answer is looked at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gdl_agents.agent import Agent
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import NO_ACTION, Answer, Question
from gdl_env.language.game import Game
from gdl_env.language.load import open_game
from gdl_env.testing.errors import ConformanceError


def check_agent(
    make: Callable[[], Agent],
    game: Game | str = 'tictactoe',
    *,
    lanes: int = 4,
    episodes: int = 8,
    seed: int = 1,
    is_deterministic: bool = True,
) -> None:
    """Let an agent play all roles of a game, and check every answer.

    Answers echo tick and role, decide in the lanes that ask and in no other, and are legal. Unless
    `is_deterministic` is False (for agents that search for a given time), a second one from `make`
    must answer alike: the same seed and questions give the same answers.
    Agents that want text play one lane. Raises ConformanceError, and what the agent raises.
    """
    game = open_game(game) if isinstance(game, str) else game
    agents = [make() for _ in range(2 if is_deterministic else 1)]
    options = Options(1 if agents[0].wants_text else lanes, seed=seed, episodes=episodes)
    environment = Environment.open(game, options)
    try:
        for agent in agents:
            agent.begin(environment.info(), environment.roles, seed)
        while not environment.is_finished:
            _play_tick(environment, agents)
    finally:
        for agent in agents:
            agent.end()
        environment.close()


def _play_tick(environment: Environment, agents: list[Agent]) -> None:
    answers = {}
    for question in environment.questions(with_text=environment.options.lanes == 1):
        if not question.is_decision:
            for agent in agents:
                agent.notice(question)
            continue
        given = [agent.choose(question) for agent in agents]
        for answer in given:
            check_answer(question, answer)
        if not all(_is_same(given[0], other) for other in given[1:]):
            raise ConformanceError(
                f'{_place(question)}: two agents with the same seed and questions differ: '
                f'{_decisions(given[0])} and {_decisions(given[1])}'
            )
        answers[question.role] = given[0]
    step = environment.step(answers)
    for agent in agents:
        for role in step.concerned if agent.wants_feedback else ():
            agent.learn(step.feedback[role])


def check_answer(question: Question, answer: Answer) -> None:
    """Check one answer to one question. Raises ConformanceError."""
    where = _place(question)
    for name in ('tick', 'role'):
        expected, got = getattr(question, name), getattr(answer, name)
        if expected != got:
            raise ConformanceError(f'{where}: {name} of the answer is {got!r}')
    if answer.action is None:
        _check_moves(question, answer.moves, where)
    else:
        _check_actions(question, np.asarray(answer.action), where)
    preference = answer.preference
    if preference is not None and question.legal is not None:
        expected = question.legal.unpack().shape
        if preference.shape != expected:
            raise ConformanceError(f'{where}: preference is {preference.shape}, not {expected}')


def _check_actions(question: Question, action: NDArray[np.int32], where: str) -> None:
    if question.legal is None:
        raise ConformanceError(f'{where}: an index, but this game has no table of actions')
    if action.shape != (question.lanes,) or action.dtype != np.int32:
        raise ConformanceError(
            f'{where}: action has shape {action.shape} and type {action.dtype}, '
            f'not ({question.lanes},) and int32'
        )
    legal = question.legal.unpack()
    for lane, (value, asked) in enumerate(zip(action, question.to_move, strict=True)):
        if not asked and value != NO_ACTION:
            raise ConformanceError(f'{where}: decides in lane {lane}, which asks nothing')
        if asked and not (0 <= value < legal.shape[1] and legal[lane, value]):
            raise ConformanceError(f'{where}: action {value} is illegal in lane {lane}')


def _check_moves(question: Question, moves: tuple[str, ...], where: str) -> None:
    if len(moves) != question.lanes:
        raise ConformanceError(f'{where}: {len(moves)} moves for {question.lanes} lanes')
    # The text of legal moves is known of the first lane only.
    if question.to_move[0] and question.legal_moves and moves[0] not in question.legal_moves:
        raise ConformanceError(f'{where}: move {moves[0]!r} is illegal')


def _is_same(first: Answer, second: Answer) -> bool:
    return _decisions(first) == _decisions(second)


def _decisions(answer: Answer) -> list[int] | list[str]:
    return list(answer.moves) if answer.action is None else [int(each) for each in answer.action]


def _place(question: Question) -> str:
    return f'tick {question.tick}, role {question.role}'
