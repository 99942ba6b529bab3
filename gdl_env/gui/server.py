"""The web server: pages, the token, a clean end on SIGINT and SIGTERM."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
import secrets
import signal
import socket
from types import FrameType
import webbrowser

from fastapi import FastAPI
from nicegui import app, background_tasks, run, ui
import uvicorn

from gdl_env.gui.errors import GuiError
from gdl_env.gui.gallery.gallery_data import serve_gallery
from gdl_env.gui.gui_parameters import GuiParameters
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.editor_page import open_editor
from gdl_env.gui.pages.graph_page import open_graph
from gdl_env.gui.pages.home_page import open_home
from gdl_env.gui.pages.hot_seat import open_hot_seat
from gdl_env.gui.pages.match_page import open_match
from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.replay_page import open_replay
from gdl_env.gui.pages.tournament_page import open_tournament
from gdl_env.gui.pages.train_page import open_train
from gdl_env.gui.tables import ME, roles_of
from gdl_env.gui.web.content_policy import ContentPolicy
from gdl_env.gui.web.display import has_display
from gdl_env.gui.web.guard import LOOPBACK, OriginGuard, TokenGuard
from gdl_env.gui.web.plain_loopback import PlainLoopback
from gdl_env.gui.web.styles import serve_styles
from gdl_env.language.load import open_game
from gdl_env.ros.parameters import GUI

# Ports that are tried after the usual one, if others serve there already.
_TRIED = 20
_TIDY_PERIOD = 1.0
# A page is there within this time, even on a busy machine [s].
_BUILDING = 60.0


class Server:
    """Serves the pages of one hub."""

    def __init__(self, hub: Hub, told: GuiParameters) -> None:
        self._hub = hub
        self._told = told
        self._socket = _bind(told.host, told.port)
        self.port = int(self._socket.getsockname()[1])

    @property
    def url(self) -> str:
        """Return the address of the first page, to be told to all: the token is left out."""
        host = (
            self._told.host if self._told.host not in {'0.0.0.0', '::'} else socket.gethostname()
        )
        shown = f'[{host}]' if ':' in host else host
        query = '?token=…' if self._told.token else ''
        return f'http://{shown}:{self.port}/{query}'

    def run(self) -> None:
        """Serve until SIGINT or SIGTERM comes."""
        self._add_pages()
        # Before NiceGUI adds what packs the pages.
        app.add_middleware(ContentPolicy)
        outer = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
        ui.run_with(
            outer,
            title='gdl',
            dark=None,
            # The classes that pages use are in components/utilities.css.
            tailwind=False,
            storage_secret=secrets.token_urlsafe(32),
            reconnect_timeout=10.0,
            message_history_length=20,
            show_welcome_message=False,
        )
        if self._told.token:
            outer.add_middleware(TokenGuard, token=self._told.token)
        # Others may call this machine by whatever name they know it by.
        hosts = (*LOOPBACK, self._told.host) if self._told.is_on_loopback else ()
        outer.add_middleware(OriginGuard, hosts=hosts)
        outer.add_middleware(PlainLoopback)
        config = uvicorn.Config(
            outer, log_level='warning', timeout_graceful_shutdown=1, access_log=False
        )
        server = _Server(config)
        with _signals(server):
            server.run(sockets=[self._socket])

    def _add_pages(self) -> None:
        hub = self._hub
        serve_styles()
        serve_gallery(hub.gallery)

        @ui.page('/', response_timeout=_BUILDING)
        def home(game: str = '') -> None:
            open_home(hub, game)

        @ui.page('/here', response_timeout=_BUILDING)
        async def here(ns: str = '', role: str = '') -> None:
            await open_hot_seat(hub, ns, role)

        @ui.page('/editor', response_timeout=_BUILDING)
        async def editor(game: str = '') -> None:
            await open_editor(hub, game)

        @ui.page('/tournament', response_timeout=_BUILDING)
        def tournament(name: str = '') -> None:
            open_tournament(hub, name)

        @ui.page('/match', response_timeout=_BUILDING)
        async def match(ns: str = '', role: str = '', at: str = '') -> None:
            await open_match(hub, ns, role, at)

        @ui.page('/train', response_timeout=_BUILDING)
        def train(game: str = '') -> None:
            open_train(hub, game)

        @ui.page('/graph', response_timeout=_BUILDING)
        async def graph(ns: str = '') -> None:
            await open_graph(hub, ns)

        @ui.page('/replay', response_timeout=_BUILDING)
        async def replay(file: str = '', game: str = '', own: str = '') -> None:
            await open_replay(hub, file, game, is_own=bool(own))

        async def tidy() -> None:
            while True:
                try:
                    await hub.tidy()
                # Whatever it is: roles are to be given back and matches let go of all the same.
                except Exception as error:
                    hub.node.get_logger().warning(f'{type(error).__name__}: {error}')
                await asyncio.sleep(_TIDY_PERIOD)

        async def begin() -> None:
            background_tasks.create(tidy(), name='tidy')
            # The first visitor need not wait for the pictures of all games.
            background_tasks.create(run.io_bound(hub.gallery.refresh), name='gallery')
            path = await self._open_table()
            log = hub.node.get_logger()
            log.info(f'serving at {self.url}')
            page = f'{self.url.partition("?")[0].rstrip("/")}{path}'
            if path:
                log.info(f'the table is at {page}')
            # An address with a token would be on a command line, which others can read.
            if self._told.browser and not self._told.token and has_display():
                await run.io_bound(webbrowser.open, page)

        app.on_startup(begin)
        app.on_connect(hub.processes.spares.postpone)

    async def _open_table(self) -> str:
        """Open the table that the parameters ask for; return the path of its page."""
        told = self._told
        if not told.game:
            return ''
        # Named on the command line, not on a page: any file.
        given = dict(word.split('=', 1) for word in told.players)
        players = {role: given.get(role, ME) for role in roles_of(open_game(told.game))}
        table = self._hub.tables.open(told.game, players, is_from_page=False)
        own = [role for role, player in players.items() if player == ME]
        await self._hub.begin_when_ready(table.namespace, own)
        return match_path(table.namespace, own[0] if own else '')


class _Server(uvicorn.Server):
    """Leaves the signals to us: its own handling would end the process with one."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def _signals(server: uvicorn.Server) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        if server.should_exit:
            server.force_exit = True
        server.should_exit = True

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _bind(host: str, port: int) -> socket.socket:
    """Return a socket to serve at; the usual port may be taken. Raises GuiError."""
    tried = range(port, port + _TRIED) if port == GUI['port'].default else [port]
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    for number in tried:
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, number))
        except OSError as error:
            found.close()
            reason = error.strerror
            continue
        return found
    raise GuiError(f'cannot serve at {host}:{port}: {reason}')
