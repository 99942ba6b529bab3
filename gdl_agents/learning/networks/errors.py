"""What goes wrong with networks."""

from __future__ import annotations

from gdl_env.errors import GdlError


class NetworkError(GdlError):
    """A network is described wrongly, or does not fit its game."""
