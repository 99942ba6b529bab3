"""Separates ticks that were recorded already from new ones, when an environment resumes."""

from __future__ import annotations

from typing import Generic, TypeVar

from gdl_env.environment.trace import KEPT

T = TypeVar('T')

# Ticks that are remembered of a lane; an environment that resumes repeats fewer.
_MEMORY = KEPT + 2


class Repeats(Generic[T]):
    """What happened in one lane, tick after tick.

    A killed environment that resumes repeats its last ticks, since it cannot know which of
    them were heard. One that begins again counts from the start again, and may even begin with the
    same lines; so what goes back at the beginning of a run is held until it is either past the
    last tick, and was a repeat, or differs, and was new.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, ...]] = {}
        self._last = -1
        self._held: list[tuple[int, tuple[str, ...], T]] = []
        self._may_repeat = False

    def begin_run(self) -> None:
        """Expect what an environment repeats that was started again."""
        self._may_repeat = True

    def add(self, tick: int, lines: tuple[str, ...], item: T) -> list[T]:
        """Take what came; return what is to be written now."""
        if self._may_repeat and tick <= self._last and self._known.get(tick) == lines:
            self._held.append((tick, lines, item))
            return []
        new = [] if tick > self._last else self._held
        self._held, self._may_repeat = [], False
        new.append((tick, lines, item))
        for number, known, _ in new:
            # The newest is last, also if the number was there before.
            self._known.pop(number, None)
            self._known[number] = known
        while len(self._known) > _MEMORY:
            del self._known[next(iter(self._known))]
        self._last = tick
        return [item for _, _, item in new]
