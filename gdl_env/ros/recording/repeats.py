"""Separates ticks that were recorded already from new ones, when an environment resumes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Generic, TypeVar
import zlib

from gdl_env.environment.trace import REPEATED

T = TypeVar('T')

# Ticks that are remembered, over all lanes; an environment that resumes repeats fewer.
_MEMORY = REPEATED + 2


class Repeats(Generic[T]):
    """What happened in one lane, tick after tick.

    A killed environment that resumes repeats its last ticks, since it cannot know which of
    them were heard. One that begins again counts from the start again, and may even begin with the
    same lines; so what goes back at the beginning of a run is held until it is either past the
    last tick, and was a repeat, or differs, and was new.
    """

    def __init__(self) -> None:
        # By tick: a checksum of its lines.
        self._known: dict[int, int] = {}
        self._last = -1
        self._held: list[tuple[int, int, T]] = []
        self._may_repeat = False

    def begin_run(self) -> None:
        """Expect what an environment repeats that was started again."""
        self._may_repeat = True

    def remember(self, tick: int, checksum: int) -> None:
        """Take a tick as recorded."""
        # The newest is last, also if the number was there before.
        self._known.pop(tick, None)
        self._known[tick] = checksum
        while len(self._known) > _MEMORY:
            del self._known[next(iter(self._known))]
        self._last = tick

    def add(self, tick: int, checksum: int, item: T) -> list[tuple[int, int, T]]:
        """Take what came; return what is to be written now: ticks, checksums, items."""
        if self._may_repeat and tick <= self._last and self._known.get(tick) == checksum:
            self._held.append((tick, checksum, item))
            return []
        new = [] if tick > self._last else self._held
        self._held, self._may_repeat = [], False
        new.append((tick, checksum, item))
        for number, known, _ in new:
            self.remember(number, known)
        return new


class LaneRepeats(Generic[T]):
    """The same for all lanes. Its memory can be kept for a recorder that is restarted."""

    def __init__(self, memory: Sequence[int] = ()) -> None:
        """Begin with what `memory` returned."""
        self._lanes: dict[int, Repeats[T]] = {}
        self._recent: deque[tuple[int, int, int]] = deque(maxlen=_MEMORY)
        for lane, tick, checksum in zip(memory[::3], memory[1::3], memory[2::3], strict=True):
            self._recent.append((lane, tick, checksum))
            self._lanes.setdefault(lane, Repeats()).remember(tick, checksum)

    @property
    def memory(self) -> list[int]:
        """Return the last ticks that were recorded: lane, tick, checksum of each."""
        return [number for entry in self._recent for number in entry]

    def begin_run(self) -> None:
        """Expect what an environment repeats that was started again."""
        for lane in self._lanes.values():
            lane.begin_run()

    def add(self, lane: int, tick: int, lines: Sequence[str], item: T) -> list[T]:
        """Take what came; return what is to be written now."""
        checksum = zlib.crc32('\n'.join(lines).encode())
        new = self._lanes.setdefault(lane, Repeats()).add(tick, checksum, item)
        self._recent.extend((lane, number, known) for number, known, _ in new)
        return [item for _, _, item in new]
