"""The messages of the GGP protocol, read and written.

START, PLAY and STOP are those of Kulick, Block and Rojas (2009) and of the Stanford servers; INFO,
PREVIEW and ABORT are those of GGP-Base. Where a game hides moves (GDL-II), PLAY and STOP have four
parts: match, turn, the player's own last move, and its percepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gdl_agents.ggp.lists import ProtocolError, shorten, split_list

READY, BUSY, DONE, ABORTED = 'ready', 'busy', 'done', 'aborted'
AVAILABLE = 'available'
NIL = 'NIL'
# In the answer to INFO: this player reads types, arithmetic and all else that our games have.
LANGUAGE = '(language gdl_env)'
_KNOWN = 'INFO, PREVIEW, START, PLAY, STOP, ABORT'


@dataclass(frozen=True)
class Info:
    """Asks whether a player is there."""


@dataclass(frozen=True)
class Preview:
    """Shows the rules of a match that may come."""

    rules: str
    # Seconds.
    clock: float


@dataclass(frozen=True)
class Start:
    """Begins a match."""

    match: str
    role: str
    # The rules as the text of a rule file.
    rules: str
    # Seconds.
    start_clock: float
    play_clock: float


@dataclass(frozen=True)
class News:
    """What a player learns of the last step."""

    # The move of every role, in the order of the rules; () before the first step.
    moves: tuple[str, ...] = ()
    # In a game that hides moves: what was perceived. None in all others.
    percepts: tuple[str, ...] | None = None
    # And the player's own move, '' before the first step; and the number of steps so far.
    own: str = ''
    turn: int = 0


@dataclass(frozen=True)
class Play:
    """Asks for a move."""

    match: str
    news: News


@dataclass(frozen=True)
class Stop:
    """Ends a match."""

    match: str
    news: News


@dataclass(frozen=True)
class Abort:
    """Breaks a match off."""

    match: str


Message: TypeAlias = Info | Preview | Start | Play | Stop | Abort


def read_message(text: str) -> Message:
    """Read a message. Raises ProtocolError, with what is expected, if it is none."""
    parts = split_list(text)
    if not parts:
        raise ProtocolError(f'an empty message; messages: {_KNOWN}')
    word, rest = parts[0].upper(), parts[1:]
    if word == 'INFO':
        return Info()
    if word == 'ABORT' and len(rest) == 1:
        return Abort(rest[0])
    if word == 'PREVIEW' and len(rest) == 2:
        return Preview(_read_rules(rest[0]), _read_clock(rest[1]))
    if word == 'START' and len(rest) == 5:
        match, role, rules, start, play = rest
        return Start(
            match, role.lower(), _read_rules(rules), _read_clock(start), _read_clock(play)
        )
    if word in {'PLAY', 'STOP'} and len(rest) in {2, 4}:
        kind = Play if word == 'PLAY' else Stop
        return kind(rest[0], _read_news(rest[1:]))
    if word in _KNOWN.split(', '):
        raise ProtocolError(f'{word} with {len(rest)} parts: {shorten(text)!r}')
    raise ProtocolError(f'no message {parts[0]!r}; messages: {_KNOWN}')


def write_message(message: Message) -> str:
    """Write a message as it travels."""
    match message:
        case Info():
            return '(INFO)'
        case Abort(match):
            return f'(ABORT {match})'
        case Preview(rules, clock):
            return f'(PREVIEW ({_join_lines(rules)}) {clock:g})'
        case Start(match, role, rules, start, play):
            return f'(START {match} {role} ({_join_lines(rules)}) {start:g} {play:g})'
        case Play(match, news):
            return f'(PLAY {match} {_write_news(news)})'
        case Stop(match, news):
            return f'(STOP {match} {_write_news(news)})'


def _read_rules(text: str) -> str:
    return '\n'.join(split_list(text))


def _join_lines(rules: str) -> str:
    """Return rules without comments, in one line."""
    return ' '.join(split_list(f'({rules}\n)'))


def _read_clock(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise ProtocolError(f'a clock is a number of seconds, not {shorten(text)!r}') from None
    if not 0 <= seconds < float('inf'):
        raise ProtocolError(f'a clock is 0 seconds or more, not {text}')
    return seconds


def _read_news(parts: Sequence[str]) -> News:
    if len(parts) == 1:
        return News(split_list(parts[0]))
    turn, own, percepts = parts
    if not turn.isdecimal():
        raise ProtocolError(f'a turn is a number, not {shorten(turn)!r}')
    own = '' if own.upper() == NIL else own
    return News(percepts=split_list(percepts), own=own, turn=int(turn))


def _write_news(news: News) -> str:
    if news.percepts is None:
        return _write_list(news.moves)
    return f'{news.turn} {news.own or NIL} {_write_list(news.percepts)}'


def _write_list(items: Sequence[str]) -> str:
    return f'({" ".join(items)})' if items else NIL
