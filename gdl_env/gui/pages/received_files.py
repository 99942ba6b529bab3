"""Rule files that visitors drop on a page, or choose: with their view files, if they have some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import ui

from gdl_env.gui.components.file_drop import FileDrop
from gdl_env.gui.drawing.view_file import SUFFIX
from gdl_env.gui.errors import GuiError
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.shell import complain, heading, mark, visitor
from gdl_env.gui.texts import text
from gdl_env.gui.workshop.drafts import MOST, GameDraft, to_name
from gdl_env.language.library import SUFFIXES

_VIEWS = ('.yaml', '.yml')


def offer_files(hub: Hub) -> None:
    """Make a place where files can be dropped; they are opened in the editor."""
    heading(text('home.own'))
    ui.label(text('home.own_hint')).classes('text-sm opacity-80')

    def take(draft: GameDraft) -> None:
        hub.received[visitor()] = draft
        ui.navigate.to('/editor')

    accept_files(take)
    ui.link(text('home.write'), '/editor').classes('text-sm')


def accept_files(take: Callable[[GameDraft], None]) -> None:
    """Make a field for files; `take` is called with the draft that they are."""

    def read(files: list[tuple[str, str]]) -> None:
        draft = GameDraft()
        for name, content in files:
            draft = _add(draft, name, content)
        if not draft.rules:
            raise GuiError(text('editor.no_rules', types=', '.join(SUFFIXES)))
        take(draft)

    def refuse() -> None:
        complain(text('editor.rejected', most=MOST // 1000))

    field = FileDrop(text('editor.drop'), (*SUFFIXES, *_VIEWS), MOST, read, refuse)
    mark(field, 'files')


def _add(draft: GameDraft, name: str, content: str) -> GameDraft:
    """Put a file into its place, by its name."""
    if '\ufffd' in content:
        raise GuiError(text('editor.no_text', name=name))
    # As editors in browsers count lines.
    content = content.removeprefix('\ufeff').replace('\r\n', '\n').replace('\r', '\n')
    lower = name.lower()
    if lower.endswith(SUFFIXES):
        return replace(draft, name=to_name(name), rules=content)
    if lower.endswith(_VIEWS):
        return replace(draft, view=content)
    raise GuiError(text('editor.other_file', name=name, types=', '.join((*SUFFIXES, SUFFIX))))
