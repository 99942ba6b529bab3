"""Programs of moves: learned by evaluating gates on literals, and run on a state.

A program is the number of moves, the moves, the numbers of words of the two parts that follow,
then gates as rows (value, operation, literal, literal) and facts as rows (fact, literal).
"""

from __future__ import annotations

import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.logic import AND, ANDNOT, FALSE, INPUT, OR, TRUE, XOR
from gdl_env.engine.circuit.single_state.columns import (
    BYTES,
    CHANGE,
    CHANGED_FACT,
    CHANGED_LITERAL,
    FACTS_SIZE,
    FIRST_MOVE,
    FIRST_OPERAND,
    GATES_SIZE,
    MOVE_COUNT,
    MOVING_GATE,
    NEXT_FACT,
    NEXT_INVERTED,
    NEXT_NODE,
    NEXT_ROW,
    OPERATION,
    SECOND_OPERAND,
    SIZES,
    STEP,
    STEP_FIRST,
    STEP_OPERATION,
    STEP_SECOND,
    STEP_VALUE,
)
from gdl_env.engine.circuit.single_state.events import add_bit, is_true
from gdl_env.engine.circuit.single_state.raw import get8, get32, get64, lowest, put8, put32, put64

# Compiled code gets the address of a frame: addresses of arrays, and sizes.
GATES, STARTS, USES, BASE, NEXT, ALWAYS, LITERALS, DIRTY, MADE, NEEDED, POOL, TABLE = range(12)
NODES, NEXTS, ALWAYSES, BASES, STATES, WORDS, TABLE_MASK, POOL_SIZE, LARGEST = range(12, 21)
# What has been learned: words of the pool, and programs.
USED, KNOWN = 21, 22
FRAME = 23


@compile_kernel(nogil=True)
def _make(made, count, states, kind, x, y):
    put32(made, MOVING_GATE * count + OPERATION, kind)
    put32(made, MOVING_GATE * count + FIRST_OPERAND, x)
    put32(made, MOVING_GATE * count + SECOND_OPERAND, y)
    return 2 * (states + count), count + 1


@compile_kernel(nogil=True)
def _both(made, count, states, x, y):
    """Return the literal of x and y, and the number of gates made."""
    if x == FALSE or y == FALSE or x == (y ^ 1):
        return np.int64(FALSE), count
    if x == TRUE or x == y:  # noqa: SIM109 - compiled code
        return y, count
    if y == TRUE:
        return x, count
    return _make(made, count, states, AND, x, y)


@compile_kernel(nogil=True)
def _differ(made, count, states, x, y):
    """Return the literal of x exclusive-or y, and the number of gates made."""
    if x <= TRUE or y <= TRUE:
        return x ^ y, count
    if x >> 1 == y >> 1:
        return (x ^ y) & 1, count
    literal, count = _make(made, count, states, XOR, x & ~1, y & ~1)
    return literal ^ ((x ^ y) & 1), count


@compile_kernel(nogil=True)
def _input(literals, code):
    """Return the literal of an input of a gate."""
    return code & ~1 if code & 1 else get32(literals, code >> 1)


@compile_kernel(nogil=True)
def _literal(gates, literals, made, count, states, node):
    """Return the literal of a gate on literals, and the number of gates made."""
    kind = get32(gates, MOVING_GATE * node + OPERATION)
    x = _input(literals, get32(gates, MOVING_GATE * node + FIRST_OPERAND))
    y = _input(literals, get32(gates, MOVING_GATE * node + SECOND_OPERAND))
    if kind == XOR:
        return _differ(made, count, states, x, y)
    if kind == OR:
        inverted, count = _both(made, count, states, x ^ 1, y ^ 1)
        return inverted ^ 1, count
    return _both(made, count, states, x, y ^ 1 if kind == ANDNOT else y)


@compile_kernel(nogil=True)
def evaluate_all(gates, literals, made, nodes, states):
    """Evaluate all gates on literals; return the number of gates made."""
    count = np.int64(0)
    for node in range(nodes):
        if get32(gates, MOVING_GATE * node + OPERATION) != INPUT:
            literal, count = _literal(gates, literals, made, count, states, node)
            put32(literals, node, literal)
    return count


# ---- programs


