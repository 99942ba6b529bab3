"""What can be wrong with a view file."""

from __future__ import annotations

from gdl_env.errors import GdlError


class ViewError(GdlError):
    """A view file cannot be read, or says what is not understood."""
