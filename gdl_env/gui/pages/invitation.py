"""Inviting others to a table: links with pictures that phones read."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from nicegui import context, ui
import segno

from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.shell import mark
from gdl_env.gui.texts import text
from gdl_env.gui.web.guard import LOOPBACK, read_token

# A slow phone answers within this time [s].
_PATIENCE = 30.0
_OPEN_TO_OTHERS = 'gdl gui --host 0.0.0.0 --token-file token'


def draw_code(address: str, title: str) -> str:
    """Return an address as a QR code, in SVG that can stand in a page."""
    code = segno.make(address, error='m', micro=False)
    # Dark on light in every colour scheme: not all phones read the inverse.
    return str(
        code.svg_inline(scale=5, border=3, dark='#111', light='#fff', title=title, omitsize=True)
    )


def is_reachable(origin: str) -> bool:
    """Tell whether another machine can open the address that this page was opened by."""
    host = urlsplit(origin).hostname or ''
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return host not in LOOPBACK


async def show_invitation(namespace: str, roles: list[str], target: str) -> None:
    """Show a link for each role; `target` is the page of the one who invites."""
    origin = str(await ui.run_javascript('location.origin', timeout=_PATIENCE))
    token = read_token(context.client.request.scope)
    with ui.dialog().props('persistent') as dialog, ui.card().classes('items-center gap-3'):
        with ui.element('h2').classes('text-lg font-semibold m-0'):
            ui.label(text('invite.title'))
        ui.label(text('invite.hint')).classes('text-sm opacity-80 text-center max-w-xs')
        for role in roles:
            address = f'{origin}{match_path(namespace, role)}'
            address += f'&token={quote(token)}' if token else ''
            words = text('invite.role', role=role)
            if len(roles) > 1:
                ui.label(words).classes('font-medium')
            ui.html(draw_code(address, words), sanitize=False).classes('gt-code')
            with ui.row().classes('items-center gap-1 no-wrap max-w-full'):
                ui.link(address, address).classes('text-xs break-all')
                copy = ui.button(
                    icon='content_copy', on_click=lambda link=address: ui.clipboard.write(link)
                )
                copy.props('flat dense round').props['aria-label'] = text('invite.copy')
        if not is_reachable(origin):
            ui.label(text('invite.loopback')).classes('text-sm text-center max-w-xs gt-warning')
            ui.label(_OPEN_TO_OTHERS).classes('text-xs font-mono')
        if token:
            ui.label(text('invite.token')).classes('text-sm text-center max-w-xs gt-warning')
        button = ui.button(text('invite.open'), on_click=lambda: ui.navigate.to(target))
        mark(button.props('no-caps'), 'to-table')
    dialog.open()
