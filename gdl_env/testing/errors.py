"""What a conformance check raises."""

from __future__ import annotations

from gdl_env.errors import GdlError


class ConformanceError(GdlError):
    """A game, an agent or an engine breaks its contract; the text says how and where."""
