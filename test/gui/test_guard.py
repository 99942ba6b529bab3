"""The token, and where the page is served."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gdl_env.gui.web.guard import COOKIE, LOOPBACK, OriginGuard, TokenGuard

TOKEN = 'a secret word; with signs'


async def served(scope: Any, receive: Any, send: Any) -> None:
    await send({'type': 'served'})


def ask(query: str = '', cookie: str = '', kind: str = 'http') -> list[dict[str, Any]]:
    """Return what the guard answers."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {'type': 'websocket.connect'}

    headers = [(b'cookie', cookie.encode())] if cookie else []
    scope = {'type': kind, 'path': '/match', 'query_string': query.encode(), 'headers': headers}
    asyncio.run(TokenGuard(served, TOKEN)(scope, receive, send))
    return sent


@pytest.mark.parametrize(
    ('query', 'cookie'),
    [('', ''), ('token=', ''), ('token=no', f'{COOKIE}=no'), ('x=1', '')],
)
def test_who_does_not_know_the_token_is_turned_away(query: str, cookie: str) -> None:
    assert ask(query, cookie)[0]['status'] == 403
    assert ask(query, cookie, 'websocket') == [{'type': 'websocket.close', 'code': 1008}]


def test_who_knows_it_is_let_in_and_remembered() -> None:
    welcome = ask('ns=%2Fm&token=a+secret+word%3B+with+signs&role=x')[0]
    headers = dict(welcome['headers'])
    assert welcome['status'] == 303
    assert headers[b'location'] == b'/match?ns=%2Fm&role=x'
    cookie = headers[b'set-cookie'].decode()
    assert 'HttpOnly' in cookie and 'SameSite=Strict' in cookie
    kept = cookie.partition(';')[0]
    for kind in ('http', 'websocket'):
        assert ask('', f'other=1; {kept}', kind) == [{'type': 'served'}]


@pytest.mark.parametrize(
    ('host', 'origin', 'is_ours'),
    [
        ('127.0.0.1:8080', '', True),
        ('localhost:8080', 'http://localhost:8080', True),
        ('[::1]:8080', '', True),
        # A name of another host that was made to lead here.
        ('evil.example:8080', '', False),
        # The page of another host, in a browser of this machine.
        ('127.0.0.1:8080', 'http://evil.example', False),
        ('127.0.0.1:8080', 'http://127.0.0.1:9999', False),
    ],
)
@pytest.mark.parametrize('kind', ['http', 'websocket'])
def test_pages_of_others_are_turned_away(host: str, origin: str, is_ours: bool, kind: str) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {'type': 'websocket.connect'}

    headers = [(b'host', host.encode())] + ([(b'origin', origin.encode())] if origin else [])
    guard = OriginGuard(served, LOOPBACK)
    asyncio.run(guard({'type': kind, 'headers': headers}, receive, send))
    assert (sent == [{'type': 'served'}]) == is_ours


@pytest.mark.parametrize(
    ('host', 'token', 'is_allowed'),
    [
        ('127.0.0.1', '', True),
        ('::1', '', True),
        ('localhost', '', True),
        ('0.0.0.0', '', False),
        ('0.0.0.0', 'short', False),
        ('192.168.1.5', 'long enough', True),
        ('example.org', '', False),
    ],
)
def test_others_only_come_in_with_a_token(
    host: str, token: str, is_allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    from gdl_env.gui.errors import GuiError
    from gdl_env.gui.gui_parameters import TOKEN_VARIABLE, GuiParameters

    given = {'host': host}
    declared = []

    def declare_parameter(name: str, default: Any, _: Any) -> SimpleNamespace:
        declared.append(name)
        return SimpleNamespace(value=given.get(name, default))

    node: Any = SimpleNamespace(declare_parameter=declare_parameter)
    monkeypatch.setenv(TOKEN_VARIABLE, token)
    if is_allowed:
        assert GuiParameters.declare(node).token == token
    else:
        with pytest.raises(GuiError, match='set a token of 8 characters or more'):
            GuiParameters.declare(node)
    # Parameters can be read by everybody on the graph; and what is started has an environment.
    assert 'token' not in declared and TOKEN_VARIABLE not in os.environ
    # A file is made with one that nobody can guess, and nobody else can read.
    given['token_file'] = str(tmp_path / 'token')
    found = {GuiParameters.declare(node).token for _ in range(2)}
    assert found == {(tmp_path / 'token').read_text().strip()} and len(found.pop()) >= 16
    assert (tmp_path / 'token').stat().st_mode & 0o777 == 0o600
    (tmp_path / 'token').write_text('\n')
    with pytest.raises(GuiError, match='token is empty'):
        GuiParameters.declare(node)


@pytest.mark.parametrize(
    ('site', 'kind', 'is_ours'),
    [
        ('none', 'document', True),
        ('same-origin', 'script', True),
        ('cross-site', 'document', True),
        ('cross-site', 'image', False),
        ('cross-site', 'iframe', False),
        ('same-site', 'empty', False),
        ('cross-site', 'websocket', False),
    ],
)
def test_pages_of_others_may_link_here_and_no_more(site: str, kind: str, is_ours: bool) -> None:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    told = {'host': '127.0.0.1:8080', 'sec-fetch-site': site, 'sec-fetch-dest': kind}
    headers = [(name.encode(), value.encode()) for name, value in told.items()]
    guard = OriginGuard(served, LOOPBACK)
    asyncio.run(guard({'type': 'http', 'headers': headers}, None, send))
    assert (sent == [{'type': 'served'}]) == is_ours
