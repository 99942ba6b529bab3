"""What solving raises."""

from __future__ import annotations

from gdl_env.errors import GdlError


class SolvingError(GdlError):
    """A game cannot be solved this way, or a solution cannot be read."""


class TooLargeError(SolvingError):
    """A game is larger than the budget of nodes or seconds allows."""


class NoValuesError(SolvingError):
    """The states of a game have no values of their own: it is no open game of turns."""
