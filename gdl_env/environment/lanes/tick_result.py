"""The result of a tick as Python sees it: one piece of memory, and arrays that lie in it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gdl_env.environment.lanes.records import ResultArrays

# Results that are kept to be written again.
_MOST_RESULTS = 3


class ResultLayout:
    """Where the arrays of a result lie in its memory."""

    def __init__(
        self,
        sizes: tuple[int, int, int, int],
        kept: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0)),
    ) -> None:
        """Lay them out.

        - sizes: players, lanes, words of a state and of percepts
        - kept: the shapes of last states and their lanes as blocks
        """
        players, count, words, percepts = sizes
        kinds: dict[str, tuple[tuple[int, ...], DTypeLike]] = {
            'acting': ((players + 1, count), np.bool_),
            'action': ((players, count), np.int32),
            'ended': ((count,), np.bool_),
            'terminated': ((count,), np.bool_),
            'goals': ((players, count), np.int16),
            'final_states': ((count, words), np.uint64),
            'final_seen': ((count, percepts), np.uint64),
            'final_bits': (kept[0], np.uint64),
            'final_lanes': (kept[1], np.uint64),
        }
        # The place, shape and type of each array, by its name.
        self.arrays: dict[str, tuple[int, tuple[int, ...], np.dtype[Any]]] = {}
        at = 0
        for name in ResultArrays._fields:
            shape, kind = kinds[name]
            dtype = np.dtype(kind)
            self.arrays[name] = at, shape, dtype
            # Each begins at a multiple of eight bytes.
            at += -(-int(np.prod(shape)) * dtype.itemsize // 8) * 8
        self.size = at

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Return the place of each array, in the order of ResultArrays."""
        return np.array([place for place, _, _ in self.arrays.values()], np.int64)


class TickResult:
    """What happened in a tick: the fields of ResultArrays, made when they are asked for."""

    acting: NDArray[np.bool_]
    action: NDArray[np.int32]
    ended: NDArray[np.bool_]
    terminated: NDArray[np.bool_]
    goals: NDArray[np.int16]
    final_states: NDArray[np.uint64]
    final_seen: NDArray[np.uint64]
    final_bits: NDArray[np.uint64]
    final_lanes: NDArray[np.uint64]

    def __init__(self, layout: ResultLayout) -> None:
        self._layout = layout
        self._memory = np.empty(layout.size, np.uint8)
        # Where compiled code writes.
        self.address = self._memory.ctypes.data

    def __getattr__(self, name: str) -> Any:
        if name not in self._layout.arrays:
            raise AttributeError(name)
        place, shape, dtype = self._layout.arrays[name]
        made: NDArray[Any] = np.ndarray(shape, dtype, self._memory, place)
        self.__dict__[name] = made
        return made

    def count_references(self) -> tuple[int, int, int]:
        """Count the references to this object, to its memory, and to arrays that were made.

        Each of these refers to the memory.
        """
        held = self.__dict__
        if len(held) == _BARE:
            return _COUNT(self), _COUNT(self._memory), 0
        made = [_COUNT(held[name]) for name in self._layout.arrays if name in held]
        return _COUNT(self), _COUNT(self._memory) - len(made), sum(made) - 2 * len(made)


_COUNT = sys.getrefcount
# Attributes before an array was made.
_BARE = 3


class ResultPool:
    """Hands out results: those that nothing refers to any more are written again.

    New memory takes long to touch.
    """

    def __init__(self, layout: ResultLayout) -> None:
        self._layout = layout
        self._results: list[TickResult] = []

    def take(self, last: TickResult | None) -> TickResult:
        """Return a result to write to, another one than the last."""
        results = self._results
        for index in range(len(results)):
            if results[index] is last:
                continue
            if results[index].count_references() == _UNUSED:
                return results[index]
        made = TickResult(self._layout)
        self._results = [*results, made][-_MOST_RESULTS:]
        return made


def _count_unused() -> tuple[int, int, int]:
    """Return what is counted for a result in a list, to which nothing else refers."""
    results = [TickResult(ResultLayout((1, 1, 1, 1)))]
    return results[0].count_references()


_UNUSED = _count_unused()
