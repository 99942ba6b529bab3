"""The result of a step of many lanes for one role, added up over the ticks of the step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.adapters.array_pool import MOST_ARRAYS, find_unused
from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import read_word, spread_byte, spread_word, store_word
from gdl_env.environment.decision_batch import TickArrays


class VectorResults(NamedTuple):
    """The result of a step for the role, one entry a lane."""

    # Rewards, summed; how an episode ended, if one did; its goal, -1 for none.
    reward: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    goal: NDArray[np.int16]
    # int8 (lanes, entries): the last observation, 0 where no episode ended.
    final: NDArray[np.int8]
    # int32 (lanes), int64 (1): the lanes that ended, in any order, and how many did.
    lanes: NDArray[np.int32]
    ends: NDArray[np.int64]

    @property
    def has_ends(self) -> bool:
        """Tell whether an episode ended."""
        return bool(self.ends[0])

    @property
    def over(self) -> NDArray[np.bool_]:
        """Tell where an episode ended."""
        return self.terminated | self.truncated


class ResultsPool:
    """Makes results of no tick; last observations are written again once nobody has them."""

    def __init__(self, lanes: int, entries: int) -> None:
        self._shape = lanes, entries
        self._final: list[NDArray[np.int8]] = []
        # The rows of each that were written: `lanes` and `ends` of its results.
        self._written: list[tuple[NDArray[np.int32], NDArray[np.int64]]] = []

    def take(self) -> VectorResults:
        """Return the result of no tick."""
        lanes = self._shape[0]
        index = find_unused(self._final)
        if index < 0:
            written = np.zeros(lanes, np.int32), np.zeros(1, np.int64)
            self._final = [*self._final, np.zeros(self._shape, np.int8)][-MOST_ARRAYS:]
            self._written = [*self._written, written][-MOST_ARRAYS:]
        else:
            _clear(self._final[index], *self._written[index])
        return VectorResults(
            np.zeros(lanes, np.float32),
            np.zeros(lanes, np.bool_),
            np.zeros(lanes, np.bool_),
            np.full(lanes, -1, np.int16),
            self._final[index],
            *self._written[index],
        )


def add_tick(now: VectorResults, owed: VectorResults, tick: TickArrays, player: int) -> None:
    """Take in a tick: what comes after an end in this step is owed to the next one."""
    result, seen = tick.result, tick.final_observation(player)
    reward = np.ascontiguousarray(tick.reward[player])
    if seen is None and not reward.any():
        return
    final = _NOTHING if seen is None else seen.data
    _add(now, owed, reward, (result.ended, result.terminated, result.goals[player]), final)


_NOTHING = np.zeros((0, 0), np.uint8)


@compile_kernel(nogil=True, makes_arrays=False)
def _add(now, owed, reward, ends, final):
    """Add a tick to two VectorResults.

    - reward: (lanes) float32
    - ends: of every lane, whether it ended, whether by the rules, its goal
    - final: (lanes that ended, bytes) uint8, what was seen last there
    """
    # Without branches: compilers make wide loops of these.
    if now.ends[0] == 0:
        for lane in range(reward.shape[0]):
            now.reward[lane] += reward[lane]
    else:
        for lane in range(reward.shape[0]):
            is_over = now.terminated[lane] | now.truncated[lane]
            now.reward[lane] += np.float32(0) if is_over else reward[lane]
            owed.reward[lane] += reward[lane] if is_over else np.float32(0)
    if final.shape[0]:
        _add_ends(now, owed, ends, final)


@compile_kernel(nogil=True)
def _add_ends(now, owed, ends, final):
    """Add the ends of a tick to two VectorResults; see `_add`."""
    ended = ends[0]
    # Listed first, without branches: which lanes end cannot be foreseen.
    listed = np.empty(ended.shape[0] + 1, np.int32)
    count = np.uint64(0)
    for lane in range(ended.shape[0]):
        listed[count] = lane
        count += np.uint64(ended[lane])
    if now.ends[0] == 0:
        _end(now, ends, final, listed, np.arange(np.int64(count)).astype(np.int32))
        return
    # Those of a second end in this step come last.
    rows = np.empty(ended.shape[0] + 1, np.int32)
    first, second = 0, np.int64(count)
    for row in range(count):
        lane = listed[row]
        if now.terminated[lane] or now.truncated[lane]:
            second -= 1
            rows[second] = row
        else:
            rows[first] = row
            first += 1
    _end(now, ends, final, listed, rows[:first])
    if second < np.int64(count):
        _end(owed, ends, final, listed, rows[second:count])


@compile_kernel(nogil=True, makes_arrays=False)
def _end(results, ends, final, listed, rows):
    """Take in the ends of lanes.

    - listed: int32, the lanes of the rows of `final`; rows: which of them
    """
    _, terminated, goals = ends
    first = np.uint64(results.ends[0])
    for k in range(np.uint64(rows.shape[0])):
        lane = np.uint64(listed[np.uint64(rows[k])])
        results.terminated[lane] = terminated[lane]
        results.truncated[lane] = not terminated[lane]
        results.goal[lane] = goals[lane]
        results.lanes[first + k] = lane
    results.ends[0] += rows.shape[0]
    stride, width = results.final.shape[1], final.shape[1]
    # Entries without a bit stay as they are.
    sizes = width, stride, min(stride, 8 * width)
    out = results.final.reshape(-1).view(np.uint8)
    _spread_rows(final.reshape(-1), rows, listed, sizes, out)


@compile_kernel(nogil=True, makes_arrays=False)
def _spread_rows(packed, rows, listed, sizes, out):
    """Write a byte for each bit of some rows of packed bits into rows of bytes.

    - rows, listed: which rows of `packed`, and the rows of `out` that each of those becomes
    - sizes: bytes of a row of `packed` and of `out`, and how many bits there are
    """
    width, stride, size = sizes
    for k in range(rows.shape[0]):
        row = np.int64(np.uint32(rows[np.uint64(k)]))
        source, target = row * width, np.int64(np.uint32(listed[np.uint64(row)])) * stride
        if 16 <= size <= 64 and source + 8 <= packed.shape[0]:
            # From both ends: what is written twice is the same.
            word = read_word(packed, source)
            if size < 32:
                spread_word(out, target, word, 16)
                spread_word(out, target + size - 16, word >> np.uint64(size - 16), 16)
            else:
                spread_word(out, target, word, 32)
                spread_word(out, target + size - 32, word >> np.uint64(size - 32), 32)
        else:
            _spread_row(packed, source, out, target, size)


@compile_kernel(nogil=True, makes_arrays=False)
def _spread_row(packed, source, out, target, size):
    """Write a byte for each of `size` bits, and nothing beyond."""
    entry = 0
    while size - entry >= 64:
        spread_word(out, target + entry, read_word(packed, source + (entry >> 3)), 64)
        entry += 64
    while size - entry >= 8:
        word = spread_byte(np.uint64(packed[source + (entry >> 3)]))
        store_word(out, target + entry, word)
        entry += 8
    if entry < size:
        word = spread_byte(np.uint64(packed[source + (entry >> 3)]))
        for place in range(entry, size):
            out[target + place] = word & np.uint64(255)
            word >>= np.uint64(8)


@compile_kernel(nogil=True, makes_arrays=False)
def _clear(final, lanes, count):
    """Make the rows of listed lanes zero, and empty the list."""
    for k in range(count[0]):
        final[lanes[k]] = 0
    count[0] = 0
