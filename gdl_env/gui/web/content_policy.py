"""What a browser may run and load in our pages: a Content-Security-Policy for every page.

Inline scripts run if their digest is in the header, which holds those that the server wrote into
the page itself. Whatever gets into the page later, such as an `onerror` in a text of others, does
not run. NiceGUI and Vue compile templates in the browser, and so need `unsafe-eval`; Quasar and
the boards set styles of single elements, and so need inline styles.
"""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

_INLINE = re.compile(rb'<script\b(?P<attributes>[^>]*)>(?P<text>.*?)</script>', re.DOTALL)
_OTHERS = (
    "default-src 'none'",
    "style-src 'self' 'unsafe-inline'",
    # Pieces of view files are images, written as data.
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)


def policy_of(page: bytes) -> str:
    """Return the policy of a page: its own inline scripts run, and files of this server."""
    digests = dict.fromkeys(
        base64.b64encode(hashlib.sha256(_as_parsed(found['text'])).digest()).decode()
        for found in _INLINE.finditer(page)
        if b'src=' not in found['attributes']
    )
    sources = ["'self'", "'unsafe-eval'", *(f"'sha256-{digest}'" for digest in digests)]
    return '; '.join((*_OTHERS, f'script-src {" ".join(sources)}'))


def _as_parsed(text: bytes) -> bytes:
    # HTML knows one kind of line end.
    return text.replace(b'\r\n', b'\n').replace(b'\r', b'\n')


class ContentPolicy:
    """Adds the policy to pages; every other answer may be used as what it says it is only."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass an answer on; a page as soon as it is whole."""
        if scope['type'] != 'http':
            await self._app(scope, receive, send)
            return
        start: dict[str, Any] | None = None
        body = b''

        async def pass_on(message: Any) -> None:
            nonlocal start, body
            if message['type'] == 'http.response.start':
                message['headers'] = [
                    *message.get('headers', ()),
                    (b'x-content-type-options', b'nosniff'),
                    (b'referrer-policy', b'same-origin'),
                ]
                if _is_page(message):
                    start = message
                    return
            if start is None:
                await send(message)
                return
            body += message.get('body', b'')
            if not message.get('more_body', False):
                header = (b'content-security-policy', policy_of(body).encode())
                await send({**start, 'headers': [*start['headers'], header]})
                await send({'type': 'http.response.body', 'body': body})

        await self._app(scope, receive, pass_on)


def _is_page(message: Any) -> bool:
    kinds = [value for name, value in message['headers'] if name.lower() == b'content-type']
    return any(kind.startswith(b'text/html') for kind in kinds)
