"""Access control: foreign pages are refused, and remote visitors need a token."""

from __future__ import annotations

from http.cookies import SimpleCookie
import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode

COOKIE = 'gdl_token'


LOOPBACK = ('127.0.0.1', 'localhost', '[::1]')


class OriginGuard:
    """Refuses requests that a foreign page sends through a visitor's browser.

    On loopback, the server must have been called by a name of this machine; whatever the browser
    says where a request comes from must be this server. Links to a page may be anywhere, as long
    as the visitor sees that they are followed.
    """

    def __init__(self, app: Any, hosts: tuple[str, ...]) -> None:
        self._app = app
        # Names the server may be called by; empty: any.
        self._hosts = hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on what is meant for us."""
        if scope['type'] not in {'http', 'websocket'} or self._is_ours(scope):
            await self._app(scope, receive, send)
        elif scope['type'] == 'websocket':
            await receive()
            await send({'type': 'websocket.close', 'code': 1008})
        else:
            await _answer(send, 403, 'This page is not served under that name.')

    def _is_ours(self, scope: Any) -> bool:
        headers = {name: value.decode('latin-1') for name, value in scope['headers']}
        host = headers.get(b'host', '')
        name = host.rpartition(':')[0] if host.rpartition(':')[2].isdecimal() else host
        if self._hosts and name not in self._hosts:
            return False
        is_foreign = headers.get(b'sec-fetch-site', '') in {'cross-site', 'same-site'}
        if is_foreign and headers.get(b'sec-fetch-dest', '') != 'document':
            # Neither images nor frames in foreign pages.
            return False
        origin = headers.get(b'origin', '')
        return not origin or origin.partition('://')[2] == host


class TokenGuard:
    """Lets requests and sockets in that know the token: by `?token=…` once, then by a cookie."""

    def __init__(self, app: Any, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on what knows the token; turn away everything else."""
        if scope['type'] not in {'http', 'websocket'}:
            await self._app(scope, receive, send)
            return
        query = dict(parse_qsl(scope.get('query_string', b'').decode('latin-1')))
        if self._is_right(query.pop('token', '')) and scope['type'] == 'http':
            await self._welcome(scope['path'], query, send)
        elif self._is_right(read_token(scope)):
            await self._app(scope, receive, send)
        elif scope['type'] == 'websocket':
            await receive()
            await send({'type': 'websocket.close', 'code': 1008})
        else:
            await _answer(send, 403, 'The address of this page needs its token: …/?token=…')

    def _is_right(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self._token.encode())

    async def _welcome(self, path: str, query: dict[str, str], send: Any) -> None:
        """Keep the token in a cookie, and out of the address."""
        target = path + (f'?{urlencode(query)}' if query else '')
        # As hexadecimal digits: cookies do not take all characters.
        kept = self._token.encode().hex()
        cookie = f'{COOKIE}={kept}; Path=/; HttpOnly; SameSite=Strict'
        headers = [(b'location', target.encode()), (b'set-cookie', cookie.encode())]
        await _answer(send, 303, '', headers)


def read_token(scope: Any) -> str:
    """Return the token that a request has brought as a cookie; '' where there is none."""
    for name, value in scope['headers']:
        if name == b'cookie':
            found = SimpleCookie(value.decode('latin-1')).get(COOKIE)
            if found is not None:
                try:
                    return bytes.fromhex(found.value).decode()
                except ValueError:
                    return ''
    return ''


async def _answer(
    send: Any, status: int, text: str, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    kind = (b'content-type', b'text/plain; charset=utf-8')
    await send(
        {'type': 'http.response.start', 'status': status, 'headers': [kind, *(headers or [])]}
    )
    await send({'type': 'http.response.body', 'body': text.encode()})
