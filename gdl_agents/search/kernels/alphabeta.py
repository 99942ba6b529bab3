"""Alpha-beta search on the engine's network for single states: do and undo, no copies.

One player tries to get the most, all others together give it the least. Where several act at once,
its own move is chosen first, without being played, and then theirs: only then the step is taken.
Chance counts as its mean.
"""

from __future__ import annotations

import numpy as np

from gdl_agents.search.kernels.position import evaluate, find_legal, goal_of, hash_of
from gdl_env.engine.circuit.events import TRAIL, VALUES, is_true, undo
from gdl_env.engine.circuit.raw import get32, get64
from gdl_env.engine.circuit.single import do
from gdl_env.engine.compiling import compile_kernel

# Columns of a ply: moves of the player, of the others together, of chance.
OWN, OTHERS, CHANCE = 0, 1, 2
# What a value in the table of positions is.
EXACT, LOWER, UPPER = 0, 1, 2
# Two values are the same if they differ by less.
SAME = 1e-6
_INFINITE = 1e9
# Known after a search: nodes, depth that was finished, whether it is exact, whether it was cut.
NODES, DEPTH, IS_EXACT, IS_CUT = 0, 1, 2, 3


@compile_kernel(nogil=True)
def choose_actor(rows, starts, is_noop, nature, last, acting):
    """Say who acts in a game where one acts at a time: chance, or the next after the last."""
    roles = starts.shape[0] - 1
    acting[:] = False
    if nature >= 0 and starts[nature + 1] > starts[nature]:
        acting[nature] = True
        return
    for wants_real in range(1, -1, -1):
        for step in range(1, roles + 1):
            role = (last + step) % roles if last >= 0 else step - 1
            if role == nature:
                continue
            for k in range(starts[role], starts[role + 1]):
                if not wants_real or not is_noop[rows[k]]:
                    acting[role] = True
                    return


@compile_kernel(nogil=True)
def order(rows, first, end, favourite, history):
    """Put the favourite first, and moves that were good elsewhere before others."""
    for i in range(first + 1, end):
        row = rows[i]
        rank = history[row] if row != favourite else np.int64(1) << 60
        j = i - 1
        while j >= first:
            other = history[rows[j]] if rows[j] != favourite else np.int64(1) << 60
            if other >= rank:
                break
            rows[j + 1] = rows[j]
            j -= 1
        rows[j + 1] = row


@compile_kernel(nogil=True)
def search(
    frames, tables, score, weights, marks, table, buffers, player, limit, deepest, found, known
):
    """Search from the state that is put up, deeper and deeper; return nothing.

    `found` gets the value of each root move of the player in the order of its rows, NaN for those
    that are worse than the best; `known` what is said above.
    """
    known[:] = 0
    for depth in range(1, deepest + 1):
        best, cut = _search_depth(
            frames,
            tables,
            score,
            weights,
            marks,
            table,
            buffers,
            player,
            limit,
            depth,
            found[1],
            known,
        )
        if known[IS_CUT]:
            return
        # If all is lost, what was best before the loss was seen holds out longest.
        if best > 0.0 or depth == 1:
            found[0] = found[1]
        known[DEPTH] = depth
        if cut == 0:
            known[IS_EXACT] = 1
            return
        if best >= 100.0 or best <= 0.0:
            return


