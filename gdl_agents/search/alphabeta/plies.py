"""One ply of alpha-beta search: whose turn it is, in which order moves are tried, a step down."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.alphabeta.records import CHANCE, FIRST_ROLE, OTHERS, OWN
from gdl_agents.search.game.turn_kernels import effective_rule, find_able
from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.single_state.events import TRAIL
from gdl_env.engine.circuit.single_state.raw import get32, get64
from gdl_env.engine.circuit.single_state.single import do
from gdl_env.play.turn_order import find_mover

# More than any value.
INFINITE = 1e9
# TurnRule.RANDOM, as a constant of compiled code.
_RANDOM = 2


@compile_kernel(nogil=True)
def take_turn(way, game, ply, number):
    """Mark the role that moves; return how many may be the one, and then it is that number."""
    acting, last = way.acting, way.plies[ply].last
    is_noop = game.moves['is_noop']
    count = find_able(way.rows, way.starts[ply], is_noop, game.nature, acting)
    rule = effective_rule(game.rule, last)
    if count > 1 and rule != _RANDOM:
        mover = find_mover(rule, acting, last, np.uint64(0))
        acting[:] = False
        acting[mover] = True
        return 1
    skip = number
    for role in range(acting.shape[0]):
        if acting[role]:
            acting[role] = skip == 0
            skip -= 1
    return max(count, 1)


@compile_kernel(nogil=True, inline='always')
def open_turn(way, game, ply, favourite):
    """Begin with the moves of the roles that act in a ply; return whether any role does."""
    parts, starts, acting = way.parts, way.starts, way.acting
    player, nature = game.player, game.nature
    for part in (OWN, OTHERS, CHANCE):
        parts[ply, part].now = 0
        parts[ply, part].count = 1
        parts[ply, part].best = -1
    some = False
    for role in range(acting.shape[0]):
        if not acting[role]:
            parts[ply, FIRST_ROLE + role].count = 0
            continue
        some = True
        first = starts[ply, role]
        size = starts[ply, role + 1] - first
        parts[ply, FIRST_ROLE + role].count = size
        is_own = role == player or game.are_partners[role]
        kind = OWN if is_own else (CHANCE if role == nature else OTHERS)
        parts[ply, kind].count *= size
        if role != nature and (ply > 0 or role != player):
            order_moves(way.rows, first, first + size, favourite, way.history)
    way.plies[ply].best = -INFINITE
    way.plies[ply].least = INFINITE
    return some


@compile_kernel(nogil=True)
def order_moves(rows, first, end, favourite, history):
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


@compile_kernel(nogil=True, inline='always')
def split_own(parts, ply, player):
    """Return the player's part of the own moves that are played now, and that of its partners."""
    joint = parts[ply, OWN].count // max(1, parts[ply, FIRST_ROLE + player].count)
    return parts[ply, OWN].now // joint, parts[ply, OWN].now % joint


@compile_kernel(nogil=True, inline='always')
def descend(way, game, networks, ply, count):
    """Play the moves that are next in this ply; take and return the length of the trail."""
    parts, moves = way.parts, way.moves
    chosen = 0
    passes = True
    rest = parts[ply, OTHERS].now
    own, of_partners = split_own(parts, ply, game.player)
    before_last = way.plies[ply].last
    last = before_last
    for role in range(moves.shape[0] - 1, -1, -1):
        size = parts[ply, FIRST_ROLE + role].count
        if size == 0:
            continue
        if role == game.player:
            index = own
        elif role == game.nature:
            index = parts[ply, CHANCE].now
        elif game.are_partners[role]:
            index = of_partners % size
            of_partners //= size
        else:
            index = rest % size
            rest //= size
        if role != game.nature:
            last = role
        row = way.rows[way.starts[ply, role] + index]
        moves[chosen] = game.moves[row].does
        chosen += 1
        if game.is_serial:
            passes = passes and game.moves[row].is_noop
    before = count
    if not (game.is_serial and passes):
        # Where one moves at a time, a pass leaves the state as it is.
        count = do(networks.now, networks.learned, game.after, count, moves[:chosen])
    trail = get64(networks.now, TRAIL)
    marks, facts = game.marks, game.facts
    found = way.plies[ply].hash
    for k in range(before, count):
        node = get32(trail, k)
        if 1 <= node <= facts:
            found ^= marks[node - 1]
    if game.is_serial:
        found ^= marks[facts + 3 + before_last] ^ marks[facts + 3 + last]
    way.plies[ply + 1].hash = found
    way.plies[ply + 1].last = last
    return count
