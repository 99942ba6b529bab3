"""Questions and answers ↔ the bytes of their messages, without message objects in between.

These two travel in every tick. The way through a message of Python and its conversion costs more
than the rest of a small game's tick. The bytes are those of State and Action in CDR, the
encoding of DDS, so that every other node reads and writes ordinary messages. What comes in another
encoding, or seems damaged, is left to the middleware and to messages.py, which say what is wrong.
"""

from __future__ import annotations

from functools import lru_cache
import struct
from struct import Struct
from typing import Any

from gdl_msgs.msg import Action, State
import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message

from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.ros.transport.messages import WireError, from_action, from_state, split_duration

# Plain CDR, least significant byte first. Places are counted from after these four bytes.
_HEADER = b'\x00\x01\x00\x00'
_UINT32 = Struct('<I')
_UINT64 = Struct('<Q')
_DURATION = Struct('<iI')
# A text or list that claims to be longer is garbage [bytes].
_MOST = 2**30
# Answers and texts up to here are remembered [bytes].
_SHORT = 256
# Whether the only lane has something to decide.
_MOVES = (np.zeros(1, np.bool_), np.ones(1, np.bool_))
for _mask in _MOVES:
    _mask.flags.writeable = False


class _DamagedError(ValueError):
    """Bytes are not what they should be."""


def pack_question(question: Question, time_left: float = 0.0) -> bytes:
    """Return the bytes of the State that asks a question; time as in to_duration."""
    facts, moves = question.facts, question.legal_moves
    parts = [
        _HEADER,
        _UINT64.pack(question.tick),
        _asked(question.role, len(question.to_move)),
        question.episode.astype(np.uint64, copy=False).tobytes(),
        _bytes(_pack_mask(question.to_move)),
        _bits(question.observation),
        _bits(question.legal),
        _DURATION.pack(*split_duration(time_left)),
        _pack_texts(facts),
        _pack_texts(moves),
    ]
    return b''.join(parts)


def unpack_question(data: bytes, info: MatchInfo) -> Question:
    """Read the bytes of a State. Raises WireError if it does not fit the match, or is garbage."""
    try:
        return _read_question(data, info)
    except (ValueError, struct.error):
        return from_state(_message(data, State), info)


