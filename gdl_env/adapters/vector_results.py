"""The result of a step of many lanes for one role, added up over the ticks of the step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import read_word, spread_byte
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

    @classmethod
    def none(cls, lanes: int, entries: int) -> VectorResults:
        """Return the result of no tick."""
        return cls(
            np.zeros(lanes, np.float32),
            np.zeros(lanes, np.bool_),
            np.zeros(lanes, np.bool_),
            np.full(lanes, -1, np.int16),
            np.zeros((lanes, entries), np.int8),
        )

    @property
    def over(self) -> NDArray[np.bool_]:
        """Tell where an episode ended."""
        return self.terminated | self.truncated


def add_tick(now: VectorResults, owed: VectorResults, tick: TickArrays, player: int) -> None:
    """Take in a tick: what comes after an end in this step is owed to the next one."""
    seen = tick.final_observation(player)
    final = np.zeros((0, 0), np.uint8) if seen is None else seen.data
    result = tick.result
    ends = result.ended, result.terminated, result.goals[player]
    _add(now, owed, ends, np.ascontiguousarray(tick.reward[player]), final)


@compile_kernel(nogil=True)
def _add(now, owed, ends, reward, final):
    """Add a tick to two VectorResults.

    - ends: of every lane, whether it ended, whether by the rules, its goal
    - reward: (lanes) float32; final: (lanes that ended, bytes) uint8
    """
    lanes = reward.shape[0]
    # Without branches: compilers make wide loops of these.
    for lane in range(lanes):
        is_over = now.terminated[lane] | now.truncated[lane]
        now.reward[lane] += np.float32(0) if is_over else reward[lane]
        owed.reward[lane] += reward[lane] if is_over else np.float32(0)
    ended = ends[0]
    row = 0
    for low in range(0, lanes, 8):
        # Most lanes do not end: skip eight at a time.
        if low + 8 <= lanes and not read_word(ended, low):
            continue
        for lane in range(low, min(low + 8, lanes)):
            if ended[lane]:
                if now.terminated[lane] or now.truncated[lane]:
                    _end(owed, lane, ends, final, row)
                else:
                    _end(now, lane, ends, final, row)
                row += 1


@compile_kernel(nogil=True)
def _end(results, lane, ends, final, row):
    """Take in the end of a lane."""
    _, terminated, goals = ends
    results.terminated[lane] = terminated[lane]
    results.truncated[lane] = not terminated[lane]
    results.goal[lane] = goals[lane]
    if final.shape[0]:
        _spread_row(final[row], results.final[lane])


@compile_kernel(nogil=True)
def _spread_row(packed, out):
    """Write one byte for each bit of a row; entries without a bit stay as they are."""
    for byte in range(packed.shape[0]):
        word = spread_byte(np.uint64(packed[byte]))
        for place in range(8 * byte, min(8 * byte + 8, out.shape[0])):
            out[place] = word & np.uint64(1)
            word >>= np.uint64(8)
