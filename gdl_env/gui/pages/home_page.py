"""The first page: the matches there are, and a table for a new one."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from gdl_env.errors import GdlError
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.match_page import match_url
from gdl_env.gui.pages.shell import complain, guarded, mark, shell
from gdl_env.gui.runs import list_runs
from gdl_env.gui.tables import ME, playable_agents, roles_of
from gdl_env.language.library import list_games


class HomePage:
    """One open page."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        # By match, and whether it can be ended here. A row stays as long as it is the same: a
        # click on one that was redrawn meanwhile would be lost.
        self._rows: dict[tuple[str, bool], ui.row] = {}
        self._players: dict[str, ui.select] = {}
        self._is_starting = False

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-stretch gap-3'):
            with ui.card().classes('w-full md:w-[28rem]'):
                ui.label('New table').classes('text-lg font-semibold')
                games = [path.stem for path in list_games()]
                start = 'tictactoe' if 'tictactoe' in games else (games or [''])[0]
                self.game = ui.select(
                    games, value=start, label='Game', with_input=True, on_change=self._choose
                ).classes('w-full')
                self.roles = ui.column().classes('w-full gap-1')
                with ui.row().classes('w-full items-center gap-4'):
                    self.clock = ui.number(
                        'Seconds for a move (0: no limit)', value=0, min=0, max=86_400, precision=0
                    ).classes('w-56')
                    ui.button('Start', icon='play_arrow', on_click=guarded(self._start)).props(
                        'no-caps'
                    ).props('data-mark=start')
                self._choose()
            with ui.card().classes('flex-grow min-w-[18rem]'):
                ui.label('Matches on the graph').classes('text-lg font-semibold')
                self.none = ui.label('none yet: start one here, or with gdl launch')
                self.none.classes('opacity-70')
                self.found = ui.column().classes('w-full gap-1')
        self._refresh()
        ui.timer(1.0, self._refresh)

    def _choose(self) -> None:
        """Offer players for every role of the game."""
        game = self.game.value
        self.roles.clear()
        self._players.clear()
        try:
            roles = roles_of(game) if game else []
        except GdlError as error:
            complain(str(error))
            return
        runs = {run.player: f'{run.name} (trained)' for run in list_runs(self.hub.folder, game)}
        agents = playable_agents(allows_programs=self.hub.tables.allows_programs)
        known = {ME: 'me, on this page', **{name: name for name in agents}, **runs}
        with self.roles:
            for number, role in enumerate(roles):
                self._players[role] = ui.select(
                    known,
                    value='random' if number else ME,
                    label=role,
                    with_input=True,
                    new_value_mode='add-unique',
                ).classes('w-full')
                mark(self._players[role], f'player-{role}')

    async def _start(self) -> None:
        # A second click is not another table.
        if self._is_starting:
            return
        self._is_starting = True
        try:
            await self._open_table()
        finally:
            self._is_starting = False

    async def _open_table(self) -> None:
        players = {role: str(select.value) for role, select in self._players.items()}
        table = self.hub.tables.open(self.game.value, players, float(self.clock.value or 0))
        own = [role for role, player in players.items() if player == ME]
        await self.hub.begin_when_ready(table.namespace, own)
        ui.navigate.to(match_url(table.namespace, own[0] if own else ''))

    def _refresh(self) -> None:
        matches = self.hub.watch.matches
        wanted = [(name, name in self.hub.tables.tables) for name in matches]
        for key in [key for key in self._rows if key not in wanted]:
            self._rows.pop(key).delete()
        for place, key in enumerate(wanted):
            if key not in self._rows:
                with self.found:
                    self._rows[key] = self._row(*key)
                self._rows[key].move(target_index=place)
        if self.none.visible == bool(matches):
            self.none.set_visibility(not matches)

    def _row(self, namespace: str, is_own: bool) -> ui.row:
        with ui.row().classes('w-full items-center gap-2') as row:
            ui.link(namespace or '/', match_url(namespace)).classes('text-base')
            ui.space()
            if is_own:

                async def close(_: Any) -> None:
                    self.hub.tables.close(namespace)
                    self._refresh()

                ui.button('End', icon='close', on_click=guarded(close)).props('flat dense no-caps')
        return row


def open_home(hub: Hub) -> None:
    """Draw the page."""
    with shell('Matches'):
        HomePage(hub).build()
