"""Alpha-beta search that takes all children of a position at once.

One pass of the rules says of many positions what they are, whether they are over, and what can be
done there. So a position that is two moves above the leaves costs a few passes, however many
grandchildren it has, and ends are known before any child is entered. It is for positions in which
one role decides; where several do, or chance, `kernels` searches.
"""

from __future__ import annotations

import numpy as np

from gdl_agents.search.alphabeta.family_values import (
    estimate,
    expand,
    find_decider,
    fold_replies,
    value_of,
)
from gdl_agents.search.alphabeta.plies import INFINITE
from gdl_agents.search.alphabeta.records import EXACT, LOWER, UPPER
from gdl_env.compiling import compile_kernel

# Two values are the same if they differ by less.
SAME = 1e-6
# What a win is worth, and a loss.
_WON, _LOST = 100.0, 0.0


@compile_kernel(nogil=True)
def search_families(searched, deepest, found):
    """Search from the root, member 0 of family 0, deeper and deeper.

    Sets `is_unfit` where it met a position in which not one role decides.

    - found: (2, C) found[0] gets the value of each root move in the order of its rows, NaN for
      those that are worse than the best
    """
    findings = searched.findings
    findings[0].nodes = 0
    findings[0].depth = 0
    findings[0].is_exact = False
    findings[0].is_cut = False
    for depth in range(1, deepest + 1):
        found[1, :] = np.nan
        best, is_estimate = _search_root(searched, depth, found[1])
        if searched.is_unfit[0] or findings[0].is_cut:
            findings[0].is_cut = True
            return
        # If all is lost, what was best before the loss was seen holds out longest.
        if best > _LOST or depth == 1:
            found[0] = found[1]
        findings[0].depth = depth
        if not is_estimate:
            findings[0].is_exact = True
            return
        if best >= _WON or best <= _LOST:
            return


@compile_kernel(nogil=True)
def _search_root(searched, depth, values):
    """Search the root to one depth; return its value, and whether that rests on estimates."""
    families = searched.families
    count = _begin(searched, 0, 0)
    if count <= 0:
        # No room for so many moves.
        searched.is_unfit[0] = searched.is_unfit[0] or count < 0
        return 50.0, False
    is_estimate = False
    best = -INFINITE
    if depth == 2 and not fold_replies(searched, 1, families.order[1, :count]):
        return 50.0, False
    for place in range(count):
        k = families.order[1, place]
        if families.terminal[1, k]:
            value, rests = value_of(searched, 1, k), False
        elif depth == 1:
            value, rests = estimate(searched, families.sums[1, k]), True
        elif depth == 2:
            value, rests = searched.lanes.values[k], searched.lanes.estimated[k]
        else:
            value, rests = _search(searched, 1, k, depth - 1, best - SAME, INFINITE)
            if searched.is_unfit[0] or searched.findings[0].is_cut:
                return 50.0, False
        values[k] = value
        is_estimate = is_estimate or rests
        best = max(best, value)
    for k in range(count):
        if values[k] < best - SAME:
            values[k] = np.nan
    if best >= _WON - SAME:
        is_estimate = False
    return best, is_estimate


