"""The games that were played here last, each a link to its replay."""

from __future__ import annotations

from nicegui import ui

from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.navigator import replay_path
from gdl_env.gui.pages.shell import heading
from gdl_env.gui.texts import text


def list_played(hub: Hub, count: int) -> None:
    """Draw a heading and the games; nothing where none was played."""
    games = hub.played_games.list_newest(count)
    if not games:
        return
    heading(text('home.played'))
    for game in games:
        with ui.row().classes('w-full items-baseline gap-2 no-wrap'):
            ui.link(game.title, replay_path(game.file)).classes('grow min-w-0')
            ui.label(f'{game.ended:%Y-%m-%d %H:%M}').classes('text-sm opacity-70')
