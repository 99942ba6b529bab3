"""The result of a step of many lanes for one role, added up over the ticks of the step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.adapters.array_pool import MOST_ARRAYS, find_unused
from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import spread_byte, store_word
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
    _add_rewards(now, owed, reward)
    if seen is not None:
        ends = result.ended, result.terminated, result.goals[player]
        _add_ends(now, owed, ends, seen.data)


@compile_kernel(nogil=True)
def _add_rewards(now, owed, reward):
    """Add the rewards of a tick, (lanes) float32, to two VectorResults."""
    # Without branches: compilers make wide loops of these.
    if now.ends[0] == 0:
        for lane in range(reward.shape[0]):
            now.reward[lane] += reward[lane]
        return
    for lane in range(reward.shape[0]):
        is_over = now.terminated[lane] | now.truncated[lane]
        now.reward[lane] += np.float32(0) if is_over else reward[lane]
        owed.reward[lane] += reward[lane] if is_over else np.float32(0)


@compile_kernel(nogil=True)
def _add_ends(now, owed, ends, final):
    """Add the ends of a tick to two VectorResults.

    - ends: of every lane, whether it ended, whether by the rules, its goal
    - final: (lanes that ended, bytes) uint8
    """
    ended = ends[0]
    # Listed first, without branches: which lanes end cannot be foreseen.
    listed = np.empty(ended.shape[0] + 1, np.int32)
    rows = np.empty(ended.shape[0] + 1, np.int32)
    count = 0
    for lane in range(ended.shape[0]):
        listed[count] = lane
        count += ended[lane]
    # Those of a second end in this step come last.
    first, second = 0, count
    for row in range(count):
        lane = listed[row]
        if now.terminated[lane] or now.truncated[lane]:
            second -= 1
            rows[second] = row
        else:
            rows[first] = row
            first += 1
    _end(now, ends, final, listed, rows[:first])
    if second < count:
        _end(owed, ends, final, listed, rows[second:count])


@compile_kernel(nogil=True)
def _end(results, ends, final, listed, rows):
    """Take in the ends of lanes.

    - listed: int32, the lanes of the rows of `final`; rows: which of them
    """
    _, terminated, goals = ends
    size, width = results.final.shape[1], final.shape[1]
    out, packed = results.final.reshape(-1).view(np.uint8), final.reshape(-1)
    for k in range(rows.shape[0]):
        lane = listed[rows[k]]
        results.terminated[lane] = terminated[lane]
        results.truncated[lane] = not terminated[lane]
        results.goal[lane] = goals[lane]
        results.lanes[results.ends[0] + k] = lane
        # A byte for each bit; entries without a bit stay as they are.
        for byte in range(width):
            word = spread_byte(np.uint64(packed[rows[k] * width + byte]))
            first, rest = lane * size + 8 * byte, size - 8 * byte
            if rest >= 8:
                store_word(out, first, word)
                continue
            for place in range(rest):
                out[first + place] = word & np.uint64(1)
                word >>= np.uint64(8)
    results.ends[0] += rows.shape[0]


@compile_kernel(nogil=True)
def _clear(final, lanes, count):
    """Make the rows of listed lanes zero, and empty the list."""
    for k in range(count[0]):
        final[lanes[k]] = 0
    count[0] = 0
