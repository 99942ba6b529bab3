"""The matches that run, with names that people understand."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.shell import guarded, heading
from gdl_env.gui.player_names import describe_players
from gdl_env.gui.texts import text
from gdl_env.gui.views import title_of


def name_match(hub: Hub, namespace: str) -> str:
    """Return what people call a match: its game and players, where they are known."""
    table = hub.tables.tables.get(namespace)
    if table is not None:
        return f'{title_of(table.game)}: {describe_players(table.players)}'
    game = hub.watch.games.get(namespace, '')
    place = namespace.strip('/')
    return ' · '.join(filter(None, [title_of(game), place])) or text('home.unnamed')


class MatchList:
    """A part of a page."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        # By match, its name, and whether it can be ended here. A row stays as long as it is the
        # same: a click on one that was redrawn meanwhile would be lost.
        self._rows: dict[tuple[str, str, bool], ui.row] = {}

    def build(self) -> None:
        """Make the elements."""
        heading(text('home.running'))
        self.none = ui.label(text('home.none')).classes('opacity-80 text-sm')
        self.found = ui.column().classes('w-full gap-1')
        self._refresh()
        ui.timer(1.0, self._refresh)

    def _refresh(self) -> None:
        own = self.hub.tables.tables
        matches = self.hub.watch.matches
        wanted = [(name, name_match(self.hub, name), name in own) for name in matches]
        for key in [key for key in self._rows if key not in wanted]:
            self._rows.pop(key).delete()
        for place, key in enumerate(wanted):
            if key not in self._rows:
                with self.found:
                    self._rows[key] = self._row(*key)
                self._rows[key].move(target_index=place)
        if self.none.visible == bool(matches):
            self.none.set_visibility(not matches)

    def _row(self, namespace: str, name: str, is_own: bool) -> ui.row:
        with ui.row().classes('w-full items-center gap-2 no-wrap') as row:
            link = ui.link(name, match_path(namespace)).classes('text-base')
            link.tooltip(namespace or '/')
            ui.space()
            if is_own:

                async def close(_: Any) -> None:
                    self.hub.tables.close(namespace)
                    self._refresh()

                ui.button(text('home.end'), icon='close', on_click=guarded(close)).props(
                    'flat dense no-caps'
                )
        return row
