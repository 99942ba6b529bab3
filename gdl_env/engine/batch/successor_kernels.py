"""Steps, and what is possible after them: state and moves → successor, legal moves, end, goals.

States are rows outside and rows of bits inside (see `bit_rows`); between the programs of a game
they stay rows of bits. Children of the same state lie side by side as a rule, so a parent is
written into the bits of all its children at once, fact by fact that holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.bit_rows import load_rows, store_rows
from gdl_env.engine.batch.kernels import list_moves, set_move
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.batch.word_bits import count_ones, lowest_one
from gdl_env.engine.circuit.tape.program import run_program
from gdl_env.word_rows import join_words

if TYPE_CHECKING:
    from gdl_env.engine.batch.circuit_programs import CircuitPrograms

# What turning over 64 bits of 64 states costs, in facts that are written for a parent.
_SQUARE = 80


class SuccessorTables(NamedTuple):
    """Programs of a game, which no other thread may use, and what their outputs mean."""

    programs: CircuitPrograms
    # int32 (legal moves): the role of each.
    legal_roles: NDArray[np.int32]
    # int32 (goals, 3): the place of a goal among the outputs, its role, its value; in rising order
    # of values.
    goals: NDArray[np.int32]


@compile_kernel(nogil=True)
def follow_states(tables, states, parents, does, found, starts, terminal, goals):
    """Play moves in states, and look at what comes of it; return the rows of all legal moves.

    - tables: SuccessorTables; no move is set in the memory of its step, before and after
    - states: (states, words); parents: (n) which of them each step begins in
    - does: (n, roles) int32, rows of what is done, negative for roles that do not act
    - found: (n, words) the states after
    - starts: (n, roles + 1) where the legal moves of each role begin among all of them
    - terminal: (n) bool; goals: (n, roles) int16, written where the game is over
    """
    look = tables.programs.look
    size = 64 * look.program.width
    bits = np.empty((min(size, parents.shape[0]), (look.legal.shape[0] + 63) >> 6), np.uint64)
    rows = np.empty(max(64, 32 * parents.shape[0]), np.int32)
    count = 0
    for first in range(0, parents.shape[0], size):
        end = min(first + size, parents.shape[0])
        part = bits[: end - first]
        follow_block(
            tables,
            states,
            parents[first:end],
            does[first:end],
            found[first:end],
            part,
            terminal[first:end],
            goals[first:end],
        )
        rows = make_room(rows, count, part)
        count = list_moves(part, tables.legal_roles, starts[first:end], rows, count)
    return rows[:count].copy()


@compile_kernel(nogil=True)
def follow_block(tables, states, parents, does, found, bits, terminal, goals):
    """Play moves in up to as many states as a row has bits, and look at what comes of it.

    - tables, states, parents, does, terminal, goals: as in `follow_states`
    - found: (n, words) the states after, or (0, words) where they are not needed
    - bits: (n, words) a bit for each legal move, or (0, words)
    """
    step, look, score = tables.programs
    width = step.program.width
    _advance_block(step, states, parents, does)
    hand_on(step, look.reads, look.program.data)
    run_program(look.program)
    if found.shape[0]:
        store_rows(step.program.data, width, step.after, np.arange(found.shape[0]), found)
    if bits.shape[0]:
        store_rows(look.program.data, width, look.legal, np.arange(bits.shape[0]), bits)
    if mark_ends(look, width, terminal):
        hand_on(step, score.reads, score.program.data)
        run_program(score.program)
        read_goals(score, tables.goals, terminal, goals)
    _forget_moves(step, does)


@compile_kernel(nogil=True)
def _advance_block(step, states, parents, does):
    """Play moves in up to as many states as a row has bits; the result stays in the memory."""
    program = step.program
    _load_parents(states, parents, step.facts, program.data, program.width)
    for place in range(parents.shape[0]):
        for role in range(does.shape[1]):
            if does[place, role] >= 0:
                set_move(step, does[place, role], place)
    run_program(program)


@compile_kernel(nogil=True, makes_arrays=False)
def _forget_moves(step, does):
    """Take back the moves that were set: facts of the next state may be moves themselves."""
    program = step.program
    low = FIRST_INPUT + step.facts
    for place in range(does.shape[0]):
        for role in range(does.shape[1]):
            if does[place, role] >= 0:
                spot = (low + does[place, role]) * program.width + (place >> 6)
                program.data[spot] = np.uint64(0)


@compile_kernel(nogil=True)
def _load_parents(states, parents, facts, data, width):
    """Lay states as rows of facts into the inputs of a tape; see `load_rows`."""
    words, count = states.shape[1], parents.shape[0]
    # Either fact by fact for each run of children, or all bits by squares.
    cost = 0
    for i in range(count):
        if i == 0 or parents[i] != parents[i - 1]:
            for word in range(words):
                cost += 1 + count_ones(states[parents[i], word])
    if cost > _SQUARE * words * ((count + 63) >> 6):
        load_rows(states, parents, facts, data, width)
        return
    low = FIRST_INPUT * width
    data[low : low + facts * width] = np.uint64(0)
    mask = np.empty(width, np.uint64)
    begin = 0
    while begin < count:
        end = begin + 1
        while end < count and parents[end] == parents[begin]:
            end += 1
        _fill_mask(mask, begin, end)
        for word in range(words):
            left = states[parents[begin], word]
            while left:
                spot = (FIRST_INPUT + 64 * word + lowest_one(left)) * width
                left &= left - np.uint64(1)
                join_words(data, data, mask, (spot, spot, 0), width)
        begin = end


@compile_kernel(nogil=True, makes_arrays=False)
def _fill_mask(mask, begin, end):
    """Set the bits from `begin` up to `end` of a row, and no others."""
    for w in range(mask.shape[0]):
        low, high = max(begin - 64 * w, 0), min(end - 64 * w, 64)
        mask[w] = np.uint64(0)
        if low < high:
            ones = ~np.uint64(0) >> np.uint64(64 - (high - low))
            mask[w] = ones << np.uint64(low)


@compile_kernel(nogil=True, makes_arrays=False)
def hand_on(step, reads, target):
    """Copy the facts after a step that another program reads to its memory."""
    source, width, after = step.program.data, step.program.width, step.after
    for k in range(reads.shape[0]):
        place = (FIRST_INPUT + np.int64(reads[k])) * width
        spot = np.int64(after[reads[k]]) * width
        join_words(target, source, source, (place, spot, spot), width)


@compile_kernel(nogil=True, makes_arrays=False)
def mark_ends(look, width, terminal):
    """Tell of each state whether the game is over; return whether it is in any."""
    data, place = look.program.data, np.int64(look.terminal) * width
    some = False
    for i in range(terminal.shape[0]):
        over = (data[place + (i >> 6)] >> np.uint64(i & 63)) & np.uint64(1) != np.uint64(0)
        terminal[i] = over
        some = some or over
    return some


@compile_kernel(nogil=True, makes_arrays=False)
def read_goals(score, order, terminal, goals):
    """Write the goals of states in which the game is over; larger values count."""
    data, width = score.program.data, score.program.width
    for k in range(order.shape[0]):
        place = np.int64(score.goals[order[k, 0]]) * width
        for w in range((terminal.shape[0] + 63) >> 6):
            left = data[place + w]
            while left:
                i = 64 * w + lowest_one(left)
                left &= left - np.uint64(1)
                if i < terminal.shape[0] and terminal[i]:
                    goals[i, order[k, 1]] = order[k, 2]


@compile_kernel(nogil=True)
def make_room(rows, count, bits):
    """Return rows with room for the moves of some states behind the first ones."""
    wanted = count
    for i in range(bits.shape[0]):
        for word in range(bits.shape[1]):
            wanted += count_ones(bits[i, word])
    if wanted <= rows.shape[0]:
        return rows
    larger = np.empty(2 * wanted, rows.dtype)
    larger[:count] = rows[:count]
    return larger
