"""What chance made of the moves of a match, found from the rules: which number was rolled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from gdl_env.engine.explanation.drawn_moves import find_drawn_steps
from gdl_env.errors import GdlError
from gdl_env.gui.frames import Frame
from gdl_env.language.game import Game
from gdl_env.language.reader import read_role, read_term

# Positions of which it is kept.
_KEPT = 2000

Steps = tuple[dict[str, str], ...]


class DrawnMoves:
    """Finds and keeps the outcomes; pages of the same match share them."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, int, frozenset[str]], Steps] = OrderedDict()

    def clear(self) -> None:
        """Forget what is of another match."""
        self._known.clear()

    def find(self, game: Game | None, before: Iterable[str], after: Frame) -> Steps:
        """Return the steps that led to a position, with what chance made of their moves.

        It is one step with the moves as they were chosen where the outcome cannot be told.
        """
        if game is None or not game.experiments or not after.moves:
            return (after.moves,)
        # What was taken back may have had another outcome.
        key = after.episode, after.tick, frozenset(after.facts)
        if key not in self._known:
            self._known[key] = _find(game, before, after)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[key]


def _find(game: Game, before: Iterable[str], after: Frame) -> Steps:
    try:
        moves = {read_role(role): read_term(move) for role, move in after.moves.items()}
        steps = find_drawn_steps(game, map(read_term, before), moves, map(read_term, after.facts))
    except (GdlError, ValueError):
        return (after.moves,)
    return tuple({str(role): str(move) for role, move in step.items()} for step in steps)