@compile_kernel(nogil=True)
def _search_depth(
    frames, tables, score, weights, marks, table, buffers, player, limit, depth, values, known
):
    """Search to one depth; return the best value, and how many states were only estimated."""
    now, learned, legal = frames
    after, terminal, outputs, role_of, is_noop, does_of, nature, is_serial, facts = tables
    keys, entries, notes = table
    rows, starts, bounds, places, hashes, trail_marks, lasts, moves, history = buffers
    roles = starts.shape[1] - 1
    most = outputs.shape[0]
    acting = np.zeros(roles, np.bool_)
    values[:] = np.nan
    estimates = 0
    trail = get64(now, TRAIL)
    ply = 0
    count = 0
    hashes[0] = hash_of(now, facts, marks, marks[facts])
    lasts[0] = -2
    # Columns: alpha, beta, best so far, value of the own move in question, mean so far.
    bounds[0, 0], bounds[0, 1] = -_INFINITE, _INFINITE
    result = 0.0
    entering = True
    free = 0
    while True:
        if entering:
            entering = False
            known[NODES] += 1
            if known[NODES] > limit:
                known[IS_CUT] = 1
                undo(now, count, 0)
                return 0.0, estimates
            left = depth - ply
            alpha, beta = bounds[ply, 0], bounds[ply, 1]
            is_leaf = False
            if is_true(get64(now, VALUES), terminal):
                result, is_leaf = goal_of(now, facts, score, player), True
            elif left == 0 or (ply and starts[ply - 1, roles] + most > rows.shape[0]):
                # Deep enough, or so many moves on the way that no more have room.
                result, is_leaf = evaluate(now, facts, weights), True
                estimates += 1
            slot = np.int64(hashes[ply] & np.uint64(keys.shape[0] - 1))
            favourite = -1
            if not is_leaf and keys[slot] == hashes[ply]:
                favourite = notes[slot, 2]
                if ply > 0 and notes[slot, 0] >= left:
                    value, kind = entries[slot], notes[slot, 1]
                    if (
                        kind == EXACT
                        or (kind == LOWER and value >= beta)
                        or (kind == UPPER and value <= alpha)
                    ):
                        result, is_leaf = value, True
                        estimates += notes[slot, 3]
            if not is_leaf:
                free = starts[ply - 1, roles] if ply else 0
                end = find_legal(now, legal, outputs, facts, role_of, rows, free, starts[ply])
                for role in range(roles):
                    acting[role] = starts[ply, role + 1] > starts[ply, role]
                if is_serial:
                    if ply == 0:
                        acting[:] = False
                        acting[player] = True
                    else:
                        choose_actor(rows, starts[ply], is_noop, nature, lasts[ply], acting)
                places[ply, OWN, 1] = places[ply, OTHERS, 1] = places[ply, CHANCE, 1] = 1
                some = False
                for role in range(roles):
                    size = starts[ply, role + 1] - starts[ply, role]
                    kind = OWN if role == player else (CHANCE if role == nature else OTHERS)
                    if acting[role]:
                        some = True
                        places[ply, kind, 1] *= size
                        if role != nature and (ply > 0 or role != player):
                            first = starts[ply, role]
                            order(rows, first, first + size, favourite, history)
                    else:
                        # Nothing of it is played: its rows are passed over.
                        places[ply, 3 + role, 0] = 0
                    places[ply, 3 + role, 1] = size if acting[role] else 0
                places[ply, OWN, 0] = places[ply, OTHERS, 0] = places[ply, CHANCE, 0] = 0
                bounds[ply, 2], bounds[ply, 3], bounds[ply, 4] = -_INFINITE, _INFINITE, 0.0
                trail_marks[ply] = count
                places[ply, OWN, 2] = -1
                places[ply, OTHERS, 2] = -1
                places[ply, CHANCE, 2] = estimates
                if not some or end == free:
                    # Stuck, though the game is not over.
                    result, is_leaf = 50.0, True
            if is_leaf:
                if ply == 0:
                    return result, estimates
                ply -= 1
                # Fall through to where a result is taken.
            else:
                # Play the first child.
                count = _descend(
                    ply, now, learned, after, rows, starts, places, does_of, moves, roles,
                    player, nature, is_serial, count, trail, facts, marks, hashes, lasts,
                )  # fmt: skip
                _set_window(bounds, places, ply)
                ply += 1
                entering = True
                continue
        # A child of this ply gave `result`.
        count = undo(now, count, trail_marks[ply])
        if places[ply, CHANCE, 1] > 1:
            bounds[ply, 4] += result / places[ply, CHANCE, 1]
            places[ply, CHANCE, 0] += 1
            is_done = places[ply, CHANCE, 0] == places[ply, CHANCE, 1]
            if is_done:
                result = bounds[ply, 4]
                bounds[ply, 4] = 0.0
                places[ply, CHANCE, 0] = 0
        else:
            is_done = True
        if is_done:
            floor = max(bounds[ply, 0], bounds[ply, 2] - (SAME if ply == 0 else 0.0))
            if result < bounds[ply, 3]:
                bounds[ply, 3] = result
                places[ply, OTHERS, 2] = places[ply, OTHERS, 0]
            places[ply, OTHERS, 0] += 1
            finished = places[ply, OTHERS, 0] == places[ply, OTHERS, 1] or bounds[ply, 3] <= floor
            if finished:
                value = bounds[ply, 3]
                if ply == 0:
                    values[places[ply, OWN, 0]] = value
                if value > bounds[ply, 2]:
                    bounds[ply, 2] = value
                    places[ply, OWN, 2] = places[ply, OWN, 0]
                places[ply, OTHERS, 0] = 0
                bounds[ply, 3] = _INFINITE
                places[ply, OWN, 0] += 1
                is_over = places[ply, OWN, 0] == places[ply, OWN, 1]
                if is_over or bounds[ply, 2] >= bounds[ply, 1]:
                    result = bounds[ply, 2]
                    _remember(
                        ply, depth - ply, result, bounds, places, rows, starts, roles, player,
                        nature, keys, entries, notes, hashes, history, estimates,
                    )  # fmt: skip
                    if ply == 0:
                        _sift(values, places[0, OWN, 1], result)
                        return result, estimates
                    ply -= 1
                    continue
        count = _descend(
            ply, now, learned, after, rows, starts, places, does_of, moves, roles,
            player, nature, is_serial, count, trail, facts, marks, hashes, lasts,
        )  # fmt: skip
        _set_window(bounds, places, ply)
        ply += 1
        entering = True


