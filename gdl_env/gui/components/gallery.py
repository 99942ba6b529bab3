"""The gallery of games, drawn by the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from gdl_env.gui.gallery.game_cards import GameCard


class GameGallery(ui.element, component='gallery.js', esm={'gdl-board': 'board'}):
    """Shows games to choose from; `on_choice` is called with the name of one."""

    def __init__(self, on_choice: Callable[[str], Any]) -> None:
        super().__init__()
        self.on('chosen', lambda event: on_choice(str(event.args)))

    def show(self, cards: list[GameCard]) -> None:
        """Send the games."""
        self.run_method('show', [card.to_json() for card in cards])

    def highlight(self, name: str) -> None:
        """Show which game is chosen."""
        self.run_method('highlight', name)
