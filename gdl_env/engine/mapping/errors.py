"""Why facts or moves cannot be mapped."""

from __future__ import annotations

from gdl_env.errors import GdlError


class EncodingError(GdlError):
    """A game has no mapping of this kind, or a fact or move lies outside of it."""
