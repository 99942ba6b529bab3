"""Waits until pictures agree on what a person has moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdl_env.engine.contract import State
from gdl_env.robot.perception import BoardVerdict, Recogniser, Recognition, SeenSquares

# After so many pictures in a row without a single square, something stays in the way.
_BLIND = 25


class MoveWatch:
    """Follows the pictures of one turn: a hand may be in any of them, so one alone means little.

    `legal` restricts the moves of some roles; so many `pictures` in a row have to mean the same.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        state: State,
        legal: Mapping[str, Sequence[str]] | None = None,
        pictures: int = 2,
    ) -> None:
        self._recogniser = recogniser
        self._state = state
        self._legal = legal
        self._pictures = pictures
        self._last = Recognition(BoardVerdict.WAITING)
        self._count = self._blind = 0

    def take(self, seen: SeenSquares) -> Recognition | None:
        """Return what the newest pictures mean; None while they do not agree. Raises GdlError."""
        if not seen:
            # Something moves, or is in the way, for a moment or for good.
            self._blind, self._count = self._blind + 1, 0
            if self._blind < _BLIND:
                return None
            advice = self._recogniser.describe_hidden({}, None).advice
            return Recognition(BoardVerdict.WAITING, advice=advice)
        self._blind = 0
        found = self._recogniser.recognise(self._state, seen, self._legal)
        self._count = self._count + 1 if found == self._last else 1
        self._last = found
        return found if self._count >= self._pictures else None