@compile_kernel(nogil=True)
def _sift(values, count, best):
    """Mark root moves that are worse than the best: their values are bounds only."""
    for k in range(count):
        if values[k] < best - SAME:
            values[k] = np.nan


@compile_kernel(nogil=True)
def _set_window(bounds, places, ply):
    """Say within which bounds the next child matters."""
    if places[ply, CHANCE, 1] > 1:
        bounds[ply + 1, 0], bounds[ply + 1, 1] = -_INFINITE, _INFINITE
        return
    slack = SAME if ply == 0 else 0.0
    bounds[ply + 1, 0] = max(bounds[ply, 0], bounds[ply, 2] - slack)
    bounds[ply + 1, 1] = min(bounds[ply, 1], bounds[ply, 3])


@compile_kernel(nogil=True)
def _descend(
    ply, now, learned, after, rows, starts, places, does_of, moves, roles, player, nature,
    is_serial, count, trail, facts, marks, hashes, lasts,
):  # fmt: skip
    """Play the moves that are next in this ply; return the length of the trail."""
    chosen = 0
    rest = places[ply, OTHERS, 0]
    last = lasts[ply]
    for role in range(roles - 1, -1, -1):
        size = places[ply, 3 + role, 1]
        if size == 0:
            continue
        if role == player:
            index = places[ply, OWN, 0]
        elif role == nature:
            index = places[ply, CHANCE, 0]
        else:
            index = rest % size
            rest //= size
        if role != nature:
            last = role
        moves[ply, chosen] = does_of[rows[starts[ply, role] + index]]
        chosen += 1
    before = count
    count = do(now, learned, after, count, moves[ply, :chosen])
    found = hashes[ply]
    for k in range(before, count):
        node = get32(trail, k)
        if 1 <= node <= facts:
            found ^= marks[node - 1]
    if is_serial:
        found ^= marks[facts + 3 + lasts[ply]] ^ marks[facts + 3 + last]
    hashes[ply + 1] = found
    lasts[ply + 1] = last
    return count


@compile_kernel(nogil=True)
def _remember(
    ply, left, result, bounds, places, rows, starts, roles, player, nature, keys, entries,
    notes, hashes, history, estimates,
):  # fmt: skip
    """Keep the value of a position, and which move decided it."""
    favourite = -1
    if places[ply, 3 + player, 1] > 1 and places[ply, OWN, 2] >= 0:
        favourite = rows[starts[ply, player] + places[ply, OWN, 2]]
    elif places[ply, OTHERS, 2] >= 0:
        rest = places[ply, OTHERS, 2]
        for role in range(roles - 1, -1, -1):
            size = places[ply, 3 + role, 1]
            if role not in (player, nature) and size > 0:
                index = rest % size
                rest //= size
                if size > 1:
                    favourite = rows[starts[ply, role] + index]
    alpha, beta = bounds[ply, 0], bounds[ply, 1]
    if favourite >= 0 and (result >= beta or result <= alpha):
        history[favourite] += left * left
    slot = np.int64(hashes[ply] & np.uint64(keys.shape[0] - 1))
    keys[slot] = hashes[ply]
    entries[slot] = result
    notes[slot, 0] = left
    notes[slot, 1] = LOWER if result >= beta else (UPPER if result <= alpha else EXACT)
    notes[slot, 2] = favourite
    # Whether a value rests on estimates decides whether the search must go deeper.
    notes[slot, 3] = 1 if estimates > places[ply, CHANCE, 2] else 0
