"""Players of a GGP match as its manager sees them: programs elsewhere, and agents of ours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from gdl_agents.errors import AgentError, LateError
from gdl_agents.ggp.lists import ProtocolError, shorten
from gdl_agents.ggp.messages import (
    LANGUAGE,
    Abort,
    Info,
    Message,
    News,
    Play,
    Start,
    Stop,
    write_message,
)
from gdl_agents.ggp.player_match import PlayerMatch

# The content type of the protocol.
_CONTENT = {'Content-Type': 'text/acl', 'Accept': 'text/delim'}
# How long an answer to INFO is waited for [s].
_INFO_CLOCK = 2.0
# A move has a few bytes; what is longer is none.
_LONGEST = 2**16


class GgpSeat(ABC):
    """One player of a match. Every call may raise GdlError; the match continues without it."""

    def __init__(self, name: str) -> None:
        # The player, as it was written.
        self.name = name

    def knows_plain_rules_only(self) -> bool:
        """Tell whether the player may know no more than plain GDL."""
        return False

    @abstractmethod
    def start(self, start: Start) -> None:
        """Begin the match; return when the player is ready. Raises LateError or AgentError."""

    @abstractmethod
    def play(self, news: News) -> str:
        """Return the player's move as text. Raises LateError or AgentError."""

    @abstractmethod
    def stop(self, news: News) -> None:
        """End the match."""


class LocalSeat(GgpSeat):
    """An agent of ours, in this process."""

    def __init__(self, agent: str, seed: int) -> None:
        super().__init__(agent)
        self._seed = seed
        self._match: PlayerMatch | None = None

    def start(self, start: Start) -> None:
        """Have the agent get ready."""
        self._match = PlayerMatch(self.name, start, self._seed)
        self._match.begin()

    def play(self, news: News) -> str:
        """Ask the agent."""
        if self._match is None:
            raise AgentError(f'{self.name} could not begin')
        return self._match.choose(news)

    def stop(self, news: News) -> None:
        """Release the agent."""
        if self._match is not None:
            self._match.stop()


class RemoteSeat(GgpSeat):
    """A GGP player at an address, such as `http://localhost:9147`."""

    def __init__(self, url: str, patience: float = 0.0) -> None:
        """Take the address. Raises AgentError if it is none.

        - patience: how much longer than the clocks say an answer is waited for [s]
        """
        super().__init__(url)
        self._patience = patience
        parts = urlsplit(url)
        if parts.scheme not in {'http', 'https'} or not parts.hostname:
            raise AgentError(f'{url!r} is no address of a player, such as http://localhost:9147')
        self._is_secure = parts.scheme == 'https'
        self._host = parts.hostname
        try:
            self._port = parts.port or (443 if self._is_secure else 80)
        except ValueError as error:
            raise AgentError(f'{url!r}: {error}') from error
        self._path = parts.path or '/'
        self._start: Start | None = None

    def knows_plain_rules_only(self) -> bool:
        """Ask the player by INFO: those of ours name their language."""
        try:
            return LANGUAGE not in self._send(Info(), _INFO_CLOCK)
        except AgentError:
            return True

    def start(self, start: Start) -> None:
        """Send START; anything but `busy` counts as ready, as GGP-Base has it."""
        self._start = start
        reply = self._send(start, start.start_clock)
        if reply.lower() == 'busy':
            self._start = None
            raise AgentError(f'{self.name} is busy')

    def play(self, news: News) -> str:
        """Send PLAY."""
        start = self._begun()
        return self._send(Play(start.match, news), start.play_clock)

    def stop(self, news: News) -> None:
        """Send STOP."""
        start = self._begun()
        self._send(Stop(start.match, news), start.play_clock)

    def abort(self) -> None:
        """Send ABORT: the match ends, and how is not announced."""
        start = self._begun()
        self._start = None
        self._send(Abort(start.match), start.play_clock)

    def _begun(self) -> Start:
        if self._start is None:
            raise AgentError(f'{self.name} could not begin')
        return self._start

    def _send(self, message: Message, clock: float) -> str:
        kind = HTTPSConnection if self._is_secure else HTTPConnection
        seconds = clock + self._patience
        connection = kind(self._host, self._port, timeout=seconds or None)
        try:
            connection.request('POST', self._path, write_message(message).encode(), _CONTENT)
            response = connection.getresponse()
            text = response.read(_LONGEST).decode('utf-8', 'replace').strip()
        except TimeoutError as error:
            raise LateError(f'{self.name} did not answer within {seconds:g} s') from error
        except (OSError, HTTPException) as error:
            raise AgentError(f'{self.name} cannot be reached: {error}') from error
        finally:
            connection.close()
        if response.status != 200:
            raise ProtocolError(f'{self.name} answered {response.status}: {shorten(text)}')
        return text


def open_seat(text: str, seed: int) -> GgpSeat:
    """Return the player that a text names: an address, or an agent of ours."""
    return RemoteSeat(text) if '://' in text else LocalSeat(text, seed)
