"""What a viewer has received, tick by tick: kept as bytes, and unpacked when a page shows it.

A match may run at thousands of ticks a second, and a page shows some thirty: most of what comes
is never unpacked. The number of frames is bounded, and so is the memory.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
import re
import struct
import threading
from time import monotonic
from typing import Any

from gdl_msgs.msg import GameInfo, Reward, Spectator, State
import numpy as np
from rclpy.serialization import deserialize_message

from gdl_env.ros.transport.cdr import read_tick
from gdl_env.ros.transport.messages import WireError, from_duration

# Frames that are kept of one match, for looking back.
KEPT = 1000
# Within this time a view of some ticks ago was overtaken; later it is of a match that has started
# again, which takes longer [s].
_OVERTAKING = 2.0
_OVERTAKEN = 3
# Topics have no order among each other [s].
_JUST_NOW = 1.0
_RENEWED = 20.0
# Spectators are shown a tick that has no stamp.
_TICK = struct.Struct('<4xQ')
_SEES = re.compile(r'^\(sees \(')


@dataclass(frozen=True)
class Frame:
    """One view of one lane at one time."""

    tick: int
    episode: int
    facts: tuple[str, ...]
    # The legal moves of the viewer; none if it has nothing to decide.
    legal: tuple[str, ...] = ()
    is_to_move: bool = False
    # Roles that are to move, as far as that may be known.
    movers: tuple[str, ...] = ()
    # The last move of each role, as far as it may be known; and the goals of what ended.
    moves: dict[str, str] = field(default_factory=dict)
    goals: dict[str, int] = field(default_factory=dict)
    # The last position of an episode; what follows belongs to the next one.
    is_final: bool = False
    # When the time to answer is up, by our own clock; 0: there is no limit.
    deadline: float = 0.0
    # Whether the viewer sees everything there is.
    is_all: bool = False


@dataclass(frozen=True)
class _Entry:
    kind: type
    tick: int
    data: bytes
    received: float
    # Of a final frame, which is made from a reward.
    frame: Frame | None = None


class Frames:
    """The newest frames of one viewer; written by the thread of ROS, read by pages."""

    def __init__(self, kept: int = KEPT, *, lead: int = 0) -> None:
        # Frames that follow the end of tick t have the tick t + lead.
        self._lead = lead
        self._entries: deque[_Entry] = deque(maxlen=kept)
        self._lock = threading.Lock()
        # Rises with everything that comes; pages look at it to see whether there is news.
        self.version = 0
        # Number of frames that came, those that are forgotten too.
        self.count = 0
        # When ticks began to be counted from 1 again, if the match is not known yet.
        self._renewed = 0.0

    def add(self, kind: type, data: bytes, *, is_view: bool = False) -> int:
        """Take in a message as it came, and return its tick.

        A question that is asked again replaces itself. Views have a topic of their own, and topics
        have no order among each other: an old one may come after a question.
        """
        tick = _read_tick(kind, data)
        entry = _Entry(kind, tick, data, monotonic())
        with self._lock:
            last = self._entries[-1] if self._entries else None
            if last is not None and last.tick > tick:
                is_late = entry.received - last.received < _OVERTAKING
                if is_view and is_late and last.tick - tick <= _OVERTAKEN:
                    return tick
                # Whoever sends it has started again, and counts from the beginning.
                self._entries.clear()
                self._renewed = entry.received
            elif last is not None and last.tick == tick and _is_repeated(last, entry):
                self._entries.pop()
                self.count -= 1
            self._append(entry)
        return tick

    def add_final(self, frame: Frame) -> None:
        """Take in the last position of an episode, before what came after it."""
        entry = _Entry(Reward, frame.tick, b'', monotonic(), frame)
        with self._lock:
            if self._entries and self._entries[-1].tick >= frame.tick + self._lead:
                last = self._entries.pop()
                self.count -= 1
                self._append(entry)
                self._append(last)
            else:
                self._append(entry)

    def forget(self) -> None:
        """Forget what is of another match.

        What came just now belongs to this one already, and what counts from the beginning since.
        """
        now = monotonic()
        with self._lock:
            oldest = now - _JUST_NOW
            if now - self._renewed < _RENEWED:
                oldest = min(oldest, self._renewed)
            while self._entries and self._entries[0].received < oldest:
                self._entries.popleft()
            self.version += 1

    @property
    def span(self) -> tuple[int, int]:
        """Return the numbers of the first frame that is kept, and of the last; (0, -1): none."""
        with self._lock:
            return self.count - len(self._entries), self.count - 1

    def get(self, number: int, info: GameInfo) -> Frame | None:
        """Return a frame by its number; None if it is forgotten, still to come or damaged."""
        with self._lock:
            index = number - (self.count - len(self._entries))
            if not 0 <= index < len(self._entries):
                return None
            entry = self._entries[index]
            before = self._entries[index - 1].frame if index else None
            is_last = index + 1 == len(self._entries)
            after = None if is_last else self._entries[index + 1]
        try:
            if entry.frame is not None:
                return _with_result(entry.frame, after, info)
            frame = unpack(entry.kind, entry.data, entry.received, info)
        # Any program can publish anything; the page shows what comes next.
        except Exception:
            return None
        if before is not None and before.episode < frame.episode:
            # What it tells of the end belongs to the game before.
            return replace(frame, goals={}, moves={})
        return frame

    def newest(self, info: GameInfo) -> Frame | None:
        """Return the newest frame."""
        return self.get(self.count - 1, info)

    def _append(self, entry: _Entry) -> None:
        self._entries.append(entry)
        self.count += 1
        self.version += 1


def _read_tick(kind: type, data: bytes) -> int:
    """Return the tick of a message that was not unpacked; 0 if it has none."""
    try:
        return read_tick(data) if kind is State else int(_TICK.unpack_from(data)[0])
    except (WireError, struct.error):
        return 0


def _is_repeated(last: _Entry, entry: _Entry) -> bool:
    """Tell whether something was only said again.

    A role's tick is one question, however often it is asked; what it sees may change before, while
    others decide. Where moves are hidden, spectators see positions change while their tick stays
    the same.
    """
    if last.frame is not None or last.kind is not entry.kind:
        return False
    if last.data == entry.data:
        return True
    if entry.kind is State:
        return _read_view(last.data) == _read_view(entry.data)
    # What is left free between the fields of a message may hold anything.
    return bool(
        deserialize_message(last.data, last.kind) == deserialize_message(entry.data, entry.kind)
    )


def _read_view(data: bytes) -> tuple[tuple[str, ...], bytes]:
    """Return what a role sees, of a message as it came."""
    try:
        message = deserialize_message(data, State)
    # Any program can publish anything; what cannot be read is like nothing else.
    except Exception:
        return (), data
    return tuple(message.facts), bytes(message.observation)


def unpack(kind: type, data: bytes, received: float, info: GameInfo) -> Frame:
    """Return a message of a viewer as a frame of lane 0."""
    message = deserialize_message(data, kind)
    if kind is Spectator:
        return _from_spectator(message, info)
    return _from_state(message, received, info)


def _with_result(frame: Frame, after: _Entry | None, info: GameInfo) -> Frame:
    """Complete the end of a game with what is sent after it.

    Spectators receive results together with the next position. A match that is over shows roles
    its end once more, where facts are not sorted into classes for learning.
    """
    if after is None or after.frame is not None:
        return frame
    told = unpack(after.kind, after.data, after.received, info)
    if after.kind is State:
        is_end = told.episode == frame.episode and not told.is_to_move
        return replace(frame, facts=told.facts) if is_end else frame
    if told.tick != frame.tick:
        return frame
    return replace(frame, goals=told.goals or frame.goals, moves=told.moves or frame.moves)


def final_frame(message: Reward, info: GameInfo, goals: dict[str, int]) -> Frame | None:
    """Return the last position of the episode that a reward tells of; None if it continued."""
    if not message.terminated or not (message.terminated[0] | message.truncated[0]) & 1:
        return None
    facts = visible(message.final_observation, info, message.role)
    moves = {message.role: message.move} if message.move else {}
    return Frame(
        tick=message.tick,
        episode=int(message.episode[0]),
        facts=facts,
        moves=moves,
        goals=goals,
        is_final=True,
    )


def visible(observation: Any, info: GameInfo, role: str = '') -> tuple[str, ...]:
    """Return the facts of lane 0 by the table of `info`, as its messages write them for a role.

    The table is that of all roles, so it does not name the one that sees `(sees (card king))`.
    """
    facts = _by_table(observation, info.facts)
    if not role:
        return facts
    return tuple(_SEES.sub(f'(sees {role} (', fact) for fact in facts)


def _by_table(packed: Any, names: Any) -> tuple[str, ...]:
    width = -(-len(names) // 8)
    row = np.frombuffer(packed, np.uint8)[:width] if len(packed) else np.zeros(0, np.uint8)
    bits = np.unpackbits(row, bitorder='little')[: len(names)]
    return tuple(names[index] for index in np.flatnonzero(bits))


def _from_state(message: State, received: float, info: GameInfo) -> Frame:
    time_left = from_duration(message.time_left)
    is_to_move = bool(message.to_move and message.to_move[0] & 1)
    legal = tuple(message.legal_moves)
    if not legal and is_to_move:
        legal = _by_table(message.legal, info.moves)
    return Frame(
        tick=message.tick,
        episode=int(message.episode[0]) if message.episode else 0,
        facts=tuple(message.facts) or visible(message.observation, info, message.role),
        legal=legal,
        is_to_move=is_to_move,
        movers=(message.role,) if is_to_move else (),
        deadline=received + time_left if time_left and is_to_move else 0.0,
    )


def _from_spectator(message: Spectator, info: GameInfo) -> Frame:
    lanes = max(1, message.lanes)
    width = -(-lanes // 8)
    movers = tuple(
        role
        for index, role in enumerate(info.roles)
        if len(message.to_move) > index * width and message.to_move[index * width] & 1
    )
    goals = {
        role: int(message.goal[index * lanes])
        for index, role in enumerate(info.roles)
        if len(message.goal) > index * lanes and message.goal[index * lanes] != Spectator.GOAL_NONE
    }
    moves = {role: move for role, move in zip(info.roles, message.moves, strict=False) if move}
    return Frame(
        tick=message.tick,
        episode=int(message.episode[0]) if message.episode else 0,
        facts=tuple(message.facts) or visible(message.observation, info),
        movers=movers,
        moves=moves,
        goals=goals,
        is_all=message.view == Spectator.VIEW_ALL,
    )