def pack_answer(answer: Answer) -> bytes:
    """Return the bytes of the Action that answers a question."""
    action = b'' if answer.action is None else answer.action.astype(np.int32, copy=False).tobytes()
    preference = b''
    if answer.preference is not None:
        preference = answer.preference.astype(np.float32, copy=False).tobytes()
    parts = [
        _HEADER,
        _UINT64.pack(answer.tick),
        _text(answer.role),
        _text(answer.agent),
        _UINT32.pack(len(action) // 4),
        action,
        _UINT32.pack(len(answer.moves)),
        *map(_text, answer.moves),
        _UINT32.pack(len(preference) // 4),
        preference,
    ]
    return b''.join(parts)


def unpack_answer(data: bytes, info: MatchInfo) -> Answer:
    """Read the bytes of an Action. Raises WireError if it does not fit the match, or is garbage.

    Whether its moves are legal is for the match to say.
    """
    try:
        # Agents of one lane say the same things again and again.
        read = _read_known_answer if len(data) < _SHORT else _read_answer
        role, agent, action = read(data[:4] + bytes(8) + data[12:])
    except (ValueError, struct.error):
        return from_action(read_action(data), info)
    if not agent or len(action) != info.lanes or not info.action_size:
        return from_action(read_action(data), info)
    return Answer(int.from_bytes(data[4:12], 'little'), role, agent, action)


def read_tick(data: bytes) -> int:
    """Return the tick of an answer that was not unpacked. Raises WireError for garbage."""
    if len(data) < 12 or data[1] > 1:
        raise WireError(f'{len(data)} bytes that are no answer')
    return int.from_bytes(data[4:12], 'little' if data[1] else 'big')


def read_action(data: bytes) -> Action:
    """Unpack an answer as a message. Raises WireError for garbage."""
    return _message(data, Action)


def _read_question(data: bytes, info: MatchInfo) -> Question:
    """Read a State that fits the match: messages.py says what is wrong with others.

    Raises struct.error or ValueError where something does not fit.
    """
    length = int.from_bytes(data[12:16], 'little')
    if length > len(data):
        raise _DamagedError('cut off')
    lanes = info.lanes
    fields, expected, (at_episode, at_to_move, at_seen, at_legal), end = _layout(
        length, lanes, info.observation_size, info.action_size
    )
    header, tick, _, text, *found, seconds, nanoseconds = fields.unpack_from(data)
    role = _decode(text[:-1])
    if header != _HEADER or found != expected or role not in info.roles:
        raise _DamagedError('another match')
    if lanes == 1:
        to_move = _MOVES[data[at_to_move] & 1]
    else:
        packed = np.frombuffer(data, np.uint8, -(-lanes // 8), at_to_move)
        to_move = np.unpackbits(packed, count=lanes, bitorder='little').view(np.bool_)
    facts, moves = _unpack_texts(data[end:])
    return Question(
        tick,
        role,
        np.frombuffer(data, np.uint64, lanes, at_episode),
        to_move,
        _read_rows(data, at_seen, lanes, info.observation_size),
        _read_rows(data, at_legal, lanes, info.action_size),
        max(0.0, seconds + nanoseconds / 1_000_000_000),
        facts,
        moves,
    )


@lru_cache(maxsize=1024)
def _layout(
    length: int, lanes: int, observation_size: int, action_size: int
) -> tuple[Struct, list[int], list[int], int]:
    """Return where things are in a State: numbers and role, what some must be, arrays, texts.

    `length` is that of the role's text, with the zero at its end.
    """
    width = -(-lanes // 8)
    sizes = [width, lanes * -(-observation_size // 8), lanes * -(-action_size // 8)]
    words = f'<4sQI{length}s{-length % 4}xII'
    at = struct.calcsize(words)
    # Numbers of eight bytes are aligned to the end of the header.
    gap = (4 - at) % 8
    places = [at + gap]
    words += f'{gap + 8 * lanes}x'
    for size in sizes:
        words += 'I'
        places.append(struct.calcsize(words))
        words += f'{size + -size % 4}x'
    words += 'iI'
    return Struct(words), [lanes, lanes, *sizes], places, struct.calcsize(words)


def _read_rows(data: bytes, at: int, lanes: int, size: int) -> Bits | None:
    """Return rows of bits, None for none."""
    if not size:
        return None
    width = -(-size // 8)
    return Bits(np.frombuffer(data, np.uint8, lanes * width, at).reshape(lanes, width), size)


def _read_answer(data: bytes) -> tuple[str, str, NDArray[np.int32]]:
    return _Reader(data).answer()


_read_known_answer = lru_cache(maxsize=8192)(_read_answer)


class _Reader:
    """Reads fields one after the other. Raises struct.error or _DamagedError where they end."""

    def __init__(self, data: bytes) -> None:
        if data[:4] != _HEADER:
            raise _DamagedError('another encoding')
        self._data = data
        self._at = 4

    def answer(self) -> tuple[str, str, NDArray[np.int32]]:
        """Read role, agent and actions of an Action by index; others are for messages.py."""
        self._uint64()
        role = self._text()
        agent = self._text()
        action = self._array(np.dtype(np.int32), 4)
        if self._uint32() or self._uint32():
            raise _DamagedError('of another kind')
        return role, agent, action

    # ---- fields

    def _align(self, size: int) -> None:
        self._at += (4 - self._at) % size

    def _uint64(self) -> int:
        self._align(8)
        (number,) = _UINT64.unpack_from(self._data, self._at)
        self._at += 8
        return int(number)

    def _uint32(self) -> int:
        at = self._at + -self._at % 4
        (number,) = _UINT32.unpack_from(self._data, at)
        self._at = at + 4
        return int(number)

    def _text(self) -> str:
        length = self._uint32()
        start, end = self._at, self._at + length
        # The last byte is a zero.
        if not 0 < length < _MOST or end > len(self._data):
            raise _DamagedError('cut off')
        self._at = end
        data = self._data[start : end - 1]
        # Long ones are not cached: a client that invents them would fill the memory.
        return _decode(data) if length < _SHORT else data.decode()

    def texts(self) -> tuple[str, ...]:
        """Read a list of texts."""
        count = self._uint32()
        if count > len(self._data):
            raise _DamagedError('cut off')
        return tuple([self._text() for _ in range(count)])

    def _array(self, dtype: np.dtype[Any], size: int) -> NDArray[Any]:
        count = self._uint32()
        if not count:
            return np.empty(0, dtype)
        self._align(size)
        start = self._at
        self._at += count * size
        if count > _MOST or self._at > len(self._data):
            raise _DamagedError('cut off')
        found: NDArray[Any] = np.frombuffer(self._data, dtype, count, start)
        return found


@lru_cache(maxsize=65_536)
def _text(text: str) -> bytes:
    """Return a text, filled up so that a number of four bytes can follow."""
    data = text.encode()
    return _UINT32.pack(len(data) + 1) + data + bytes(1 + (-len(data) - 1) % 4)


@lru_cache(maxsize=65_536)
def _decode(data: bytes) -> str:
    return data.decode()


# Small games show the same again and again.
@lru_cache(maxsize=1024)
def _pack_texts(texts: tuple[str, ...]) -> bytes:
    return _UINT32.pack(len(texts)) + b''.join(map(_text, texts))


@lru_cache(maxsize=1024)
def _unpack_texts(data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read the two lists at the end of a State."""
    reader = _Reader(_HEADER + data)
    return reader.texts(), reader.texts()


@lru_cache(maxsize=1024)
def _asked(role: str, lanes: int) -> bytes:
    """Return what lies between tick and episodes."""
    middle = _text(role) + _UINT32.pack(lanes) + _UINT32.pack(lanes)
    return middle + bytes(-(8 + len(middle)) % 8)


def _pack_mask(mask: NDArray[np.bool_]) -> bytes:
    if len(mask) == 1:
        return b'\x01' if mask[0] else b'\x00'
    return np.packbits(mask, bitorder='little').tobytes()


def _bytes(data: bytes) -> bytes:
    return _UINT32.pack(len(data)) + data + bytes(-len(data) % 4)


def _bits(bits: Bits | None) -> bytes:
    return _bytes(b'' if bits is None else bits.to_bytes())


def _message(data: bytes, kind: type) -> Any:
    try:
        return deserialize_message(data, kind)
    except Exception as error:  # Whatever the middleware makes of garbage.
        raise WireError(f'bytes that are no {kind.__name__}: {error}') from error
