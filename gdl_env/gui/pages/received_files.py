"""Rule files that visitors drop on a page, or choose: with their view files, if they have some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nicegui import ui
from nicegui.events import MultiUploadEventArguments

from gdl_env.gui.drawing.view_file import SUFFIX
from gdl_env.gui.errors import GuiError
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.shell import complain, guarded, heading, mark, visitor
from gdl_env.gui.texts import text
from gdl_env.gui.workshop.drafts import MOST, Draft, to_name
from gdl_env.language.library import SUFFIXES

_TYPES = (*SUFFIXES, '.yaml', '.yml')


def offer_files(hub: Hub) -> None:
    """Make a place where files can be dropped; they are opened in the editor."""
    heading(text('home.own'))
    ui.label(text('home.own_hint')).classes('text-sm opacity-80')

    def take(draft: Draft) -> None:
        hub.received[visitor()] = draft
        ui.navigate.to('/editor')

    accept_files(take)
    ui.link(text('home.write'), '/editor').classes('text-sm')


def accept_files(take: Callable[[Draft], None]) -> None:
    """Make a field for files; `take` is called with the draft that they are."""

    async def read(event: MultiUploadEventArguments) -> None:
        draft = Draft()
        for file in event.files:
            draft = _add(draft, file.name, _decode(file.name, await file.read()))
        if draft.rules:
            take(draft)
        else:
            raise GuiError(text('editor.no_rules', types=', '.join(SUFFIXES)))

    field = ui.upload(
        label=text('editor.drop'),
        multiple=True,
        auto_upload=True,
        max_file_size=MOST,
        max_files=2,
        on_multi_upload=guarded(read),
        on_rejected=lambda: complain(text('editor.rejected', most=f'{MOST // 1000}')),
    )
    field.props(f'flat bordered accept="{",".join(_TYPES)}"').classes('w-full gt-drop')
    mark(field, 'files')


def _add(draft: Draft, name: str, content: str) -> Draft:
    """Put a file into its place, by its name."""
    lower = name.lower()
    if lower.endswith(SUFFIXES):
        return replace(draft, name=to_name(name), rules=content)
    if lower.endswith(('.yaml', '.yml')):
        return replace(draft, view=content)
    raise GuiError(text('editor.other_file', name=name, types=', '.join((*SUFFIXES, SUFFIX))))


def _decode(name: str, data: bytes) -> str:
    try:
        decoded = data.decode('utf-8-sig')
    except UnicodeDecodeError:
        raise GuiError(text('editor.no_text', name=name)) from None
    # As editors in browsers count lines.
    return decoded.replace('\r\n', '\n').replace('\r', '\n')
