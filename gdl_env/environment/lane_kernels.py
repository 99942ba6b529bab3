"""Compiled loops over lanes: rows of bits in, rows of bits out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.bits import lowest_bit
from gdl_env.engine.circuit.kernel import WIDE, run_wide
from gdl_env.engine.compiling import compile_kernel

# Lanes of a block.
BLOCK = 64 * WIDE


@compile_kernel(nogil=True)
def step_blocks(state, moves, active, places, runs, feedback, data, after, seen, percepts):
    """Play moves (roles by lanes, -1 for none) in active lanes; percepts are added to."""
    lanes = active.shape[0]
    facts = state.shape[1]
    rows = data.reshape(-1, WIDE)
    mask = np.zeros(WIDE, np.uint64)
    for block in range(state.shape[0]):
        first = BLOCK * block
        mask[:] = np.uint64(0)
        is_any = False
        rows[2 + facts :] = np.uint64(0)
        for lane in range(first, min(first + BLOCK, lanes)):
            if active[lane]:
                is_any = True
                word = (lane - first) >> 6
                bit = np.uint64(1) << np.uint64(lane & 63)
                mask[word] |= bit
                for role in range(moves.shape[0]):
                    if moves[role, lane] >= 0:
                        rows[2 + facts + moves[role, lane], word] |= bit
        if not is_any:
            continue
        rows[2 : 2 + facts] = state[block]
        run_wide(places, runs, feedback, data)
        for fact in range(facts):
            for w in range(WIDE):
                state[block, fact, w] = (rows[after[fact], w] & mask[w]) | (
                    state[block, fact, w] & ~mask[w]
                )
        for percept in range(seen.shape[0]):
            for w in range(WIDE):
                percepts[block, percept, w] |= rows[seen[percept], w] & mask[w]


@compile_kernel(nogil=True)
def look_blocks(
    state, places, runs, feedback, data, over, slots, legal, ranges, is_noop, terminal, possible
):
    """Ask the rules; `possible` gets what a seat has: a move, several, one that is not `noop`."""
    facts = state.shape[1]
    rows = data.reshape(-1, WIDE)
    words = np.zeros((3, WIDE), np.uint64)
    for block in range(state.shape[0]):
        rows[2 : 2 + facts] = state[block]
        run_wide(places, runs, feedback, data)
        _spread(rows[over], terminal, BLOCK * block)
        for row in range(slots.shape[0]):
            legal[block, row] = rows[slots[row]]
        for seat in range(ranges.shape[0]):
            words[:] = np.uint64(0)
            for row in range(ranges[seat, 0], ranges[seat, 1]):
                for w in range(WIDE):
                    word = legal[block, row, w]
                    words[1, w] |= words[0, w] & word
                    words[0, w] |= word
                    if not is_noop[row]:
                        words[2, w] |= word
            for kind in range(3):
                _spread(words[kind], possible[kind, seat], BLOCK * block)


@compile_kernel(nogil=True)
def score_blocks(state, places, runs, feedback, data, slots, seats, values, goals):
    """Raise goals (players by lanes) to the highest that the rules give."""
    facts = state.shape[1]
    rows = data.reshape(-1, WIDE)
    for block in range(state.shape[0]):
        rows[2 : 2 + facts] = state[block]
        run_wide(places, runs, feedback, data)
        for row in range(slots.shape[0]):
            if seats[row] < 0:
                continue
            own = goals[seats[row]]
            for w in range(WIDE):
                word = rows[slots[row], w]
                low = BLOCK * block + 64 * w
                if word and low < own.shape[0]:
                    for lane in range(low, min(low + 64, own.shape[0])):
                        if (word >> np.uint64(lane - low)) & np.uint64(1):
                            own[lane] = max(own[lane], values[row])


@compile_kernel(nogil=True)
def _spread(words, lanes, first):
    for w in range(WIDE):
        word = words[w]
        low = first + 64 * w
        for lane in range(low, min(low + 64, lanes.shape[0])):
            lanes[lane] = word & np.uint64(1)
            word >>= np.uint64(1)


@compile_kernel(nogil=True)
def find_held(rows, chosen, lane, found):
    """Find the places among chosen rows of those that hold in a lane; return how many."""
    block, within = lane // BLOCK, lane % BLOCK
    word, bit = within // 64, np.uint64(within % 64)
    count = 0
    for place in range(chosen.shape[0]):
        if (rows[block, chosen[place], word] >> bit) & np.uint64(1):
            found[count] = place
            count += 1
    return count


@compile_kernel(nogil=True)
def put_rows(rows, lanes, values):
    """Give chosen lanes the same value in each row."""
    for block in range(rows.shape[0]):
        for w in range(WIDE):
            mask = np.uint64(0)
            first = BLOCK * block + 64 * w
            for lane in range(first, min(first + 64, lanes.shape[0])):
                if lanes[lane]:
                    mask |= np.uint64(1) << np.uint64(lane & 63)
            if mask:
                for row in range(rows.shape[1]):
                    if values[row]:
                        rows[block, row, w] |= mask
                    else:
                        rows[block, row, w] &= ~mask


@compile_kernel(nogil=True)
def play_rows(
    acting, several, action, draws, legal, ranges, rows_of, actions_of, row, plain, does, active
):
    """Find which rows are played, what is done by that, and in which lanes somebody acts.

    `plain` says what is done by the row of a legal move. Returns False, and does nothing, if
    draws are needed and there are none.
    """
    if draws.shape[0] == 0 and _must_draw(acting, several, action):
        return False
    choose_rows(acting, several, action, draws, legal, ranges, rows_of, actions_of, row)
    for lane in range(acting.shape[1]):
        active[lane] = False
        for seat in range(acting.shape[0]):
            active[lane] = active[lane] or acting[seat, lane]
            does[seat, lane] = plain[row[seat, lane]] if row[seat, lane] >= 0 else -1
    return True


@compile_kernel(nogil=True)
def _must_draw(acting, several, action):
    """Tell whether somebody acts who has several moves and did not choose."""
    players = action.shape[0]
    for seat in range(acting.shape[0]):
        for lane in range(acting.shape[1]):
            if (
                acting[seat, lane]
                and several[seat, lane]
                and (seat >= players or action[seat, lane] < 0)
            ):
                return True
    return False


@compile_kernel(nogil=True)
def choose_rows(acting, several, action, draws, legal, ranges, rows_of, actions_of, row):
    """Find the row of the legal move that each acting seat plays; -1 for those who do not.

    What is not chosen is drawn: by the fraction `draws` among several moves. Drawn actions are
    written back.
    """
    players = action.shape[0]
    lanes = acting.shape[1]
    skip = np.zeros(BLOCK, np.int32)
    wanted = np.zeros(WIDE, np.uint64)
    for seat in range(acting.shape[0]):
        low, high = ranges[seat, 0], ranges[seat, 1]
        for block in range(legal.shape[0]):
            first = BLOCK * block
            last = min(first + BLOCK, lanes)
            wanted[:] = np.uint64(0)
            is_open = False
            is_drawn = False
            for lane in range(first, last):
                row[seat, lane] = -1
                if not acting[seat, lane]:
                    continue
                if seat < players and action[seat, lane] >= 0:
                    row[seat, lane] = rows_of[seat, action[seat, lane]]
                    continue
                is_open = True
                wanted[(lane - first) >> 6] |= np.uint64(1) << np.uint64(lane & 63)
                if several[seat, lane]:
                    is_drawn = True
            if not is_open:
                continue
            skip[:] = 0
            if is_drawn:
                _count(legal[block], low, high, wanted, skip)
                for lane in range(first, last):
                    count = skip[lane - first]
                    if count:
                        skip[lane - first] = min(np.int32(draws[seat, lane] * count), count - 1)
            _pick(legal[block], low, high, wanted, skip, row[seat], first)
            if seat < players:
                for lane in range(first, last):
                    if acting[seat, lane] and row[seat, lane] >= 0:
                        action[seat, lane] = actions_of[row[seat, lane]]


@compile_kernel(nogil=True)
def _count(legal, low, high, wanted, counts):
    for r in range(low, high):
        for w in range(WIDE):
            word = legal[r, w] & wanted[w]
            while word:
                counts[64 * w + lowest_bit(word)] += 1
                word &= word - np.uint64(1)


@compile_kernel(nogil=True)
def _pick(legal, low, high, wanted, skip, row, first):
    for r in range(low, high):
        for w in range(WIDE):
            word = legal[r, w] & wanted[w]
            while word:
                lane = 64 * w + lowest_bit(word)
                if skip[lane] == 0:
                    row[first + lane] = r
                    wanted[w] &= ~(word & (~word + np.uint64(1)))
                skip[lane] -= 1
                word &= word - np.uint64(1)


@compile_kernel(nogil=True)
def gather(rows, low, high, columns, out):
    """Turn rows of lanes into packed lanes of entries; negative columns are left out."""
    lanes = out.shape[0]
    for block in range(rows.shape[0]):
        for r in range(low, high):
            column = columns[r - low]
            if column < 0:
                continue
            byte = column >> 3
            bit = np.uint8(1) << np.uint8(column & 7)
            for w in range(WIDE):
                first = BLOCK * block + 64 * w
                if first >= lanes:
                    break
                word = rows[block, r, w]
                while word:
                    lane = first + lowest_bit(word)
                    word &= word - np.uint64(1)
                    if lane < lanes:
                        out[lane, byte] |= bit


def column(rows: NDArray[np.uint64], lane: int) -> NDArray[np.bool_]:
    """Return one lane: an entry a row."""
    block, within = divmod(lane, BLOCK)
    words = rows[block, :, within >> 6]
    held: NDArray[np.bool_] = ((words >> np.uint64(within & 63)) & np.uint64(1)).astype(np.bool_)
    return held
