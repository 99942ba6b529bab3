"""Answers to this machine itself are not packed: that takes longer than to copy them."""

from __future__ import annotations

from typing import Any

_LOOPBACK = {'127.0.0.1', '::1'}


class PlainLoopback:
    """Takes the offer to unpack answers out of requests that come from this machine."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on."""
        if scope['type'] == 'http' and (scope.get('client') or ('',))[0] in _LOOPBACK:
            headers = [each for each in scope['headers'] if each[0] != b'accept-encoding']
            scope = {**scope, 'headers': headers}
        await self._app(scope, receive, send)