@compile_kernel(nogil=True)
def program_of(frame, moves):
    """Return the address of the program of some moves."""
    pool, table, mask = get64(frame, POOL), get64(frame, TABLE), get64(frame, TABLE_MASK)
    key = np.int64(0)
    for move in moves:
        key = (key + move + 1) * 0x1E3779B97F4A7C15
        key ^= key >> 32
    place = key & mask
    while get32(table, place):
        program = pool + BYTES * (get32(table, place) - 1)
        if get32(program, MOVE_COUNT) == moves.shape[0]:
            same = True
            for i in range(moves.shape[0]):
                same &= get32(program, FIRST_MOVE + i) == moves[i]
            if same:
                return program
        place = (place + 1) & mask
    used, known = get64(frame, USED), get64(frame, KNOWN)
    if 2 * known > mask or used + get64(frame, LARGEST) > get64(frame, POOL_SIZE):
        # Too much has been learned: all of it is forgotten.
        for i in range(mask + 1):
            put32(table, i, 0)
        used = known = 0
        place = key & mask
    end = _learn(frame, moves, pool + BYTES * used)
    put32(table, place, used + 1)
    put64(frame, USED, (end - pool) // BYTES)
    put64(frame, KNOWN, known + 1)
    return pool + BYTES * used


@compile_kernel(nogil=True)
def _learn(frame, moves, program):
    """Write the program of some moves; return its end."""
    literals, after = get64(frame, LITERALS), get64(frame, NEXT)
    count = _evaluate(frame, moves)
    put32(program, MOVE_COUNT, moves.shape[0])
    for i in range(moves.shape[0]):
        put32(program, FIRST_MOVE + i, moves[i])
    sizes = program + BYTES * (FIRST_MOVE + moves.shape[0])
    first = sizes + BYTES * SIZES
    end = _write_gates(frame, count, first)
    put32(sizes, GATES_SIZE, (end - first) // BYTES)
    first = end
    for row in range(get64(frame, NEXTS)):
        fact = get32(after, NEXT_ROW * row + NEXT_FACT)
        node = get32(after, NEXT_ROW * row + NEXT_NODE)
        literal = get32(literals, node) ^ get32(after, NEXT_ROW * row + NEXT_INVERTED)
        if literal != 2 * fact:
            put32(end, CHANGED_FACT, fact)
            put32(end, CHANGED_LITERAL, literal)
            end += BYTES * CHANGE
    put32(sizes, FACTS_SIZE, (end - first) // BYTES)
    for node in range(get64(frame, NODES)):
        put32(literals, node, get32(get64(frame, BASE), node))
    return end


@compile_kernel(nogil=True)
def _evaluate(frame, moves):
    """Evaluate gates on literals where some moves are made; return the number of gates made."""
    gates, starts, uses = get64(frame, GATES), get64(frame, STARTS), get64(frame, USES)
    literals, dirty, made = get64(frame, LITERALS), get64(frame, DIRTY), get64(frame, MADE)
    count = get64(frame, BASES)
    for move in moves:
        put32(literals, move, TRUE)
        for i in range(get32(starts, move), get32(starts, move + 1)):
            add_bit(dirty, get32(uses, i))
    for word in range(get64(frame, WORDS)):
        while get64(dirty, word):
            bits = get64(dirty, word)
            put64(dirty, word, bits & (bits - 1))
            node = 64 * word + lowest(bits)
            literal, count = _literal(gates, literals, made, count, get64(frame, STATES), node)
            if literal != get32(literals, node):
                put32(literals, node, literal)
                for i in range(get32(starts, node), get32(starts, node + 1)):
                    add_bit(dirty, get32(uses, i))
    return count


@compile_kernel(nogil=True)
def _write_gates(frame, count, end):
    """Write the gates that the facts need; return the end of them."""
    literals, after = get64(frame, LITERALS), get64(frame, NEXT)
    made, needed, states = get64(frame, MADE), get64(frame, NEEDED), get64(frame, STATES)
    for gate in range(count):
        put8(needed, gate, 0)
    for row in range(get64(frame, NEXTS)):
        node = get32(literals, get32(after, NEXT_ROW * row + NEXT_NODE)) >> 1
        if node >= states:
            put8(needed, node - states, 1)
    for gate in range(count - 1, -1, -1):
        if get8(needed, gate):
            for side in (FIRST_OPERAND, SECOND_OPERAND):
                node = get32(made, MOVING_GATE * gate + side) >> 1
                if node >= states:
                    put8(needed, node - states, 1)
    for gate in range(count):
        if get8(needed, gate):
            place = MOVING_GATE * gate
            put32(end, STEP_VALUE, states + gate)
            put32(end, STEP_OPERATION, get32(made, place + OPERATION))
            put32(end, STEP_FIRST, get32(made, place + FIRST_OPERAND))
            put32(end, STEP_SECOND, get32(made, place + SECOND_OPERAND))
            end += BYTES * STEP
    return end


@compile_kernel(nogil=True)
def find_changes(frame, values, moves, trail, count):
    """Write the facts that moves change to the trail; return its new length."""
    sizes = program_of(frame, moves) + BYTES * (FIRST_MOVE + moves.shape[0])
    place = sizes + BYTES * SIZES
    gates_end = place + BYTES * get32(sizes, GATES_SIZE)
    end = gates_end + BYTES * get32(sizes, FACTS_SIZE)
    while place < gates_end:
        x = is_true(values, get32(place, STEP_FIRST))
        y = is_true(values, get32(place, STEP_SECOND))
        is_and = get32(place, STEP_OPERATION) == AND
        put8(values, get32(place, STEP_VALUE), x & y if is_and else x ^ y)
        place += BYTES * STEP
    count = _compare(values, place, end, trail, count)
    always = get64(frame, ALWAYS)
    return _compare(values, always, always + BYTES * CHANGE * get64(frame, ALWAYSES), trail, count)


@compile_kernel(nogil=True)
def _compare(values, place, end, trail, count):
    """Write facts that differ from what they become to the trail."""
    while place < end:
        fact = get32(place, CHANGED_FACT)
        put32(trail, count, fact)
        count += is_true(values, get32(place, CHANGED_LITERAL)) ^ get8(values, fact)
        place += BYTES * CHANGE
    return count
