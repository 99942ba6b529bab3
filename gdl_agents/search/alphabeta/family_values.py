"""What positions of a family are worth, and how families are made: passes of the rules."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.alphabeta.plies import INFINITE
from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.kernels import list_moves
from gdl_env.engine.batch.successor_kernels import follow_block
from gdl_env.engine.batch.word_bits import count_ones, lowest_one


@compile_kernel(nogil=True, makes_arrays=False)
def find_decider(starts, nature):
    """Return the role that decides; -1 if all moves are forced.

    -2 if several roles decide, or chance; -3 if nobody can move.
    """
    decider, some = -1, False
    for role in range(starts.shape[0] - 1):
        size = starts[role + 1] - starts[role]
        some = some or size > 0
        if size > 1:
            if decider != -1 or role == nature:
                return -2
            decider = role
    return decider if some else -3


@compile_kernel(nogil=True, makes_arrays=False)
def value_of(searched, ply, member):
    """Return what a position in which the game is over is worth."""
    goal = searched.families.goals[ply, member, searched.player]
    return float(goal) if goal >= 0 else 50.0


@compile_kernel(nogil=True, makes_arrays=False)
def estimate(searched, total):
    """Return what a position seems worth, by the sum of its weights; 50 without weights."""
    if searched.weights.shape[0] == 0:
        return 50.0
    return 50.0 + 49.0 * np.tanh(total)


@compile_kernel(nogil=True)
def expand(searched, ply, member, decider):
    """Make all children of a position the next family; return their number, -1 without room."""
    families, lanes, tables = searched.families, searched.lanes, searched.tables
    starts = families.starts[ply, member]
    role = max(decider, 0)
    count = starts[role + 1] - starts[role] if decider >= 0 else 1
    if count > families.states.shape[1]:
        return -1
    below = ply + 1
    size = lanes.parents.shape[0]
    listed = 0
    for first in range(0, count, size):
        number = min(size, count - first)
        _set_lanes(searched, ply, member, decider, first, number, 0)
        end = first + number
        found, bits = families.states[below, first:end], lanes.bits[:number]
        terminal, goals = families.terminal[below, first:end], families.goals[below, first:end]
        parents, does = lanes.parents[:number], lanes.does[:number]
        goals[:] = -1
        follow_block(tables, families.states[ply], parents, does, found, bits, terminal, goals)
        wanted = listed
        for lane in range(number):
            for word in range(bits.shape[1]):
                wanted += count_ones(bits[lane, word])
        if wanted > families.rows.shape[1]:
            return -1
        kept = families.starts[below, first:end]
        listed = list_moves(bits, tables.legal_roles, kept, families.rows[below], listed)
    for k in range(count):
        _compare(searched, ply, member, families.states[below, k], below, k)
        move = families.rows[ply, starts[role] + k] if decider >= 0 else np.int32(0)
        families.moves[below, k] = move
    return count


@compile_kernel(nogil=True)
def fold_replies(searched, ply, members):
    """Find what members of a family are worth by their children, which are not looked beyond.

    Writes `values` and `estimated` of the lanes for each member that is not over. Returns False
    where one is met in which not one role decides, or where the search is to end.
    """
    families, lanes = searched.families, searched.lanes
    size = lanes.parents.shape[0]
    place, offset = 0, 0
    while place < members.shape[0]:
        number = 0
        while place < members.shape[0] and number < size:
            k = members[place]
            starts = families.starts[ply, k]
            decider = find_decider(starts, searched.nature)
            if families.terminal[ply, k]:
                place += 1
                continue
            if decider == -2:
                searched.is_unfit[0] = True
                return False
            if offset == 0:
                lanes.estimated[k] = False
                is_own = decider < 0 or searched.is_own[decider]
                lanes.values[k] = -INFINITE if is_own else INFINITE
            if decider == -3:
                lanes.values[k] = 50.0
                place += 1
                continue
            count = starts[decider + 1] - starts[decider] if decider >= 0 else 1
            if number > 0 and number + count - offset > size and count <= size:
                break
            taken = min(count - offset, size - number)
            _set_lanes(searched, ply, k, decider, offset, taken, number)
            number += taken
            offset += taken
            if offset == count:
                place, offset = place + 1, 0
        _evaluate_lanes(searched, ply, number)
        searched.findings[0].nodes += number
        if searched.findings[0].nodes > searched.limit:
            searched.findings[0].is_cut = True
            return False
    return True


@compile_kernel(nogil=True)
def _evaluate_lanes(searched, ply, number):
    """Look at positions that are reached from members of a family; let these take the best."""
    families, lanes = searched.families, searched.lanes
    if number == 0:
        return
    has_weights = searched.weights.shape[0] > 0
    found = lanes.found[: number if has_weights else 0]
    terminal, goals = lanes.terminal[:number], lanes.goals[:number]
    goals[:] = -1
    follow_block(
        searched.tables,
        families.states[ply],
        lanes.parents[:number],
        lanes.does[:number],
        found,
        lanes.bits[:0],
        terminal,
        goals,
    )
    for lane in range(number):
        k = lanes.parents[lane]
        decider = find_decider(families.starts[ply, k], searched.nature)
        is_own = decider < 0 or searched.is_own[decider]
        if terminal[lane]:
            goal = goals[lane, searched.player]
            value = float(goal) if goal >= 0 else 50.0
        else:
            total = 0.0
            if has_weights:
                total = _sum_changes(searched, ply, k, lanes.found[lane])
            value = estimate(searched, total)
            lanes.estimated[k] = True
        if is_own:
            lanes.values[k] = max(lanes.values[k], value)
        else:
            lanes.values[k] = min(lanes.values[k], value)
        if lanes.values[k] == (100.0 if is_own else 0.0):
            # One reply proves it.
            lanes.estimated[k] = False


@compile_kernel(nogil=True, makes_arrays=False)
def _set_lanes(searched, ply, member, decider, first, number, lane):
    """Let lanes play moves in a position: those of who decides, from one on; others are forced."""
    families, lanes = searched.families, searched.lanes
    starts = families.starts[ply, member]
    for k in range(number):
        lanes.parents[lane + k] = member
        for role in range(starts.shape[0] - 1):
            lanes.does[lane + k, role] = -1
            if starts[role + 1] > starts[role]:
                place = starts[role] + (first + k if role == decider else 0)
                lanes.does[lane + k, role] = searched.plain[families.rows[ply, place]]


@compile_kernel(nogil=True, makes_arrays=False)
def _compare(searched, ply, member, state, below, k):
    """Find hash and sum of weights of a child from those of its parent."""
    families = searched.families
    found, total = families.hashes[ply, member], families.sums[ply, member]
    has_weights = searched.weights.shape[0] > 0
    for word in range(state.shape[0]):
        left = state[word] ^ families.states[ply, member, word]
        while left:
            fact = 64 * word + lowest_one(left)
            bit = left & (~left + np.uint64(1))
            left ^= bit
            found ^= searched.marks[fact]
            if has_weights:
                weight = searched.weights[fact]
                total += weight if state[word] & bit else -weight
    families.hashes[below, k] = found
    families.sums[below, k] = total


@compile_kernel(nogil=True, makes_arrays=False)
def _sum_changes(searched, ply, member, state):
    """Return the sum of weights of a child by that of its parent, and by what has changed."""
    families = searched.families
    total = families.sums[ply, member]
    for word in range(state.shape[0]):
        left = state[word] ^ families.states[ply, member, word]
        while left:
            bit = left & (~left + np.uint64(1))
            weight = searched.weights[64 * word + lowest_one(left)]
            left ^= bit
            total += weight if state[word] & bit else -weight
    return total


@compile_kernel(nogil=True, makes_arrays=False)
def begin_root(searched):
    """Find hash and sum of weights of the root: member 0 of family 0."""
    families = searched.families
    state = families.states[0, 0]
    found, total = searched.marks[searched.marks.shape[0] - 1], 0.0
    has_weights = searched.weights.shape[0] > 0
    if has_weights:
        total = searched.weights[searched.weights.shape[0] - 1]
    for word in range(state.shape[0]):
        left = state[word]
        while left:
            fact = 64 * word + lowest_one(left)
            left &= left - np.uint64(1)
            found ^= searched.marks[fact]
            if has_weights:
                total += searched.weights[fact]
    families.hashes[0, 0] = found
    families.sums[0, 0] = total
