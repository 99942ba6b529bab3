"""Roles whose names are numbers, as rules over a range give them, on every engine."""

from __future__ import annotations

import pytest

from gdl_env.engine.registry import engine_names, open_engine
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Number

pytestmark = pytest.mark.prolog

# Players take one or two matches in turn; whoever takes the last one wins.
GAME = """
(option players 2 [2,6])
(<= (role ?player) (type [1,players] ?player))
(<= (follows ?player ?next)
    (role ?player) (option players ?n) (mod ?player ?n ?before) (add ?before 1 ?next))
(init (heap [0,5]:5))
(init (control [1,players]:1))
(<= (legal ?player (take [1,2]:?n))
    (true (control ?player)) (true (heap ?m)) (type [1,2] ?n) (not (less ?m ?n)))
(<= (next (heap [0,5]:?left))
    (true (heap ?matches)) (does ?player (take ?taken)) (sub ?matches ?taken ?left))
(<= (next (control [1,players]:?other)) (true (control ?player)) (follows ?player ?other))
(<= terminal (true (heap 0)))
(<= (goal ?player 100) (true (control ?next)) (follows ?player ?next))
(<= (goal ?player 0) (true (control ?next)) (role ?player) (not (follows ?player ?next)))
"""


@pytest.mark.parametrize('engine_name', [name for name in engine_names() if name != 'auto'])
def test_a_match_of_five(engine_name: str) -> None:
    game = game_from_text(GAME, options={'players': '5'})
    five = tuple(map(Number, range(1, 6)))
    assert game.roles == five
    with open_engine(game, engine_name) as engine:
        assert engine.roles == five
        state = engine.initial_state
        assert [len(engine.legal_moves(state)[role]) for role in five] == [2, 0, 0, 0, 0]
        for role in five:
            assert not engine.is_terminal(state)
            state = engine.next_state(state, {role: read_term('(take 1)')})
        assert engine.is_terminal(state)
        assert list(engine.goals(state).values()) == [0, 0, 0, 0, 100]
        playouts = list(engine.playouts(20, 1, 100))
        assert all(sum(filter(None, playout.goals.values())) == 100 for playout in playouts)
