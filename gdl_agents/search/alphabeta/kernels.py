"""Alpha-beta search on the engine's network for single states: do and undo, no copies.

One player tries to get the most, all others together give it the least. Where several act at once,
its own move is chosen first, without being played, and then theirs: only then the step is taken.
Chance counts as its mean, and so does a turn that is drawn. The arrays are described in `records`.
"""

from __future__ import annotations

import numpy as np

from gdl_agents.search.alphabeta.plies import INFINITE, descend, open_turn, split_own, take_turn
from gdl_agents.search.alphabeta.position import evaluate, find_legal, goal_of, hash_of
from gdl_agents.search.alphabeta.records import (
    CHANCE,
    EXACT,
    FIRST_ROLE,
    LOWER,
    OTHERS,
    OWN,
    UPPER,
)
from gdl_agents.search.game.turn_kernels import UNKNOWN
from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.single_state.events import VALUES, is_true, undo
from gdl_env.engine.circuit.single_state.raw import get64

# Two values are the same if they differ by less.
SAME = 1e-6
# What the search does next: it enters a position, takes the value of a child, has finished with a
# ply, or continues with the turn of another role there.
_ENTER, _RETURN, _FINISH, _TURN = 0, 1, 2, 3


@compile_kernel(nogil=True)
def search(searched, limit, deepest, found, findings):
    """Search from the state that is put up, deeper and deeper; return nothing.

    - limit: positions at most
    - found: (2, L) found[0] gets the value of each root move of the player in the order of its
      rows, NaN for those that are worse than the best
    - findings: (1) FINDINGS
    """
    findings[0].nodes = 0
    findings[0].depth = 0
    findings[0].is_exact = False
    findings[0].is_cut = False
    for depth in range(1, deepest + 1):
        best, estimates = _search_depth(searched, limit, depth, found[1], findings)
        if findings[0].is_cut:
            return
        # If all is lost, what was best before the loss was seen holds out longest.
        if best > 0.0 or depth == 1:
            found[0] = found[1]
        findings[0].depth = depth
        if estimates == 0:
            findings[0].is_exact = True
            return
        if best >= 100.0 or best <= 0.0:
            return


@compile_kernel(nogil=True)
def _search_depth(searched, limit, depth, values, findings):
    """Search to one depth; return the best value, and how many states were only estimated."""
    # Unpacked once: parts of records that are taken out again and again cost time.
    networks, game, scoring, memory, way = searched
    plies = way.plies
    now = networks.now
    values[:] = np.nan
    estimates = 0
    ply = 0
    count = 0
    plies[0].hash = hash_of(now, game.facts, game.marks, game.marks[game.facts])
    plies[0].last = UNKNOWN
    plies[0].alpha, plies[0].beta = -INFINITE, INFINITE
    result = 0.0
    todo = _ENTER
    while True:
        if todo == _ENTER:
            findings[0].nodes += 1
            if findings[0].nodes > limit:
                findings[0].is_cut = True
                undo(now, count, 0)
                return 0.0, estimates
            plies[ply].trail = count
            plies[ply].estimates = estimates
            result, more, is_leaf = _enter(way, game, networks, scoring, memory, ply, depth - ply)
            estimates += more
            if is_leaf:
                if ply == 0:
                    return result, estimates
                ply -= 1
                todo = _RETURN
        if todo == _RETURN:
            count = undo(now, count, plies[ply].trail)
            result, todo = _take_value(plies, way.parts, ply, game.player, result, values)
            if todo == _TURN:
                take_turn(way, game, ply, plies[ply].turn)
                open_turn(way, game, ply, np.int32(-1))
            if todo == _FINISH:
                _remember(way, game, memory, ply, depth - ply, result, estimates)
                if ply == 0:
                    _sift(values, way.parts[0, FIRST_ROLE + game.player].count, result)
                    return result, estimates
                ply -= 1
                todo = _RETURN
                continue
        count = descend(way, game, networks, ply, count)
        _set_window(plies, ply, way.parts[ply, CHANCE].count > 1)
        ply += 1
        todo = _ENTER


