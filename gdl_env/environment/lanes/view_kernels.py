"""Compiled loops that show lanes to players: observations and masks, as packed rows of bytes."""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import transpose
from gdl_env.engine.batch.mask_rows import pick_one
from gdl_env.environment.lanes.match_handle import open_lanes, open_seats, open_views
from gdl_env.play.chance import place_of, word_at

# So few rows are written bit by bit; more are turned over, 64 by 64 bits.
_FEW_ROWS = 4


@compile_kernel(nogil=True)
def observe_rows(views, viewer, rows, chosen, out):
    """Write what a viewer sees of chosen states, or percepts, from the first row of `out` on.

    - views: ViewTables
    - viewer: the place of a player, or of the spectator behind them
    - rows: (rows, words) uint64 states or percepts; chosen: which of them
    - out: (chosen, bytes of an observation) uint8
    """
    low, high = views.start[viewer], views.start[viewer + 1]
    size = out.shape[1]
    if chosen.shape[0] <= _FEW_ROWS:
        out[:] = 0
        for place in range(chosen.shape[0]):
            row = rows[chosen[place]]
            for k in range(low, high):
                bit, column = views.bit[k], views.column[k]
                held = (row[bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1)
                out[place, column >> 3] |= np.uint8(held << np.uint64(column & 7))
        return
    source = np.empty((rows.shape[1], 64), np.uint64)
    target = np.empty(((size + 7) >> 3, 64), np.uint64)
    for first in range(0, chosen.shape[0], 64):
        count = min(64, chosen.shape[0] - first)
        for word in range(rows.shape[1]):
            square = source[word]
            for place in range(count):
                square[place] = rows[chosen[first + place], word]
            square[count:] = np.uint64(0)
            transpose(square)
        target[:] = np.uint64(0)
        for k in range(low, high):
            bit, column = views.bit[k], views.column[k]
            target[column >> 6, column & 63] |= source[bit >> 6, bit & 63]
        for word in range(target.shape[0]):
            transpose(target[word])
            last = min(8, size - 8 * word)
            if last == 8:
                for place in range(count):
                    _write_word(out[first + place], 8 * word, target[word, place])
            else:
                for place in range(count):
                    value = target[word, place]
                    for byte in range(last):
                        out[first + place, 8 * word + byte] = value & np.uint64(255)
                        value >>= np.uint64(8)


@compile_kernel(nogil=True, makes_arrays=False)
def _write_word(row, first, value):
    row[first] = value & np.uint64(255)
    row[first + 1] = (value >> np.uint64(8)) & np.uint64(255)
    row[first + 2] = (value >> np.uint64(16)) & np.uint64(255)
    row[first + 3] = (value >> np.uint64(24)) & np.uint64(255)
    row[first + 4] = (value >> np.uint64(32)) & np.uint64(255)
    row[first + 5] = (value >> np.uint64(40)) & np.uint64(255)
    row[first + 6] = (value >> np.uint64(48)) & np.uint64(255)
    row[first + 7] = (value >> np.uint64(56)) & np.uint64(255)


@compile_kernel(nogil=True, makes_arrays=False)
def copy_masks(legal, first_word, chosen, out):
    """Write the legal actions of chosen lanes: (lanes, M) words → (chosen, bytes)."""
    size = out.shape[1]
    whole = size >> 3
    for place in range(chosen.shape[0]):
        lane = chosen[place]
        for word in range(whole):
            _write_word(out[place], 8 * word, legal[lane, first_word + word])
        if size & 7:
            value = legal[lane, first_word + whole]
            for byte in range(8 * whole, size):
                out[place, byte] = value & np.uint64(255)
                value >>= np.uint64(8)


@compile_kernel(nogil=True)
def show_lanes(handle, viewer, observation, legal):
    """Fill in what a player is shown in all lanes, and its masks where it decides.

    - observation: (L, bytes) uint8; legal: the same, zero, or without rows if it is not asked
    """
    lanes, views = open_lanes(handle), open_views(handle)
    count = lanes.states.shape[0]
    rows = lanes.seen if views.numbers[0] else lanes.states
    everywhere = np.arange(count).astype(np.int32)
    observe_rows(views, viewer, rows, everywhere, observation)
    if legal.shape[0] == 0:
        return
    first = open_seats(handle).start[viewer]
    for lane in range(count):
        if lanes.decides[viewer, lane]:
            copy_masks(lanes.legal, first, everywhere[lane : lane + 1], legal[lane : lane + 1])


@compile_kernel(nogil=True, makes_arrays=False)
def draw_decisions(handle, legal, key, action):
    """Draw a legal action for each decision, as a tick does for players who give none.

    - legal: (decisions, bytes) uint8, as `collect_decisions` writes them
    - key: uint64, the chance of the tick; action: (decisions) int32 that is filled in
    """
    lanes = open_lanes(handle)
    players, count = lanes.decides.shape
    place = 0
    for player in range(players):
        for lane in range(count):
            if lanes.decides[player, lane] and not lanes.held[lane]:
                # Nothing has ended yet in this tick.
                source = place_of(2 * lanes.steps[lane], player, lane)
                action[place] = pick_one(legal, place, word_at(key, source))
                place += 1


@compile_kernel(nogil=True)
def collect_decisions(handle, observation, legal):
    """Write what is seen in all decisions, player by player, and what is legal there.

    - observation, legal: (decisions, bytes) uint8; observations without rows are not wanted

    Lanes that are held have no decisions.
    """
    lanes, views, start = open_lanes(handle), open_views(handle), open_seats(handle).start
    players, count = lanes.decides.shape
    rows = lanes.seen if views.numbers[0] else lanes.states
    chosen = np.empty(count, np.int32)
    total = 0
    for player in range(players):
        own = 0
        for lane in range(count):
            if lanes.decides[player, lane] and not lanes.held[lane]:
                chosen[own] = lane
                own += 1
        last = total + own
        if observation.shape[0] == legal.shape[0]:
            observe_rows(views, player, rows, chosen[:own], observation[total:last])
        copy_masks(lanes.legal, start[player], chosen[:own], legal[total:last])
        total = last
