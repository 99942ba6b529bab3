"""The gallery as data for browsers: made once, kept by them as long as it stays the same."""

from __future__ import annotations

from dataclasses import replace
import hashlib
import json
import threading

from fastapi import Response
from nicegui import app, run

from gdl_env.gui.gallery.game_cards import GameCard, list_cards
from gdl_env.gui.web.styles import FOR_EVER

PATH = '/gdl/gallery.json'


class GalleryData:
    """The cards of all games, and the text that is sent. May be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made_of: list[GameCard] = []
        self.cards: dict[str, GameCard] = {}
        self.text = b''
        # Of the text; '': it was not made yet.
        self.digest = ''

    def refresh(self) -> None:
        """Look for games that are new or have changed; the first time, all are drawn."""
        with self._lock:
            cards = list_cards()
            if cards == self._made_of and self.digest:
                return
            self._made_of = cards
            self.cards = {card.name: card for card in cards}
            plain = [_strip(card.to_json()) for card in cards]
            self.text = json.dumps(plain, separators=(',', ':')).encode()
            self.digest = hashlib.sha256(self.text).hexdigest()[:16]

    def add_length(self, name: str, moves: float) -> None:
        """Keep how many moves a game has; the text follows with the next refresh."""
        if name in self.cards:
            self.cards[name] = replace(self.cards[name], moves=moves)

    @property
    def uncounted(self) -> list[str]:
        """Return the games whose moves were not counted yet."""
        return [card.name for card in self.cards.values() if card.players and not card.moves]


def gallery_path(gallery: GalleryData) -> str:
    """Return the address of the newest cards that are ready; of those to come if none are."""
    if gallery.digest:
        gallery.refresh()
    return f'{PATH}?of={gallery.digest}'


def serve_gallery(gallery: GalleryData) -> None:
    """Serve the cards; browsers keep them for as long as pages name the same digest."""

    @app.get(PATH)
    async def cards(of: str = '') -> Response:
        if of != gallery.digest or not of:
            await run.io_bound(gallery.refresh)
        headers = FOR_EVER if of == gallery.digest else {'Cache-Control': 'no-store'}
        return Response(gallery.text, media_type='application/json', headers=headers)


def _strip(card: dict[str, object]) -> dict[str, object]:
    """Leave out what is empty: scripts read it as such."""
    return {name: value for name, value in card.items() if value or name in _NEEDED}


_NEEDED = {'kinds', 'cards', 'dice', 'said', 'players', 'summary'}
