"""Where visitors bring a game of chess as PGN, or choose a game to try moves in."""

from __future__ import annotations

from urllib.parse import quote

from nicegui import run, ui

from gdl_env.errors import GdlError
from gdl_env.gui.components.file_drop import FileDrop
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.navigator import OWN_REPLAY
from gdl_env.gui.pages.shell import complain, guarded, heading, mark, visitor
from gdl_env.gui.study.pgn_reader import MOST
from gdl_env.gui.study.studied_games import study_pgn
from gdl_env.gui.texts import text
from gdl_env.gui.views import list_titles


def offer_pgn(hub: Hub) -> None:
    """Make a field for PGN as text, and one for files; what is read is shown at once."""
    heading(text('replay.pgn'))
    field = ui.textarea(placeholder=text('replay.pgn_hint')).classes('w-full')
    field.props('outlined autogrow input-style="max-height: 30vh"')
    field.props['aria-label'] = text('replay.pgn_label')
    mark(field, 'pgn')
    # An error stays beside the text that it is about.
    trouble = ui.label().classes('text-negative text-sm').props('role=alert')
    mark(trouble, 'pgn-trouble')

    async def read() -> None:
        trouble.set_text('')
        who = visitor()
        try:
            games = await run.io_bound(study_pgn, str(field.value or ''))
        except GdlError as error:
            trouble.set_text(str(error))
            return
        hub.keep_studied(who, games or [])
        ui.navigate.to(OWN_REPLAY)

    def take(files: list[tuple[str, str]]) -> None:
        field.set_value('\n\n'.join(content for _, content in files))

    with ui.row().classes('w-full items-center gap-3'):
        button = ui.button(text('replay.pgn_open'), on_click=guarded(read)).props('no-caps')
        mark(button, 'open-pgn')
        refused = text('trouble.pgn_long', most=MOST // 1000)
        FileDrop(text('replay.pgn_drop'), ('.pgn',), MOST, take, lambda: complain(refused))


def offer_rules() -> None:
    """Make a field for the game that moves are tried in, from its beginning."""
    heading(text('replay.try_game'))
    with ui.row().classes('w-full items-center gap-3'):
        names = list_titles()
        game = ui.select(names, value=next(iter(names), None), label=text('home.game'))
        game.classes('w-48')

        def go() -> None:
            ui.navigate.to(f'/replay?game={quote(str(game.value or ""))}')

        ui.button(text('replay.try_open'), on_click=go).props('no-caps')
