"""Tells what was recorded already from what is new, when an environment comes back."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar('T')

# Ticks that are remembered; an environment that goes on repeats fewer.
_MEMORY = 64


class Repeats(Generic[T]):
    """What happened in one lane, tick after tick.

    An environment that was killed and goes on repeats its last ticks, since nobody knows which of
    them were heard. One that begins anew counts from the start again, and may even begin with the
    same lines; so what goes back is held until it is either past the last tick, and was a repeat,
    or differs, and was new.
    """

    def __init__(self) -> None:
        self._known: deque[tuple[int, tuple[str, ...]]] = deque(maxlen=_MEMORY)
        self._held: list[tuple[int, tuple[str, ...], T]] = []

    def add(self, tick: int, lines: tuple[str, ...], item: T) -> list[T]:
        """Take what came; return what is to be written now."""
        last = self._known[-1][0] if self._known else -1
        if tick <= last and (tick, lines) in self._known:
            self._held.append((tick, lines, item))
            return []
        new = [] if tick > last else self._held
        self._held = []
        new.append((tick, lines, item))
        self._known.extend((tick, lines) for tick, lines, _ in new)
        return [item for _, _, item in new]
