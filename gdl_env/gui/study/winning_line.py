"""The squares that decided a game: those of the facts from which the winner's goal follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gdl_env.engine.explanation.explain import supporting_facts
from gdl_env.errors import GdlError
from gdl_env.gui.drawing.painter import Painter
from gdl_env.language.game import Game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Compound, Number

# Fewer squares are no line; more are the whole board.
_FEWEST = 3
_MOST = 30


def find_winning_line(
    game: Game, painter: Painter, facts: Iterable[str], goals: Mapping[str, int]
) -> list[str]:
    """Return the squares of a line, a chain or the like as 'board:row,column'; none if unclear.

    Only for games without hidden facts: it tells what is on the board.
    """
    if not goals or len(goals) < 2 or min(goals.values()) == max(goals.values()):
        return []
    winner = max(goals, key=lambda role: goals[role])
    try:
        question = Compound('goal', (read_term(winner), Number(goals[winner])))
        found = supporting_facts(game, map(read_term, facts), question)
        scene = painter.paint([str(fact) for fact in found])
    except (GdlError, ValueError):
        return []
    squares = {
        f'{number}:{place}': tuple(piece.label for piece in pieces)
        for number, board in enumerate(scene.boards)
        for place, pieces in board.pieces.items()
    }
    is_line = _FEWEST <= len(squares) <= _MOST and len(set(squares.values())) == 1
    return list(squares) if is_line else []
