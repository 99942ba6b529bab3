"""What all pages have in common: header, colours, errors in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

from nicegui import app, ui

from gdl_env.errors import GdlError

_STYLE = Path(__file__).parents[1] / 'components' / 'table.css'
_PAGES = (('/', 'Matches', 'grid_view'), ('/train', 'Train', 'trending_up'))
_MORE = (('/replay', 'Replay', 'history'), ('/graph', 'Graph', 'hub'))


def visitor() -> str:
    """Return who looks: the same for all windows of one browser."""
    return str(app.storage.browser['id'])


@contextmanager
def shell(title: str) -> Iterator[None]:
    """Draw the frame of a page; what is made inside is its content."""
    ui.add_css(_STYLE)
    ui.page_title(f'{title} · gdl')
    ui.colors(primary='#2f6fd8')
    preferred = app.storage.browser.get('dark')
    dark = ui.dark_mode(app.storage.general.get(f'dark_{visitor()}', preferred))
    with ui.header().classes('items-center gap-1 px-3 py-1').style('background:#1d2b44'):
        ui.link('gdl', '/').classes('text-white text-lg font-bold no-underline mr-2')
        for path, name, icon in (*_PAGES, *_MORE):
            with (
                ui.link(target=path)
                .classes('text-white no-underline px-2 py-1 rounded flex items-center gap-1')
                .props(f'aria-label={name}')
            ):
                ui.icon(icon).classes('text-lg')
                ui.label(name).classes('max-sm:hidden')
        ui.space()

        def switch() -> None:
            dark.set_value(not dark.value)
            app.storage.general[f'dark_{visitor()}'] = dark.value

        ui.button(icon='contrast', on_click=switch).props(
            'flat round dense color=white aria-label="light or dark"'
        )
    with ui.column().classes('w-full max-w-screen-2xl mx-auto p-3 sm:p-4 gap-3'):
        yield


def mark(element: ui.element, text: str) -> None:
    """Give an element a name that tests find it by.

    Not by `props(text)`, which would read what follows a blank or a sign as further properties,
    scripts among them: names of roles come from the rules.
    """
    element.props['data-mark'] = text


def guarded(work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[None]]:
    """Return a handler that shows what goes wrong, in words."""

    # NiceGUI looks at the parameters to see what to give.
    @wraps(work)
    async def run(*args: Any) -> None:
        try:
            await work(*args)
        except (GdlError, OSError, ValueError) as error:
            ui.notify(
                str(error), type='negative', multi_line=True, timeout=8000, close_button='ok'
            )

    return run


def complain(text: str) -> None:
    """Show what went wrong."""
    ui.notify(text, type='negative', multi_line=True, timeout=8000, close_button='ok')
