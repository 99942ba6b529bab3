"""Trees of what a player knows: nodes and arms are keys of tables, not places in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.tree.tree_kernels import draw_number
from gdl_env.compiling import compile_kernel


class KnownArms(NamedTuple):
    """A table of arms by their keys: open addressing, P places, a power of 2."""

    # (P) the key of an arm, of its node, role and move; 0 where the place is free.
    keys: NDArray[np.uint64]
    # (P) descents that took the arm and have their result.
    visits: NDArray[np.int64]
    # (P) the sum of the values that its role got from them.
    sums: NDArray[np.float64]
    # (P) descents that could have taken the arm.
    offers: NDArray[np.int64]
    # (P) descents that took the arm and wait for their result; they count as lost.
    pending: NDArray[np.int64]


class Descents(NamedTuple):
    """The descents of a batch, B of them, which go down step by step together."""

    # (B) the key of the node that each has reached.
    nodes: NDArray[np.uint64]
    # (B) whether it is still on its way.
    active: NDArray[np.bool_]
    # (B, roles + 1) the legal moves of role r are rows[starts[i, r]:starts[i, r + 1]].
    starts: NDArray[np.int64]
    # (moves) the row of each legal move.
    rows: NDArray[np.int32]
    # (B, roles) which roles act.
    acting: NDArray[np.bool_]


class ChosenMoves(NamedTuple):
    """What the roles of the descents choose in one step."""

    # (B, roles) the row of the legal move; -1 for roles that do not act.
    legal: NDArray[np.int32]
    # (B, roles) the key of its arm; 0 for none.
    path: NDArray[np.uint64]


@compile_kernel(nogil=True)
def join_key(key, value):
    """Return a key that belongs to another one and a number."""
    word = (key ^ np.uint64(value)) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(32))


@compile_kernel(nogil=True)
def find(keys, key):
    """Return the place of a key in a table, or where it would be; 0 is no key."""
    mask = np.uint64(keys.shape[0] - 1)
    place = np.int64(key & mask)
    while keys[place] != np.uint64(0) and keys[place] != key:
        place = (place + 1) & np.int64(mask)
    return place


@compile_kernel(nogil=True)
def choose(descents, arms, nature, exploration, random, chosen):
    """Choose a move for each role that acts, in each descent that is on its way.

    `chosen` gets the result. Returns how many arms are new.
    """
    nodes, starts, rows = descents.nodes, descents.starts, descents.rows
    legal, path = chosen.legal, chosen.path
    new = 0
    for i in range(nodes.shape[0]):
        for role in range(legal.shape[1]):
            legal[i, role] = -1
            path[i, role] = np.uint64(0)
            first, end = starts[i, role], starts[i, role + 1]
            if not descents.active[i] or not descents.acting[i, role] or end == first:
                continue
            if role == nature or end - first == 1:
                pick = draw_number(random, end - first) if end - first > 1 else 0
                legal[i, role] = rows[first + pick]
                if role == nature:
                    continue
            best, best_bound = -1, -1e300
            shift = draw_number(random, end - first)
            for k in range(end - first):
                row = rows[first + (shift + k) % (end - first)]
                key = join_key(join_key(nodes[i], role + 1), row + 1) | np.uint64(1)
                place = find(arms.keys, key)
                if arms.keys[place] == np.uint64(0):
                    arms.keys[place] = key
                    arms.visits[place], arms.offers[place], arms.pending[place] = 0, 0, 0
                    arms.sums[place] = 0.0
                    new += 1
                arms.offers[place] += 1
                count = arms.visits[place] + arms.pending[place]
                bound = 1e300
                if count:
                    bound = arms.sums[place] / count
                    bound += exploration * np.sqrt(np.log(float(arms.offers[place])) / count)
                if bound > best_bound:
                    best, best_bound = place, bound
                    legal[i, role] = row
            path[i, role] = arms.keys[best]
            arms.pending[best] += 1
    return new


@compile_kernel(nogil=True)
def enter(nodes, active, own, seen, known):
    """Go on to the nodes that belong to what is seen; descents end at those that are new.

    - own: (B) the row of the player's own move
    - seen: (B, words) what the player is shown
    - known: (places) a table of the keys of nodes
    """
    new = 0
    for i in range(nodes.shape[0]):
        if not active[i]:
            continue
        key = join_key(nodes[i], own[i] + 2)
        for word in range(seen.shape[1]):
            key = join_key(key, seen[i, word])
        key |= np.uint64(1)
        nodes[i] = key
        place = find(known, key)
        if known[place] == np.uint64(0):
            known[place] = key
            active[i] = False
            new += 1
    return new


@compile_kernel(nogil=True)
def back_up(paths, length, values, arms):
    """Add values, (B, roles), to all arms on the way: (steps, B, roles) `paths`."""
    for i in range(values.shape[0]):
        for step in range(length):
            for role in range(values.shape[1]):
                if paths[step, i, role]:
                    place = find(arms.keys, paths[step, i, role])
                    arms.visits[place] += 1
                    arms.sums[place] += values[i, role]
                    arms.pending[place] -= 1


@compile_kernel(nogil=True)
def insert(known, keys):
    """Enter keys into a table."""
    for key in keys:
        known[find(known, key)] = key


@compile_kernel(nogil=True)
def rehash(old, new):
    """Move all arms to a larger table."""
    for place in range(old.keys.shape[0]):
        if old.keys[place] != np.uint64(0):
            other = find(new.keys, old.keys[place])
            new.keys[other] = old.keys[place]
            new.visits[other] = old.visits[place]
            new.sums[other] = old.sums[place]
            new.offers[other] = old.offers[place]
            new.pending[other] = old.pending[place]


@compile_kernel(nogil=True)
def read_arms(nodes, role, rows, arms, visits, means):
    """Look up how often moves of a role were tried, and with what success.

    - nodes, rows: (moves) the node of each move, and its row
    - visits, means: (moves) get the result
    """
    for k in range(rows.shape[0]):
        key = join_key(join_key(nodes[k], role + 1), rows[k] + 1) | np.uint64(1)
        place = find(arms.keys, key)
        if arms.keys[place] != np.uint64(0) and arms.visits[place] > 0:
            visits[k] = arms.visits[place]
            means[k] = arms.sums[place] / arms.visits[place]
