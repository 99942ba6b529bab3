"""What all players of one lane are shown, a byte an entry: for programs that take no bits."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.word_bits import lowest_one
from gdl_env.environment.lanes.match_handle import open_lanes, open_seats, open_views


@compile_kernel(nogil=True, makes_arrays=False)
def show_bytes(handle, entries, out):
    """Write what every player sees in lane 0, and its legal actions if it decides.

    - entries: of an observation
    - out: (players, entries + actions) int8
    """
    lanes, views, start = open_lanes(handle), open_views(handle), open_seats(handle).start
    rows = lanes.seen if views.numbers[0] else lanes.states
    out[:] = 0
    for player in range(out.shape[0]):
        for k in range(views.start[player], views.start[player + 1]):
            bit = views.bit[k]
            held = (rows[0, bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1)
            out[player, views.column[k]] |= np.int8(held)
        if not lanes.decides[player, 0]:
            continue
        for word in range(start[player], start[player + 1]):
            left = lanes.legal[0, word]
            while left:
                action = 64 * (word - start[player]) + lowest_one(left)
                out[player, entries + action] = 1
                left &= left - np.uint64(1)
