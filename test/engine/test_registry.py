"""Which engine a game gets, and what happens where one cannot go on."""

from __future__ import annotations

import pytest

from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import engine_names, open_engine
from gdl_env.errors import EngineUnavailableError
from gdl_env.language.library import find_game
from gdl_env.language.load import game_from_text, load_game

pytestmark = pytest.mark.prolog

SQUARES = """
(role p) (init (s 2)) (legal p go)
(<= (next (s ?n)) (true (s ?m)) (mult ?m ?m ?n))
(<= terminal (true (s 0))) (goal p 0)
"""


def test_auto_takes_the_fastest_that_can() -> None:
    with open_engine(load_game(find_game('tictactoe'))) as engine:
        assert (engine.name, engine.passed_over) == ('circuit', ())
    with open_engine(load_game(find_game('pig'))) as engine:
        assert engine.name == 'firstorder'
        ((name, why),) = engine.passed_over
        assert name == 'circuit' and 'values keep growing' in why


def test_large_numbers_are_handed_over_to_prolog() -> None:
    with open_engine(game_from_text(SQUARES)) as engine:
        match = Interpreter(engine)
        (role,) = match.roles
        for _ in range(10):
            match.step({role: match.legal_moves(role)[0]})
        (fact,) = match.state
        assert str(fact) == f'(s {2**2**10})'
        assert engine.name == 'prolog'
        assert [name for name, _ in engine.passed_over] == ['circuit', 'firstorder']


def test_engines_by_name() -> None:
    game = load_game(find_game('tictactoe'))
    for name in engine_names():
        with open_engine(game, name) as engine:
            assert len(engine.initial_state) == 10
    with pytest.raises(EngineUnavailableError, match="no engine named 'fast'; engines: auto, "):
        open_engine(game, 'fast')
