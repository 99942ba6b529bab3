"""The first page: the matches there are, and a table for a new one."""

from __future__ import annotations

from nicegui import ui

from gdl_env.ros.gui.hub import Hub
from gdl_env.ros.gui.pages.match_page import match_url
from gdl_env.ros.gui.pages.shell import shell


def open_home(hub: Hub) -> None:
    """Draw the page."""
    with shell('Matches'):
        with ui.card().classes('w-full'):
            ui.label('Matches on the graph').classes('text-lg font-semibold')
            found = ui.column().classes('gap-1')
        shown: list[tuple[str, ...] | None] = [None]

        def refresh() -> None:
            matches = hub.watch.matches
            if matches == shown[0]:
                return
            shown[0] = matches
            found.clear()
            with found:
                if not matches:
                    ui.label('none yet; start one below, or with gdl launch').classes('opacity-70')
                for namespace in matches:
                    ui.link(namespace or '/', match_url(namespace)).classes('text-base')

        refresh()
        ui.timer(1.0, refresh)
