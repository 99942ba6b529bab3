"""The move that changes nothing.

In a game where one role moves at a time (serial turns), a step in which every move is `noop`
leaves the state as it is: the rules are not asked. Where all roles move together, `noop` is a
move like any other, and the rules say what follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdl_env.language.game import Game, Turns
from gdl_env.language.keywords import NOOP
from gdl_env.language.terms import Symbol, Term

NOOP_MOVE = Symbol(NOOP)


def is_noop(move: Term) -> bool:
    """Tell whether a move is `noop`."""
    return move == NOOP_MOVE


def is_pass(game: Game, moves: Iterable[Term]) -> bool:
    """Tell whether a step of these moves leaves the state as it is, without asking the rules."""
    return game.turns is Turns.SERIAL and all(is_noop(move) for move in moves)
