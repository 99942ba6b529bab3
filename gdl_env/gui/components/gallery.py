"""The gallery of games, drawn by the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from gdl_env.gui.gallery.game_lengths import LENGTHS
from gdl_env.gui.texts import section, text

# Kinds of games, and the keys of their names.
KINDS = {
    '1 player': 'kinds.one_player',
    '2 players': 'kinds.two_players',
    '3 or more': 'kinds.more_players',
    'board': 'kinds.board',
    'cards': 'kinds.cards',
    'chance': 'kinds.chance',
    'hidden': 'kinds.hidden',
    'perfect information': 'kinds.open',
    'puzzle': 'kinds.puzzle',
    'simultaneous': 'kinds.simultaneous',
    'own': 'kinds.own',
}


class GameGallery(ui.element, component='gallery.js', esm={'gdl-board': 'board'}):
    """Shows games to choose from; `on_choice` is called with the name of one."""

    def __init__(self, source: str, on_choice: Callable[[str], Any]) -> None:
        """Make it; the browser gets the cards from the address `source`."""
        super().__init__()
        self._props['words'] = section('gallery')
        self._props['names'] = {kind: text(key) for kind, key in KINDS.items()}
        self._props['lengths'] = [(most, text(key)) for most, key in LENGTHS]
        self._props['source'] = source
        self.on('chosen', lambda event: on_choice(str(event.args)))

    def show_length(self, name: str, moves: float) -> None:
        """Say how long a game is."""
        self.run_method('showLength', name, moves)

    def highlight(self, name: str) -> None:
        """Show which game is chosen."""
        if self._props.get('chosen') != name:
            self._props['chosen'] = name
            self.update()
