"""One beat for all pages of matches: each is brought up to date when there is news for it.

A timer of its own for each page, sixty times a second, would keep a server busy that shows the
same quiet match to many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from nicegui import Client, background_tasks, ui

# Between two looks at what is new, and between two refreshes of a page without news [s].
_PERIOD = 1 / 125
_IDLE_PERIOD = 0.1
# A page that fails all the time is not to fill the log [s].
_FAILURE = 5.0


@dataclass
class _Page:
    client: Client
    # Where elements that it makes belong.
    place: ui.element
    refresh: Callable[[], None]
    read_news: Callable[[], Any]
    seen: Any = None
    due: float = 0.0


class PageBeat:
    """Calls pages as long as they are open."""

    def __init__(self, log: Callable[[str], object]) -> None:
        """Report failures of pages by `log`."""
        self._log = log
        self._pages: list[_Page] = []
        self._is_running = False

    def add(
        self, place: ui.element, refresh: Callable[[], None], read_news: Callable[[], Any]
    ) -> None:
        """Refresh a page whenever `read_news` returns something else, and some times a second."""
        page = _Page(place.client, place, refresh, read_news)
        self._pages.append(page)
        place.client.on_delete(lambda: self._pages.remove(page))
        if not self._is_running:
            self._is_running = True
            background_tasks.create(self._run(), name='beat of pages')

    async def _run(self) -> None:
        try:
            while self._pages:
                now = monotonic()
                for page in list(self._pages):
                    self._look(page, now)
                await asyncio.sleep(max(0.001, _PERIOD - (monotonic() - now)))
        finally:
            self._is_running = False

    def _look(self, page: _Page, now: float) -> None:
        if not page.client.has_socket_connection or page.place.is_deleted:
            return
        news = page.read_news()
        if news == page.seen and now < page.due:
            return
        page.seen, page.due = news, now + _IDLE_PERIOD
        try:
            with page.place:
                page.refresh()
        # What one page fails at must not stop all others.
        except Exception as error:
            page.due = now + _FAILURE
            self._log(f'a page: {type(error).__name__}: {error}')
