"""What making and reading data sets raises."""

from __future__ import annotations

from gdl_env.errors import GdlError


class DataError(GdlError):
    """A data set cannot be made this way, or cannot be read."""
