"""The value of every atom as a literal of the network, by compiled code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.logic import FALSE, TRUE, and_all, or_all
from gdl_env.engine.circuit.network.numbers import count_true, is_equal

UNKNOWN = -1


class GroundRules(NamedTuple):
    """The instances of all rules, by their head, and the counts, by their group.

    An atom is a number. A literal of a body is 2 · atom, plus 1 where it is negated.
    """

    # int64, shape (atoms + 1): the instances that derive atom a are first[a] to first[a + 1].
    first: NDArray[np.int64]
    # int64, shape (instances + 1): the body of instance k is literals[begin[k]:begin[k + 1]].
    begin: NDArray[np.int64]
    # int32, shape (literals).
    literals: NDArray[np.int32]
    # int64, shape (atoms): the group that an atom of `count` counts; -1 for other atoms.
    group_of: NDArray[np.int64]
    # int64, shape (groups + 1): group g is group_atoms[group_start[g]:group_start[g + 1]].
    group_start: NDArray[np.int64]
    # int64, shape (members of all groups): atoms.
    group_atoms: NDArray[np.int64]
    # int64, shape (atoms): how many of its group must hold for an atom of `count` to hold.
    number: NDArray[np.int64]


@compile_kernel()
def sort_bodies(head, start, literals, atoms):
    """Order instances by their head: those of atom a are first[a] to first[a + 1]."""
    count = len(head)
    first = np.zeros(atoms + 1, np.int64)
    for i in range(count):
        first[head[i] + 1] += 1
    for a in range(atoms):
        first[a + 1] += first[a]
    place = first[:-1].copy()
    order = np.empty(count, np.int64)
    for i in range(count):
        order[place[head[i]]] = i
        place[head[i]] += 1
    begin = np.zeros(count + 1, np.int64)
    for k in range(count):
        i = order[k]
        begin[k + 1] = begin[k] + start[i + 1] - start[i]
    sorted_literals = np.empty(len(literals), np.int32)
    for k in range(count):
        i = order[k]
        sorted_literals[begin[k] : begin[k + 1]] = literals[start[i] : start[i + 1]]
    return first, begin, sorted_literals


@compile_kernel()
def components(rules):
    """Return the strong component of each atom, dependencies first (Tarjan, iterative).

    The same as `language.dependencies.strong_components`, which is for any graph, but compiled
    and without a list of edges: a ground program has a million of them.
    """
    first, begin, literals = rules.first, rules.begin, rules.literals
    group_of, group_start, group_atoms = rules.group_of, rules.group_start, rules.group_atoms
    atoms = len(first) - 1
    index = np.full(atoms, -1, np.int64)
    low = np.zeros(atoms, np.int64)
    component = np.full(atoms, -1, np.int64)
    stack = np.empty(atoms, np.int64)
    work = np.empty(atoms, np.int64)
    cursor = np.zeros(atoms, np.int64)
    top = 0
    clock = 0
    found = 0
    for root in range(atoms):
        if index[root] >= 0:
            continue
        depth = 0
        work[0] = root
        index[root] = low[root] = clock
        clock += 1
        stack[top] = root
        top += 1
        while depth >= 0:
            a = work[depth]
            group = group_of[a]
            low_end = begin[first[a]]
            length = begin[first[a + 1]] - low_end
            extra = group_start[group + 1] - group_start[group] if group >= 0 else 0
            moved = False
            while cursor[a] < length + extra:
                if cursor[a] < length:
                    b = np.int64(literals[low_end + cursor[a]] >> 1)
                else:
                    b = np.int64(group_atoms[group_start[group] + cursor[a] - length])
                cursor[a] += 1
                if index[b] < 0:
                    depth += 1
                    work[depth] = b
                    index[b] = low[b] = clock
                    clock += 1
                    stack[top] = b
                    top += 1
                    moved = True
                    break
                if component[b] < 0:
                    low[a] = min(low[a], index[b])
            if moved:
                continue
            if low[a] == index[a]:
                while True:
                    top -= 1
                    b = stack[top]
                    component[b] = found
                    if b == a:
                        break
                found += 1
            depth -= 1
            if depth >= 0:
                low[work[depth]] = min(low[work[depth]], low[a])
    return component


@compile_kernel()
def evaluate(net, value, order, rules):
    """Compute the literal of each atom of `order`, in which dependencies come first.

    `value` holds what is known already (inputs, constants, feedback of cycles).
    """
    first, begin = rules.first, rules.begin
    group_start, group_atoms = rules.group_start, rules.group_atoms
    longest = 1
    for a in order:
        longest = max(longest, first[a + 1] - first[a])
    for k in range(len(begin) - 1):
        longest = max(longest, begin[k + 1] - begin[k])
    bodies = np.empty(longest, np.int32)
    parts = np.empty(longest, np.int32)
    sums = [np.zeros(0, np.int32) for _ in range(len(group_start))]
    for a in order:
        if value[a] != UNKNOWN:
            continue
        group = rules.group_of[a]
        if group >= 0:
            if len(sums[group]) == 0:
                members = group_atoms[group_start[group] : group_start[group + 1]]
                lits = np.empty(len(members), np.int32)
                for i in range(len(members)):
                    lits[i] = value[members[i]]
                sums[group] = count_true(net, lits)
            value[a] = is_equal(net, sums[group], rules.number[a])
            continue
        value[a] = body_value(net, value, a, rules, bodies, parts)


@compile_kernel()
def body_value(net, value, a, rules, bodies, parts):
    """Return the literal that says whether some instance derives atom a.

    `bodies` and `parts` are room for as many literals as an atom has instances, and an instance
    has literals.
    """
    first, begin, literals = rules.first, rules.begin, rules.literals
    count = 0
    for k in range(first[a], first[a + 1]):
        size = begin[k + 1] - begin[k]
        is_idle = False
        for i in range(size):
            x = literals[begin[k] + i]
            # Deriving an atom from itself adds nothing.
            is_idle = is_idle or x == 2 * a
            parts[i] = value[x >> 1] ^ (x & 1)
        if is_idle:
            continue
        body = and_all(net, parts, size)
        if body == TRUE:
            return np.int32(TRUE)
        if body != FALSE:
            bodies[count] = body
            count += 1
    return or_all(net, bodies, count)


@compile_kernel()
def spread(order, marked, rules):
    """Mark atoms that depend on marked ones; return whether another pass is needed.

    Dependencies come first in the order: more than one pass is for cycles.
    """
    first, begin, literals = rules.first, rules.begin, rules.literals
    group_of, group_start, group_atoms = rules.group_of, rules.group_start, rules.group_atoms
    grown = False
    for a in order:
        if marked[a]:
            continue
        for i in range(begin[first[a]], begin[first[a + 1]]):
            if marked[literals[i] >> 1]:
                marked[a] = True
                break
        group = group_of[a]
        if group >= 0:
            for i in range(group_start[group], group_start[group + 1]):
                if marked[group_atoms[i]]:
                    marked[a] = True
                    break
        grown = grown or marked[a]
    return grown
