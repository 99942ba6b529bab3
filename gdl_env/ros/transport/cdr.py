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
from typing import Any, Literal

from gdl_msgs.msg import Action, State
import numpy as np
from numpy.typing import NDArray
from rclpy.serialization import deserialize_message

from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.ros.transport.messages import (
    BILLION,
    WireError,
    from_action,
    from_state,
    split_duration,
)

# Plain CDR, least significant byte first. Places are counted from after these four bytes.
_HEADER = b'\x00\x01\x00\x00'
_UINT32 = Struct('<I')
_DURATION = Struct('<iI')
# What States and Actions begin with: the encoding, the stamp, an empty `frame_id`, the tick.
_BEGINNING = Struct('<4siII4xQ')
_NO_FRAME = 1
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


def pack_question(
    question: Question, time_left: float = 0.0, *, agent: str = '', stamp: int = 0
) -> bytes:
    """Return the bytes of the State that asks an agent a question; time as in to_duration.

    Agent and stamp are those of the fields of Question.
    """
    facts, moves = question.facts, question.legal_moves
    parts = [
        _begin(question.tick, stamp),
        _asked(question.role, agent, len(question.to_move)),
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


def pack_answer(answer: Answer, stamp: int = 0) -> bytes:
    """Return the bytes of the Action that answers a question with this stamp."""
    action = b'' if answer.action is None else answer.action.astype(np.int32, copy=False).tobytes()
    preference = b''
    if answer.preference is not None:
        preference = answer.preference.astype(np.float32, copy=False).tobytes()
    parts = [
        _begin(answer.tick, stamp),
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
        header, _, _, frame, tick = _BEGINNING.unpack_from(data)
        if header != _HEADER or frame != _NO_FRAME:
            raise _DamagedError('of another kind')
        # Agents of one lane say the same things again and again.
        read = _read_known_answer if len(data) < _SHORT else _read_answer
        role, agent, action = read(data[_BEGINNING.size :])
    except (ValueError, struct.error):
        return from_action(read_action(data), info)
    if not agent or len(action) != info.lanes or not info.action_size:
        return from_action(read_action(data), info)
    return Answer(tick, role, agent, action)


def read_stamp(data: bytes) -> int:
    """Return the stamp of a State or Action that was not unpacked [ns]; 0 for another encoding."""
    if data[:4] != _HEADER or len(data) < _BEGINNING.size:
        return 0
    seconds, rest = _DURATION.unpack_from(data, 4)
    return int(seconds) * BILLION + int(rest)


def read_tick(data: bytes) -> int:
    """Return the tick of a State or Action that was not unpacked. Raises WireError for garbage."""
    if len(data) >= _BEGINNING.size and data[1] <= 1:
        order: Literal['little', 'big'] = 'little' if data[1] else 'big'
        at = find_tick(int.from_bytes(data[12:16], order))
        if at + 8 <= len(data):
            return int.from_bytes(data[at : at + 8], order)
    raise WireError(f'{len(data)} bytes that are not an answer')


def find_tick(frame: int) -> int:
    """Return where the tick is, by the length of `frame_id` with the zero at its end."""
    # After the encoding and the stamp; aligned to the end of the encoding.
    return 4 + (8 + 4 + frame + 7) // 8 * 8


def read_action(data: bytes) -> Action:
    """Unpack an answer as a message. Raises WireError for garbage."""
    return _message(data, Action)


def _read_question(data: bytes, info: MatchInfo) -> Question:
    """Read a State that fits the match: messages.py says what is wrong with others.

    Raises struct.error or ValueError where something does not fit.
    """
    length = int.from_bytes(data[28:32], 'little')
    if length > len(data):
        raise _DamagedError('cut off')
    at = 32 + length + -length % 4
    addressed = int.from_bytes(data[at : at + 4], 'little')
    if addressed > len(data):
        raise _DamagedError('cut off')
    lanes = info.lanes
    fields, expected, (at_episode, at_to_move, at_seen, at_legal), end = _layout(
        length, addressed, lanes, info.observation_size, info.action_size
    )
    header, stamp, rest, frame, tick, _, text, _, agent, *found, seconds, nanoseconds = (
        fields.unpack_from(data)
    )
    role = _decode(text[:-1])
    is_known = header == _HEADER and frame == _NO_FRAME
    if not is_known or found != expected or role not in info.roles:
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
        _decode(agent[:-1]),
        stamp * BILLION + rest,
        info.first_lane,
    )


@lru_cache(maxsize=1024)
def _layout(
    length: int, addressed: int, lanes: int, observation_size: int, action_size: int
) -> tuple[Struct, list[int], list[int], int]:
    """Return where things are in a State: numbers and names, what some must be, arrays, texts.

    The first two are the lengths of the texts of role and agent, with the zero at their ends.
    """
    width = -(-lanes // 8)
    sizes = [width, lanes * -(-observation_size // 8), lanes * -(-action_size // 8)]
    words = f'{_BEGINNING.format}I{length}s{-length % 4}xI{addressed}s{-addressed % 4}xII'
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
        """Begin where a number of eight bytes could be."""
        self._data = data
        self._at = 0

    def answer(self) -> tuple[str, str, NDArray[np.int32]]:
        """Read what follows the tick of an Action by index; others are for messages.py."""
        role = self._text()
        agent = self._text()
        action = self._actions()
        if self._uint32() or self._uint32():
            raise _DamagedError('of another kind')
        return role, agent, action

    # ---- fields

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

    def _actions(self) -> NDArray[np.int32]:
        count = self._uint32()
        if not count:
            return np.empty(0, np.int32)
        start = self._at
        self._at += 4 * count
        if count > _MOST or self._at > len(self._data):
            raise _DamagedError('cut off')
        return np.frombuffer(self._data, np.int32, count, start)


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
    reader = _Reader(data)
    return reader.texts(), reader.texts()


def _begin(tick: int, stamp: int) -> bytes:
    """Return what a message begins with, up to the tick."""
    seconds, rest = divmod(stamp, BILLION)
    return _BEGINNING.pack(_HEADER, seconds, rest, _NO_FRAME, tick)


@lru_cache(maxsize=1024)
def _asked(role: str, agent: str, lanes: int) -> bytes:
    """Return what lies between tick and episodes."""
    middle = _text(role) + _text(agent) + _UINT32.pack(lanes) + _UINT32.pack(lanes)
    return middle + bytes(-len(middle) % 8)


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
