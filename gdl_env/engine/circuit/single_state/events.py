"""One state at a time: only gates whose inputs changed are computed again.

A move changes a few facts of a large state, so most gates keep their value. Gates are numbered so
that inputs come first; a set of bits holds those to be looked at, and is worked off in order.

A cycle is a section of that order. It is repeated while its feedback rises, which is all that
happens as long as what it depends on only grows; when something falls, it starts again from
nothing, since what holds only by itself does not hold.
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.single_state.columns import (
    BYTES,
    CYCLE,
    END_FED,
    END_WORD,
    FALLS,
    FED,
    FED_LITERAL,
    FED_NODE,
    FIRST_FED,
    FIRST_WORD,
    GATE,
    LEFT,
    OTHER,
    RIGHT,
    TRUTH,
    USE,
    USER,
)
from gdl_env.engine.circuit.single_state.raw import get8, get32, get64, lowest, put8, put32, put64

# Compiled code gets the address of a frame: addresses of arrays, and sizes.
GATES, STARTS, USES, LOOPS, FEEDBACK, VALUES, DIRTY, TRAIL, LOOP_COUNT, WORDS, NODES = range(11)
FRAME = 11


@compile_kernel(nogil=True)
def is_true(values, literal):
    """Return the value of a literal."""
    return get8(values, literal >> 1) ^ (literal & 1)


@compile_kernel(nogil=True)
def _gate(gates, values, node):
    left, right = get32(gates, GATE * node + LEFT), get32(gates, GATE * node + RIGHT)
    place = get8(values, left) | (get8(values, right) << 1)
    return (get32(gates, GATE * node + TRUTH) >> place) & 1


@compile_kernel(nogil=True)
def settle(frame):
    """Compute all gates again."""
    gates, values, loops = get64(frame, GATES), get64(frame, VALUES), get64(frame, LOOPS)
    position = 0
    for loop in range(get64(frame, LOOP_COUNT)):
        row = loops + BYTES * CYCLE * loop
        _settle_section(gates, values, position, 64 * get32(row, FIRST_WORD))
        _least_fixpoint(frame, row)
        position = 64 * get32(row, END_WORD)
    _settle_section(gates, values, position, get64(frame, NODES))


@compile_kernel(nogil=True)
def _settle_section(gates, values, first, end):
    for node in range(first, end):
        # Inputs have no truth table.
        if get32(gates, GATE * node + TRUTH):
            put8(values, node, _gate(gates, values, node))


@compile_kernel(nogil=True)
def _least_fixpoint(frame, loop):
    gates, values, feedback = get64(frame, GATES), get64(frame, VALUES), get64(frame, FEEDBACK)
    for i in range(get32(loop, FIRST_FED), get32(loop, END_FED)):
        put8(values, get32(feedback, FED * i + FED_NODE), 0)
    changed = True
    while changed:
        _settle_section(gates, values, 64 * get32(loop, FIRST_WORD), 64 * get32(loop, END_WORD))
        changed = False
        for i in range(get32(loop, FIRST_FED), get32(loop, END_FED)):
            node = get32(feedback, FED * i + FED_NODE)
            if is_true(values, get32(feedback, FED * i + FED_LITERAL)) and not get8(values, node):
                put8(values, node, 1)
                changed = True


@compile_kernel(nogil=True)
def mark_users(node, values, starts, uses, dirty):
    """Mark the users of a node whose other input leaves the decision to it.

    If that other input changes later on, it marks them itself.
    """
    for i in range(get32(starts, node), get32(starts, node + 1)):
        other = get32(uses, USE * i + OTHER)
        if get8(values, other >> 2) != other & 3:
            add_bit(dirty, get32(uses, USE * i + USER))


@compile_kernel(nogil=True)
def add_bit(words, place):
    """Add a number to a set of bits."""
    put64(words, place >> 6, get64(words, place >> 6) | (np.int64(1) << (place & 63)))


@compile_kernel(nogil=True)
def flip(frame, count, node):
    """Change a node; remember that, and mark what may change with it."""
    values = get64(frame, VALUES)
    put8(values, node, get8(values, node) ^ 1)
    put32(get64(frame, TRAIL), count, node)
    mark_users(node, values, get64(frame, STARTS), get64(frame, USES), get64(frame, DIRTY))
    return count + 1


@compile_kernel(nogil=True)
def flip_all(frame, count, end):
    """Flip the inputs that are on a part of the trail.

    One is flipped after the other: where two inputs of a gate change, the first finds the second
    as it was, and marks the gate.
    """
    for i in range(count, end):
        flip(frame, i, get32(get64(frame, TRAIL), i))


@compile_kernel(nogil=True)
def propagate(frame, count):
    """Compute what is marked, in order; return the new length of the trail of changes."""
    position = np.int64(0)
    for loop in range(get64(frame, LOOP_COUNT)):
        row = get64(frame, LOOPS) + BYTES * CYCLE * loop
        count, _ = _scan(frame, count, position, get32(row, FIRST_WORD))
        count = _repeat(frame, count, row)
        position = get32(row, END_WORD)
    count, _ = _scan(frame, count, position, get64(frame, WORDS))
    return count


@compile_kernel(nogil=True)
def _scan(frame, count, first, end):
    """Work off the marks of some words; tell too whether a node of a cycle fell."""
    gates, starts, uses = get64(frame, GATES), get64(frame, STARTS), get64(frame, USES)
    values, dirty, trail = get64(frame, VALUES), get64(frame, DIRTY), get64(frame, TRAIL)
    fell = 0
    for word in range(first, end):
        while get64(dirty, word):
            bits = get64(dirty, word)
            put64(dirty, word, bits & (bits - 1))
            node = 64 * word + lowest(bits)
            value = _gate(gates, values, node)
            if value != get8(values, node):
                put8(values, node, value)
                fell |= (get32(gates, GATE * node + FALLS) >> value) & 1
                put32(trail, count, node)
                count += 1
                mark_users(node, values, starts, uses, dirty)
    return count, fell


@compile_kernel(nogil=True)
def _repeat(frame, count, loop):
    """Bring a cycle to its least fixpoint."""
    values, feedback = get64(frame, VALUES), get64(frame, FEEDBACK)
    while True:
        count, fell = _scan(frame, count, get32(loop, FIRST_WORD), get32(loop, END_WORD))
        before = count
        for i in range(get32(loop, FIRST_FED), get32(loop, END_FED)):
            node = get32(feedback, FED * i + FED_NODE)
            if is_true(values, get32(feedback, FED * i + FED_LITERAL)) != get8(values, node):
                fell |= get8(values, node)
                count = flip(frame, count, node)
        if fell:
            return _restart(frame, count, loop)
        if count == before:
            return count


@compile_kernel(nogil=True)
def _restart(frame, count, loop):
    """Compute a cycle from nothing; remember and mark what has changed by that."""
    values, trail, dirty = get64(frame, VALUES), get64(frame, TRAIL), get64(frame, DIRTY)
    first, end = 64 * get32(loop, FIRST_WORD), 64 * get32(loop, END_WORD)
    before = np.empty(end - first, np.uint8)
    for node in range(first, end):
        before[node - first] = get8(values, node)
    _least_fixpoint(frame, loop)
    for node in range(first, end):
        if get8(values, node) != before[node - first]:
            put32(trail, count, node)
            count += 1
            mark_users(node, values, get64(frame, STARTS), get64(frame, USES), dirty)
    for word in range(get32(loop, FIRST_WORD), get32(loop, END_WORD)):
        put64(dirty, word, 0)
    return count


@compile_kernel(nogil=True)
def undo(frame, count, target):
    """Take changes back until the trail has its former length."""
    values, trail = get64(frame, VALUES), get64(frame, TRAIL)
    while count > target:
        count -= 1
        node = get32(trail, count)
        put8(values, node, get8(values, node) ^ 1)
    return count