@compile_kernel(nogil=True, inline='always')
def _enter(way, game, networks, scoring, memory, ply, left):
    """Begin with a position, `left` moves above the leaves.

    Returns its value if it has no moves to try, the estimates behind that, and whether that is so.
    """
    now, plies, starts = networks.now, way.plies, way.starts
    roles = starts.shape[1] - 1
    if is_true(get64(now, VALUES), game.terminal):
        return goal_of(now, game.facts, scoring, game.player), 0, True
    most = game.moves.shape[0]
    if left == 0 or (ply and starts[ply - 1, roles] + most > way.rows.shape[0]):
        # Deep enough, or so many moves on the way that no more have room.
        return evaluate(now, game.facts, scoring.weights), 1, True
    key = plies[ply].hash
    slot = np.int64(key & np.uint64(memory.shape[0] - 1))
    favourite = np.int32(-1)
    if memory[slot].hash == key:
        favourite = memory[slot].favourite
        if ply > 0 and memory[slot].depth >= left:
            value, kind = memory[slot].value, memory[slot].kind
            if (
                kind == EXACT
                or (kind == LOWER and value >= plies[ply].beta)
                or (kind == UPPER and value <= plies[ply].alpha)
            ):
                return value, np.int64(memory[slot].is_estimate), True
    free = starts[ply - 1, roles] if ply else 0
    end = find_legal(networks, game.facts, game.legal, game.moves, way.rows, free, starts[ply])
    turns = 1
    if not game.is_serial:
        for role in range(roles):
            way.acting[role] = starts[ply, role + 1] > starts[ply, role]
    elif ply == 0:
        way.acting[:] = False
        way.acting[game.player] = True
    else:
        turns = take_turn(way, game, ply, 0)
        if turns > 1:
            # The value of each role's turn counts, however good or bad.
            plies[ply].alpha, plies[ply].beta = -INFINITE, INFINITE
    plies[ply].turn, plies[ply].turns = 0, turns
    plies[ply].chance_mean, plies[ply].turn_mean = 0.0, 0.0
    some = open_turn(way, game, ply, favourite)
    # Stuck, though the game is not over.
    return 50.0, 0, not some or end == free


@compile_kernel(nogil=True, inline='always')
def _take_value(plies, parts, ply, player, result, values):
    """Take over the value of a child; return the value so far, and what to do next.

    That is to play the next moves (_ENTER), to finish the ply, whose value it is then, or to
    continue with the turn of another role.
    """
    here = plies[ply]
    own, others, chance = parts[ply, OWN], parts[ply, OTHERS], parts[ply, CHANCE]
    if chance.count > 1:
        here.chance_mean += result / chance.count
        chance.now += 1
        if chance.now < chance.count:
            return result, _ENTER
        result = here.chance_mean
        here.chance_mean = 0.0
        chance.now = 0
    floor = max(here.alpha, here.best - (SAME if ply == 0 else 0.0))
    if result < here.least:
        here.least = result
        others.best = others.now
    others.now += 1
    value = here.least
    if others.now < others.count and value > floor:
        return result, _ENTER
    if ply == 0:
        index, _ = split_own(parts, ply, player)
        # Partners choose what is best; there is no value yet at first.
        if not values[index] >= value:
            values[index] = value
    if value > here.best:
        here.best = value
        own.best = own.now
    others.now = 0
    here.least = INFINITE
    own.now += 1
    if own.now < own.count and here.best < here.beta:
        return result, _ENTER
    if here.turns == 1:
        return here.best, _FINISH
    here.turn_mean += here.best / here.turns
    here.turn += 1
    if here.turn == here.turns:
        return here.turn_mean, _FINISH
    return result, _TURN


@compile_kernel(nogil=True, inline='always')
def _set_window(plies, ply, is_drawn):
    """Say within which bounds the next child matters: any value does where chance is drawn."""
    here, below = plies[ply], plies[ply + 1]
    if is_drawn:
        below.alpha, below.beta = -INFINITE, INFINITE
        return
    below.alpha = max(here.alpha, here.best - (SAME if ply == 0 else 0.0))
    below.beta = min(here.beta, here.least)


@compile_kernel(nogil=True)
def _sift(values, count, best):
    """Mark root moves that are worse than the best: their values are bounds only."""
    for k in range(count):
        if values[k] < best - SAME:
            values[k] = np.nan


@compile_kernel(nogil=True, inline='always')
def _remember(way, game, memory, ply, left, result, estimates):
    """Keep the value of a position, and which move decided it."""
    here, parts, starts, player = way.plies[ply], way.parts, way.starts, game.player
    favourite = np.int32(-1)
    own = parts[ply, OWN].best
    if parts[ply, FIRST_ROLE + player].count > 1 and own >= 0:
        joint = parts[ply, OWN].count // parts[ply, FIRST_ROLE + player].count
        favourite = way.rows[starts[ply, player] + own // joint]
    elif game.is_serial and parts[ply, OWN].count > 1 and own >= 0:
        # A partner moves.
        for role in range(starts.shape[1] - 1):
            if game.are_partners[role] and parts[ply, FIRST_ROLE + role].count > 1:
                favourite = way.rows[starts[ply, role] + own]
    elif parts[ply, OTHERS].best >= 0:
        rest = parts[ply, OTHERS].best
        for role in range(starts.shape[1] - 2, -1, -1):
            size = parts[ply, FIRST_ROLE + role].count
            is_other = role not in (player, game.nature) and not game.are_partners[role]
            if is_other and size > 0:
                index = rest % size
                rest //= size
                if size > 1:
                    favourite = way.rows[starts[ply, role] + index]
    if favourite >= 0 and (result >= here.beta or result <= here.alpha):
        way.history[favourite] += left * left
    kept = memory[np.int64(here.hash & np.uint64(memory.shape[0] - 1))]
    kept.hash = here.hash
    kept.value = result
    kept.depth = left
    kept.kind = LOWER if result >= here.beta else (UPPER if result <= here.alpha else EXACT)
    kept.favourite = favourite
    # Whether a value rests on estimates decides whether the search must go deeper.
    kept.is_estimate = 1 if estimates > here.estimates else 0
