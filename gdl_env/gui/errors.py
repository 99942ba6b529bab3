"""Errors that pages show to people."""

from __future__ import annotations

from gdl_env.errors import GdlError


class GuiError(GdlError):
    """Something that was asked for on a page cannot be done; the text says why."""