@compile_kernel(nogil=True)
def _search(searched, ply, member, left, alpha, beta):
    """Return what a position is worth, and whether that rests on estimates.

    The position is not over, `left` is at least 2. Outside of the window, from alpha to beta, a
    value is a bound.
    """
    families, memory = searched.families, searched.memory
    key = families.hashes[ply, member]
    slot = np.int64(key & np.uint64(memory.shape[0] - 1))
    favourite = np.int32(-1)
    if memory[slot].hash == key:
        favourite = memory[slot].favourite
        if memory[slot].depth >= left:
            value, kind = memory[slot].value, memory[slot].kind
            if (
                kind == EXACT
                or (kind == LOWER and value >= beta)
                or (kind == UPPER and value <= alpha)
            ):
                return value, memory[slot].is_estimate != 0
    decider = find_decider(families.starts[ply, member], searched.nature)
    is_own = decider < 0 or searched.is_own[decider]
    count = _begin(searched, ply, member)
    if searched.is_unfit[0] or searched.findings[0].is_cut:
        return 50.0, True
    if count == 0:
        # Stuck, though the game is not over.
        return 50.0, False
    if count < 0:
        # So many moves that there is no room for them.
        return estimate(searched, families.sums[ply, member]), True
    low, high = alpha, beta
    best = -INFINITE if is_own else INFINITE
    chosen = -1
    is_estimate = False
    _rank(searched, ply + 1, count, favourite)
    at_once = _list_ends(families, ply + 1, count)
    begun = at_once
    # As many as fit into a pass, more or less; if all is to be tried, more of them.
    batch = max(1, searched.lanes.parents.shape[0] // (count + 1))
    for place in range(count):
        k = families.order[ply + 1, place]
        if place < at_once:
            value, rests = value_of(searched, ply + 1, k), False
        elif left == 2:
            if place == begun:
                begun = min(count, place + batch)
                batch *= 4
                part = families.order[ply + 1, place:begun]
                if not fold_replies(searched, ply + 1, part):
                    return 50.0, True
            value, rests = searched.lanes.values[k], searched.lanes.estimated[k]
        else:
            value, rests = _search(searched, ply + 1, k, left - 1, low, high)
            if searched.is_unfit[0] or searched.findings[0].is_cut:
                return 50.0, True
        if (is_own and value > best) or (not is_own and value < best):
            best, chosen = value, k
        is_estimate = is_estimate or rests
        if is_own:
            low = max(low, best)
            is_certain = best >= _WON
        else:
            high = min(high, best)
            is_certain = best <= _LOST
        if low >= high or is_certain:
            # One move proves it, whatever the others are worth.
            is_estimate = rests
            searched.history[families.moves[ply + 1, k]] += left * left
            break
    kept = memory[slot]
    kept.hash = key
    kept.value = best
    kept.depth = left
    kept.kind = LOWER if best >= beta else (UPPER if best <= alpha else EXACT)
    kept.favourite = families.moves[ply + 1, chosen] if chosen >= 0 else np.int32(-1)
    kept.is_estimate = 1 if is_estimate else 0
    return best, is_estimate


@compile_kernel(nogil=True)
def _begin(searched, ply, member):
    """Make the family of a position; return its size, -1 where there is no room for it.

    Sets `is_unfit` or `is_cut`.
    """
    families, findings = searched.families, searched.findings
    if ply + 2 >= families.states.shape[0]:
        return -1
    decider = find_decider(families.starts[ply, member], searched.nature)
    if decider == -2:
        searched.is_unfit[0] = True
        return -1
    if decider == -3:
        return 0
    count = expand(searched, ply, member, decider)
    findings[0].nodes += max(count, 1)
    if findings[0].nodes > searched.limit:
        findings[0].is_cut = True
    if ply == 0:
        _rank(searched, 1, count, np.int32(-1))
    return count


@compile_kernel(nogil=True)
def _rank(searched, ply, count, favourite):
    """Put the favourite first, and moves that were good elsewhere before others."""
    families = searched.families
    order, ranks = families.order[ply], families.ranks[ply]
    for k in range(count):
        move = families.moves[ply, k]
        rank = searched.history[move] if move != favourite else np.int64(1) << 60
        place = k
        while place > 0 and ranks[place - 1] < rank:
            order[place], ranks[place] = order[place - 1], ranks[place - 1]
            place -= 1
        order[place], ranks[place] = k, rank


@compile_kernel(nogil=True)
def _list_ends(families, ply, count):
    """Put members in which the game is over before all others; return how many they are."""
    order = families.order[ply]
    ends = 0
    for place in range(count):
        k = order[place]
        if families.terminal[ply, k]:
            for other in range(place, ends, -1):
                order[other] = order[other - 1]
            order[ends] = k
            ends += 1
    return ends
