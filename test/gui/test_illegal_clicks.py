"""What a click that plays nothing is taken to have meant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.study.illegal_moves import IllegalMoves
from gdl_env.gui.views import find_view
from gdl_env.language.load import open_game

MOVES = ['(move a 1 a 1)', '(move a 1 a 3)', '(move a 1 a 2)']
# A rook behind its pawn.
FACTS = ['(cell a 1 white rook)', '(cell a 2 white pawn)', '(control white)']


def test_nobody_means_to_leave_a_piece_where_it_is() -> None:
    game = open_game('chess')
    view, _ = find_view('chess')
    painter = Painter('chess', ('white', 'black'), game, FACTS, MOVES, view)
    rook = next(place for place in painter.paint(FACTS).boards[0].pieces if place.endswith(',0'))
    link: Any = SimpleNamespace(
        painter=painter, game=game, is_open=True, info=SimpleNamespace(moves=MOVES)
    )
    told = IllegalMoves(link).explain_click('white', FACTS, 0, rook, '')
    assert told['title'].startswith('a1 → a2: (move a 1 a 2) is not legal')
