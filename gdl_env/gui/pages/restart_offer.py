"""An environment that has ended: a page says so, and offers to start the table again."""

from __future__ import annotations

from nicegui import ui

from gdl_env.gui.hub import Hub
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.shell import guarded, mark
from gdl_env.gui.texts import text

_PERIOD = 1.0


class RestartOffer:
    """A part of the page of a match; it is seen only where it is needed."""

    def __init__(self, hub: Hub, link: MatchLink) -> None:
        self.hub = hub
        self.link = link
        self._is_starting = False

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-center gap-3') as self.row:
            self.words = ui.label().classes('gt-warning').props('role=alert')
            button = ui.button(
                text('restart.again'), icon='restart_alt', on_click=guarded(self._start)
            )
            mark(button.props('no-caps'), 'restart')
        self.row.set_visibility(False)
        ui.timer(_PERIOD, self._look)

    def _look(self) -> None:
        said = self._find_end()
        if bool(said) != self.row.visible:
            self.words.set_text(text('restart.ended', reason=said))
            self.row.set_visibility(bool(said))

    def _find_end(self) -> str:
        """Return why the environment of a table of this server has ended; '' if it has not."""
        if self.link.namespace not in self.hub.tables.tables or self.link.is_alive:
            return ''
        for child in self.hub.processes.failed(self.link.namespace):
            if child.label == 'env_node':
                last = [line for line in child.lines if line.strip()][-1:]
                return last[0] if last else text('restart.code', code=child.exit_code)
        return ''

    async def _start(self) -> None:
        # A second click is not another table.
        if self._is_starting:
            return
        self._is_starting = True
        try:
            table = self.hub.tables.open_again(self.link.namespace)
            await self.hub.begin_when_ready(table.namespace, table.own_roles)
            own = next(iter(table.own_roles), '')
            ui.navigate.to(match_path(table.namespace, own))
        finally:
            self._is_starting = False
