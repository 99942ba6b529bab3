"""The table a game is played on, drawn by the browser from a scene."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import monotonic, time
from typing import Any

from nicegui import ui

from gdl_env.gui.texts import section

# A browser that did not say that it has drawn for this long is sent the newest all the same [s].
_PATIENCE = 2.0


class GameTable(ui.element, component='table.js', esm={'gdl-board': 'board'}):
    """Shows the newest state of a match: a new one is only sent when the last one is drawn.

    So a slow browser misses some, and never falls behind.
    """

    def __init__(self, on_move: Callable[[int, str], Awaitable[None]]) -> None:
        super().__init__()
        self._props['words'] = section('table')
        self._on_move = on_move
        self._sent = 0
        self._drawn = 0
        # Moves that were chosen here and dealt with.
        self._heard = 0
        self._sent_at = 0.0
        self._entries: list[dict[str, Any]] = []
        self._current: int | None = None
        self.on('played', self._handle_played)
        self.on('drawn', self._handle_drawn)

    @property
    def is_ready(self) -> bool:
        """Tell whether the browser has drawn what it was sent last."""
        return self._drawn >= self._sent or monotonic() - self._sent_at > _PATIENCE

    def show(self, state: dict[str, Any]) -> None:
        """Send what is to be drawn."""
        self._sent += 1
        self._sent_at = monotonic()
        # When, so that the lag can be seen in the browser, too [ms].
        sent = round(time() * 1000)
        news = {'number': self._sent, 'sent': sent, 'heard': self._heard}
        self.run_method('show', {**state, **news})

    def show_history(self, entries: list[dict[str, Any]], current: int | None) -> None:
        """Send the list of moves: what is new in it, and which position is shown."""
        keep = 0
        for old, new in zip(self._entries, entries, strict=False):
            if old != new:
                break
            keep += 1
        news = {'keep': keep, 'add': entries[keep:], 'current': current}
        if keep < len(self._entries) or entries[keep:] or current != self._current:
            self._entries, self._current = list(entries), current
            self.run_method('showHistory', news)

    def _handle_drawn(self, event: Any) -> None:
        self._drawn = max(self._drawn, int(event.args))

    async def _handle_played(self, event: Any) -> None:
        try:
            await self._on_move(int(event.args['tick']), str(event.args['move']))
        finally:
            self._heard += 1
