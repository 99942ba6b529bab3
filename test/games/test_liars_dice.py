"""Liar's dice is the game that open_spiel has: the same histories, knowledge and results."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from twin_tree import TwinTree

from gdl_env.engine.contract import Engine, Move
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog


@pytest.mark.parametrize('sides', [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_same_tree_as_open_spiel(open_game: Callable[[str], Engine], sides: int) -> None:
    pyspiel = pytest.importorskip('pyspiel', reason='pip install open_spiel')

    def action_of(move: Move) -> int:
        if name_of(move) == 'roll':
            return int(str(args_of(move)[1])) - 1
        if name_of(move) == 'bid':
            quantity, face = (int(str(arg)) for arg in args_of(move))
            return sides * (quantity - 1) + face - 1
        return 2 * sides

    game = pyspiel.load_game(f'liars_dice(numdice=1,dice_sides={sides})')
    engine = open_game(f'liars_dice(sides={sides})')
    tree = TwinTree(engine, game.new_initial_state(), action_of, lambda value: 50 + 50 * value)
    tree.walk()
    assert tree.has_same_information_sets()
    assert tree.ends == sides**2 * (2 ** (2 * sides) - 1)
