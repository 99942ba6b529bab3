"""The one tree of errors that this package raises.

Library code raises these with the data a reader needs; the command line and the nodes turn
them into text at one place.
"""

from __future__ import annotations

from collections.abc import Iterable


class GdlError(Exception):
    """Is the root of every error that gdl_env raises on purpose."""


class GameNotFoundError(GdlError):
    """No game of this name or path exists."""

    def __init__(self, name: str, known: Iterable[str] = (), similar: Iterable[str] = ()) -> None:
        self.name = name
        self.known = tuple(known)
        self.similar = tuple(similar)
        text = f'no game named {name!r} and no such file'
        if self.similar:
            text += f'; did you mean {" or ".join(self.similar)}?'
        elif self.known:
            text += f'; known games: {", ".join(self.known)}'
        super().__init__(text)


class SourceError(GdlError):
    """A rule file cannot be read."""


class OptionError(GdlError):
    """An option of a game is unknown, or has a value that is not allowed."""


class EngineError(GdlError):
    """An engine cannot answer."""


class EngineUnavailableError(EngineError):
    """An engine cannot run on this machine, for example because a program is missing."""


class EngineLimitError(EngineError):
    """A rule set ran past its time, stack or table limit."""


class NumberRangeError(EngineLimitError):
    """A number is too large for an engine; another one may have it."""


class RuleError(EngineError):
    """A rule was evaluated in a way that has no defined answer, such as an unbound `less`."""


class DeadEndError(GdlError):
    """A state in which no role has a move, although the game is not over."""


class ExhaustedError(RuleError):
    """A move draws from an experiment none of whose events can happen."""

    def __init__(self, experiment: str) -> None:
        self.experiment = experiment
        super().__init__(f'no event of the experiment {experiment} has a weight above 0')


class RangeError(RuleError):
    """A fact or move has a value outside the range that its rule declares."""

    def __init__(self, what: str, bounds: str, place: str, rule: int) -> None:
        self.what = what
        self.bounds = bounds
        self.place = place
        # The number of the rule in its game.
        self.rule = rule
        super().__init__(
            f'{place}: {what} is outside the range {bounds} of its rule; a range must hold every'
            ' value that the game reaches'
        )


class IllegalMoveError(GdlError):
    """A role tried a move it does not have."""

    def __init__(self, role: object, move: object, legal: Iterable[object]) -> None:
        self.role = role
        self.move = move
        self.legal = tuple(legal)
        shown = ', '.join(str(m) for m in self.legal[:12])
        if len(self.legal) > 12:
            shown += f', … ({len(self.legal)} in all)'
        super().__init__(
            f'{move} is not a legal move of {role}; legal: {shown or "none, it is not its turn"}'
        )


class RecordingError(GdlError):
    """A recording cannot be read or does not fit its game."""
