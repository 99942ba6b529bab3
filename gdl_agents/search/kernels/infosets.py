"""Trees of what a player knows: nodes and arms are keys of tables, not places in arrays."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.kernels.tree import draw_number
from gdl_env.engine.compiling import compile_kernel


@compile_kernel(nogil=True)
def mix(key, value):
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
def choose(nodes, active, starts, rows, acting, arms, nature, constant, random, legal, path):
    """Choose a move for everybody who acts, in each state that is still on its way.

    Arms are (keys, visits, sums, times it was there, pending). `legal` gets the moves, `path` the
    keys of their arms (0: none). Returns how many arms are new.
    """
    keys, visits, sums, there, pending = arms
    new = 0
    for i in range(nodes.shape[0]):
        for role in range(acting.shape[1]):
            legal[i, role] = -1
            path[i, role] = np.uint64(0)
            first, end = starts[i, role], starts[i, role + 1]
            if not active[i] or not acting[i, role] or end == first:
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
                key = mix(mix(nodes[i], role + 1), row + 1) | np.uint64(1)
                place = find(keys, key)
                if keys[place] == np.uint64(0):
                    keys[place] = key
                    visits[place], there[place], pending[place] = 0, 0, 0
                    sums[place] = 0.0
                    new += 1
                there[place] += 1
                count = visits[place] + pending[place]
                bound = 1e300
                if count:
                    bound = sums[place] / count
                    bound += constant * np.sqrt(np.log(float(there[place])) / count)
                if bound > best_bound:
                    best, best_bound = place, bound
                    legal[i, role] = row
            path[i, role] = keys[best]
            pending[best] += 1
    return new


@compile_kernel(nogil=True)
def enter(nodes, active, own, seen, known):
    """Go on to the nodes that belong to what is seen; tell which are new: these are left."""
    new = 0
    for i in range(nodes.shape[0]):
        if not active[i]:
            continue
        key = mix(nodes[i], own[i] + 2)
        for word in range(seen.shape[1]):
            key = mix(key, seen[i, word])
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
    """Add values to all arms on the way."""
    keys, visits, sums, _, pending = arms
    for i in range(values.shape[0]):
        for step in range(length):
            for role in range(values.shape[1]):
                if paths[step, i, role]:
                    place = find(keys, paths[step, i, role])
                    visits[place] += 1
                    sums[place] += values[i, role]
                    pending[place] -= 1


@compile_kernel(nogil=True)
def insert(known, keys):
    """Enter keys into a table."""
    for key in keys:
        known[find(known, key)] = key


@compile_kernel(nogil=True)
def rehash(old, new):
    """Move all arms to a larger table."""
    for place in range(old[0].shape[0]):
        if old[0][place] != np.uint64(0):
            other = find(new[0], old[0][place])
            new[0][other] = old[0][place]
            new[1][other] = old[1][place]
            new[2][other] = old[2][place]
            new[3][other] = old[3][place]
            new[4][other] = old[4][place]


@compile_kernel(nogil=True)
def arms_of(nodes, role, rows, owner, arms, visits, means):
    """Look up how often root moves were tried, and with what success."""
    for k in range(rows.shape[0]):
        key = mix(mix(nodes[owner[k]], role + 1), rows[k] + 1) | np.uint64(1)
        place = find(arms[0], key)
        if arms[0][place] != np.uint64(0) and arms[1][place] > 0:
            visits[k] = arms[1][place]
            means[k] = arms[2][place] / arms[1][place]
