"""What can be wrong with real boards and arms."""

from __future__ import annotations

from gdl_env.errors import GdlError


class SetupError(GdlError):
    """The file of a set-up cannot be read, or says what is not understood."""


class BoardError(GdlError):
    """A game has no board that a robot could play on."""


class TrayError(GdlError):
    """A piece is needed that no tray holds, or there is no room for one."""
