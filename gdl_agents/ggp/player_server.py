"""A GGP player as a small web server: any agent, several matches at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import logging
import re
from threading import Lock

from gdl_agents.ggp.lists import ProtocolError
from gdl_agents.ggp.messages import (
    ABORTED,
    AVAILABLE,
    BUSY,
    DONE,
    LANGUAGE,
    READY,
    Abort,
    Info,
    Play,
    Preview,
    Start,
    Stop,
    read_message,
)
from gdl_agents.ggp.player_match import PlayerMatch
from gdl_agents.players.draws import derive_seed
from gdl_env.errors import GdlError

# Rules of public games have a megabyte at most.
_LONGEST = 64 * 2**20
# Seconds until a connection that says nothing is closed.
_PATIENCE = 60.0
_NO_NAME = re.compile(r'[^A-Za-z0-9_.-]+')

_log = logging.getLogger(__name__)


class GgpPlayer:
    """Answers the messages of GGP servers with the moves of an agent."""

    def __init__(
        self,
        agent: str,
        name: str = 'gdl_env',
        *,
        most: int = 4,
        seed: int = 0,
        ponders: bool = False,
    ) -> None:
        """Play with an agent, such as `mcts`, in `most` matches at a time.

        With `ponders` it also thinks while others do.
        """
        self.agent = agent
        self.name = _NO_NAME.sub('_', name)
        self._most = most
        self._seed = seed
        self._ponders = ponders
        self._matches: dict[str, PlayerMatch] = {}
        self._lock = Lock()

    def answer(self, text: str) -> str:
        """Answer a message. Raises ProtocolError if it is none, GdlError if a game is broken."""
        message = read_message(text)
        match message:
            case Info():
                return f'((name {self.name})(status {self._status()}){LANGUAGE})'
            case Preview():
                return READY
            case Start():
                return self._start(message)
            case Play():
                return self._find(message.match).choose(message.news)
            case Stop():
                self._end(message.match)
                return DONE
            case Abort():
                self._end(message.match)
                return ABORTED

    def close(self) -> None:
        """End all matches."""
        for match in list(self._matches):
            self._end(match)

    def _status(self) -> str:
        return AVAILABLE if len(self._matches) < self._most else BUSY

    def _start(self, start: Start) -> str:
        with self._lock:
            if start.match in self._matches:
                raise ProtocolError(f'match {start.match} has begun already')
            if len(self._matches) >= self._most:
                return BUSY
            seed = derive_seed(self._seed, start.match)
            match = PlayerMatch(self.agent, start, seed, ponders=self._ponders)
            self._matches[start.match] = match
        try:
            match.begin()
        except GdlError:
            self._end(start.match)
            raise
        _log.info('%s: plays %s with %s', start.match, start.role, self.agent)
        return READY

    def _find(self, name: str) -> PlayerMatch:
        found = self._matches.get(name)
        if found is None:
            raise ProtocolError(f'there is no match {name}')
        return found

    def _end(self, name: str) -> None:
        with self._lock:
            match = self._matches.pop(name, None)
        if match is not None:
            match.stop()


def open_server(player: GgpPlayer, host: str, port: int) -> ThreadingHTTPServer:
    """Return a server for a player, on a port of this machine. Raises OSError."""
    return ThreadingHTTPServer((host, port), _make_handler(player.answer))


def _make_handler(answer: Callable[[str], str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Messages come as the body of a POST; the answer is plain text."""

        timeout = _PATIENCE

        def do_POST(self) -> None:
            length = self.headers.get('Content-Length', '')
            if not length.isdecimal() or int(length) > _LONGEST:
                self._send(400, f'Content-Length must be a number of bytes up to {_LONGEST}')
                return
            text = self.rfile.read(int(length)).decode('utf-8', 'replace')
            try:
                self._send(200, answer(text))
            except ProtocolError as error:
                self._send(400, str(error))
            except GdlError as error:
                _log.warning('%s', error)
                self._send(400, str(error))

        def do_GET(self) -> None:
            self._send(405, 'this is a GGP player: send messages by POST')

        def _send(self, status: int, text: str) -> None:
            body = text.encode()
            # A server whose clock has run out does not wait for the answer.
            with suppress(ConnectionError):
                self.send_response(status)
                self.send_header('Content-Type', 'text/acl')
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, form: str, *arguments: object) -> None:
            _log.debug(form, *arguments)

    return Handler
