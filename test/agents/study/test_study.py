"""Positions are rated, with their best moves; what is proven is said to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gdl_agents.errors import AgentError
from gdl_agents.study.position_study import PositionStudy
from gdl_env.language.load import open_game
from gdl_env.language.reader import read_term

# x to move wins at (1, 3); so would o.
BOARD = ['xxb', 'oob', 'bbb']
FACTS = [
    f'(cell {row} {column} {mark})'
    for row, line in enumerate(BOARD, start=1)
    for column, mark in enumerate(line, start=1)
]


@pytest.mark.parametrize('agent', ['mcts', 'alphabeta'])
@pytest.mark.parametrize(('role', 'best'), [('x', '(mark 1 3)'), ('o', '(mark 2 3)')])
def test_a_win_is_found_and_proven(role: str, best: str, agent: str) -> None:
    study = PositionStudy(open_game('tictactoe'), agent)
    state = frozenset(map(read_term, [*FACTS, f'(control {role})']))
    tree = study.open(state)
    assert tree is not None
    assert not tree.grow(5.0)
    rating = tree.rate()
    assert (rating.role, rating.value, rating.is_proven) == (role, 1.0, True)
    assert rating.moves[0].move == best


def test_what_is_over_or_hidden_is_not_rated() -> None:
    study = PositionStudy(open_game('tictactoe'))
    won = [fact.replace('(cell 1 3 b)', '(cell 1 3 x)') for fact in FACTS]
    assert study.open(frozenset(map(read_term, [*won, '(control o)']))) is None
    with pytest.raises(AgentError, match='hides facts'):
        PositionStudy(open_game('krieg_tictactoe'))


def test_an_agent_that_rates_no_moves_says_so() -> None:
    study = PositionStudy(open_game('tictactoe'), 'random')
    position = study.open(frozenset(map(read_term, [*FACTS, '(control x)'])))
    assert position is not None
    assert not position.grow(1.0)
    with pytest.raises(AgentError, match='choose mcts, alphabeta or a trained run'):
        position.rate()


# Prefers the last of its moves, on a scale from -1 to 1.
LEARNED = """
import numpy as np
from gdl_agents.agent import Agent
from gdl_env.environment.protocol import Answer


class Learned(Agent):
    name = 'learned'

    def choose(self, question):
        legal = question.legal.unpack()
        values = np.linspace(-1, 1, legal.shape[1], dtype=np.float32)
        preference = np.where(legal, values, -np.inf).astype(np.float32)
        action = preference.argmax(axis=1).astype(np.int32)
        return Answer(question.tick, question.role, self.name, action, preference=preference)

    def preference_range(self, role):
        return -1.0, 1.0
"""


def test_what_was_learned_rates_by_its_preferences(tmp_path: Path) -> None:
    path = tmp_path / 'learned.py'
    path.write_text(LEARNED)
    study = PositionStudy(open_game('tictactoe'), f'{path}:Learned')
    position = study.open(frozenset(map(read_term, [*FACTS, '(control x)'])))
    assert position is not None
    rating = position.rate()
    assert (rating.role, rating.is_proven) == ('x', False)
    assert [move.move for move in rating.moves[:2]] == ['(mark 3 3)', '(mark 3 2)']
    values = [move.value for move in rating.moves]
    assert len(values) == 5
    assert values == sorted(values, reverse=True)
    assert 0.0 <= values[-1] < values[0] <= 1.0


def test_the_pipe_answers_each_position(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from io import StringIO

    from gdl_env.cli.main import main

    asked = {'id': 7, 'facts': [*FACTS, '(control x)']}
    monkeypatch.setattr('sys.stdin', StringIO(json.dumps(asked) + '\n'))
    assert main(['study', 'tictactoe', '--pipe', '--seconds', '1']) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (told['id'], told['moves'][0]['move']) == (7, '(mark 1 3)')
