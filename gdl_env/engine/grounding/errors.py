"""Why a game cannot be grounded."""

from __future__ import annotations

from gdl_env.errors import EngineUnavailableError


class GroundingError(EngineUnavailableError):
    """The rules cannot be ground."""


class LargeNumberError(GroundingError):
    """A number is too large to be computed with here."""


class LimitError(GroundingError):
    """The ground program is larger than the limits allow."""


class TimeLimitError(LimitError):
    """There was not enough time. Another machine, or a less busy one, may manage: never cached."""
