"""What all pages have in common: header, colours, errors in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

from nicegui import Client, app, context, ui

from gdl_env.errors import GdlError
from gdl_env.gui.texts import (
    FALLBACK,
    choose_language,
    find_language_with,
    languages,
    text,
)

# Address, key of the name, icon.
_PAGES = (
    ('/', 'shell.matches', 'grid_view'),
    ('/editor', 'shell.editor', 'edit_note'),
    ('/train', 'shell.train', 'trending_up'),
    ('/tournament', 'shell.tournament', 'emoji_events'),
    ('/replay', 'shell.replay', 'history'),
    ('/graph', 'shell.graph', 'hub'),
)
# The language of each open page.
_languages: WeakKeyDictionary[Client, str] = WeakKeyDictionary()


def visitor() -> str:
    """Return who looks: the same for all windows of one browser."""
    return str(app.storage.browser['id'])


def _page_language() -> str:
    """Return the language of the page that something is made for; elsewhere there is none."""
    try:
        client = context.client
    except RuntimeError:
        return FALLBACK
    if client not in _languages:
        chosen = app.storage.general.get(f'language_{visitor()}', '')
        accepted = client.request.headers.get('accept-language', '')
        is_known = chosen in languages()
        _languages[client] = chosen if is_known else choose_language(accepted)
    return _languages[client]


find_language_with(_page_language)


@contextmanager
def shell(title: str) -> Iterator[None]:
    """Draw the frame of a page; what is made inside is its content."""
    ui.run_javascript(f'document.documentElement.lang = "{_page_language()}"')
    ui.page_title(f'{title} · gdl')
    ui.colors(primary='#2860bd')
    preferred = app.storage.browser.get('dark')
    dark = ui.dark_mode(app.storage.general.get(f'dark_{visitor()}', preferred))
    with ui.header().classes('items-center gap-1 px-3 py-1').style('background:#1d2b44'):
        ui.link('gdl', '/').classes('text-white text-lg font-bold no-underline mr-2')
        for path, key, icon in _PAGES:
            name = text(key)
            link = ui.link(target=path).classes(
                'text-white no-underline px-2 py-1 rounded flex items-center gap-1'
            )
            link.props['aria-label'] = name
            link.tooltip(name)
            with link:
                ui.icon(icon).classes('text-lg')
                ui.label(name).classes('max-lg:hidden')
        ui.space()

        def switch() -> None:
            dark.set_value(not dark.value)
            app.storage.general[f'dark_{visitor()}'] = dark.value

        _offer_languages()
        button = ui.button(icon='contrast', on_click=switch).props('flat round dense color=white')
        button.props['aria-label'] = text('shell.contrast')
    with ui.column().classes('w-full max-w-screen-2xl mx-auto p-3 sm:p-4 gap-3'):
        # Screen readers go from heading to heading.
        with ui.element('h1').classes('sr-only'):
            ui.label(title)
        yield


def _offer_languages() -> None:
    """Make a switch that leads from one language to the next."""
    names = list(languages())
    after = names[(names.index(_page_language()) + 1) % len(names)]

    def switch() -> None:
        app.storage.general[f'language_{visitor()}'] = after
        ui.navigate.reload()

    button = ui.button(after.upper(), on_click=switch).props('flat dense color=white')
    button.props['aria-label'] = languages()[after]
    button.props['lang'] = after
    button.props['data-mark'] = 'language'


def heading(words: str, classes: str = 'text-lg font-semibold') -> ui.label:
    """Make the title of a part of a page: screen readers go from one to the next."""
    with ui.element('h2').classes('m-0 leading-tight'):
        return ui.label(words).classes(classes)


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
