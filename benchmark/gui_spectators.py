"""Spectators of a match without browsers: they speak with the server as pages do.

    python benchmark/gui_spectators.py http://127.0.0.1:8377 /show 50

Fifty browsers would measure the machine. These open the page, connect, and say at once that they
have drawn what they were sent. After a line of input positions are counted, and at its end their
number is printed.
"""

from __future__ import annotations

import ast
import asyncio
from contextlib import suppress
from html import unescape
import json
import re
import sys
from typing import Any

import aiohttp
import socketio

_ELEMENTS = re.compile(r'parseElements\(String\.raw`(.*?)`\)', re.DOTALL)
_QUERY = re.compile(r'query: (\{.*?\}),\n')
_NUMBER = re.compile(r'"number":(\d+)')


class Spectator:
    """One page that is open."""

    def __init__(self, http: aiohttp.ClientSession, server: str, number: int) -> None:
        self._http = http
        self._server = server
        self._number = number
        self._socket = socketio.AsyncClient(http_session=http)
        self.positions = 0

    async def open(self, path: str) -> None:
        """Get the page, and connect."""
        async with self._http.get(f'{self._server}{path}') as answer:
            page = await answer.text()
        found = _ELEMENTS.search(page)
        query = _QUERY.search(page)
        if found is None or query is None:
            raise SystemExit(f'no page of a match at {path}')
        elements = json.loads(unescape(found.group(1)))
        # Written as Python writes it.
        told = ast.literal_eval(query.group(1))
        self._client = str(told['client_id'])
        self._listener = next(
            (int(number), event['listener_id'])
            for number, element in elements.items()
            for event in element.get('events', ())
            if event['type'] == 'drawn'
        )
        self._socket.on('run_javascript', self._on_script)
        more = {'document_id': f'd{self._number}', 'tab_id': f't{self._number}'}
        words = {**told, **more, 'implicit_handshake': 'true'}
        text = '&'.join(f'{key}={value}' for key, value in words.items())
        await self._socket.connect(
            f'{self._server}?{text}',
            socketio_path='/_nicegui_ws/socket.io',
            transports=['websocket'],
            wait_timeout=60,
        )

    async def _on_script(self, message: dict[str, Any]) -> None:
        code = message['code']
        if '"show",' not in code or (found := _NUMBER.search(code)) is None:
            return
        self.positions += 1
        number, listener = self._listener
        told = {'id': number, 'client_id': self._client, 'listener_id': listener}
        # What still comes while the page is being left needs no answer.
        with suppress(socketio.exceptions.BadNamespaceError):
            await self._socket.emit('event', {**told, 'args': [found.group(1)]})

    async def close(self) -> None:
        """Leave the page."""
        await self._socket.disconnect()


async def watch(server: str, namespace: str, count: int) -> None:
    """Look on until the input ends."""
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(cookie_jar=jar) as http:
        spectators = [Spectator(http, server, number) for number in range(count)]
        for spectator in spectators:
            await spectator.open(f'/match?ns={namespace}')
        print('ready', flush=True)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, sys.stdin.readline)
        for spectator in spectators:
            spectator.positions = 0
        await loop.run_in_executor(None, sys.stdin.read)
        print(sum(spectator.positions for spectator in spectators), flush=True)
        for spectator in spectators:
            await spectator.close()


if __name__ == '__main__':
    asyncio.run(watch(sys.argv[1], sys.argv[2], int(sys.argv[3])))
