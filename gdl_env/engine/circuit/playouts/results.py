"""Results of games that end: which lanes they are in, how long they took, which goals hold.

In small games most of the time goes here, so goals are not looked at one by one where few bits say
everything: the bits of a game are its code, lengths and codes are noted in one word, and decoded
in the end.
"""

from __future__ import annotations

import platform

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.layout import FIRST_INPUT
from gdl_env.engine.circuit.playouts.records import BEGAN, GAME, STOPS, PlayoutResults, PlayProgram
from gdl_env.engine.circuit.tape.program import run_program

# Bits of a code: goals, and whether the game is over.
CODE_BITS = 8
# Games that may take longer are not coded.
LONGEST_CODED = 1 << (31 - CODE_BITS)
# Other processors have no instruction that turns the bits of a word into bytes.
_CAN_SPREAD = platform.machine() in {'x86_64', 'AMD64'}


@intrinsic
def lowest_bit(context, word):
    """Return the place of the lowest bit of a word that is not 0."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def _spread(context, codes, word, value):
    """Add a value to those of 64 bytes for which a bit of the word is set."""

    def generate(context, builder, signature, args):
        byte = ir.IntType(8)
        vector = ir.VectorType(byte, 64)
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.bitcast(array.data, vector.as_pointer())
        one = builder.insert_element(
            ir.Constant(vector, ir.Undefined), args[2], ir.Constant(ir.IntType(32), 0)
        )
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
        values = builder.shuffle_vector(one, one, lanes)
        chosen = builder.bitcast(args[1], ir.VectorType(ir.IntType(1), 64))
        known = builder.load(place)
        known.align = 1
        nothing = ir.Constant(vector, [0] * 64)
        store = builder.store(builder.or_(known, builder.select(chosen, values, nothing)), place)
        store.align = 1
        return context.get_dummy_value()

    return types.void(codes, types.uint64, types.uint8), generate


@compile_kernel(nogil=True)
def find_codes(width, end, w, data, rows, codes):
    """Collect the bits of some rows in a byte for each lane of a word, at least those that end."""
    if _CAN_SPREAD:
        for b in range(64):
            codes[b] = 0
        for k in range(len(rows)):
            _spread(codes, data[rows[k] * width + w], np.uint8(1 << k))
        return
    while end:
        b = lowest_bit(end)
        end &= end - np.uint64(1)
        code = np.uint64(0)
        for k in range(len(rows)):
            bit = (data[rows[k] * width + w] >> b) & np.uint64(1)
            code |= bit << np.uint64(k)
        codes[b] = code


@compile_kernel(nogil=True)
def close_coded(time, end, w, codes, lanes, busy, steps):
    """Note lengths and codes of games; return how many ended."""
    count = 0
    done = np.uint64(0)
    first = np.uint64(64 * w)
    while end:
        b = lowest_bit(end)
        end &= end - np.uint64(1)
        lane = first + b
        game = np.uint64(lanes[GAME, lane])
        steps[game] = (time - lanes[BEGAN, lane]) << CODE_BITS | codes[b]
        lanes[BEGAN, lane] = time + 1
        lanes[GAME, lane] = game + np.uint64(1)
        done |= np.uint64(lanes[GAME, lane] == lanes[STOPS, lane]) << b
        count += 1
    busy[w] &= ~done
    return count


@compile_kernel(nogil=True)
def decode(first, last, table, over, results: PlayoutResults):
    """Turn codes into results; `table` has goals for each code, `over` is the bit of the end."""
    steps, ends, goals = results.steps, results.is_terminal, results.goals
    for game in range(np.uint64(first), np.uint64(last)):
        code = np.uint64(steps[game] & ((1 << CODE_BITS) - 1))
        steps[game] >>= CODE_BITS
        ends[game] = (code >> np.uint64(over)) & np.uint64(1)
        for role in range(np.uint64(table.shape[1])):
            goals[game, role] = table[code, role]


@compile_kernel(nogil=True)
def close(time, end, over, w, lanes, busy, results: PlayoutResults):
    """Note how long games took and how they ended; return how many did."""
    count = 0
    steps, ends = results.steps, results.is_terminal
    done = np.uint64(0)
    first = np.uint64(64 * w)
    while end:
        b = lowest_bit(end)
        end &= end - np.uint64(1)
        lane = first + b
        game = np.uint64(lanes[GAME, lane])
        steps[game] = time - lanes[BEGAN, lane]
        ends[game] = (over >> b) & np.uint64(1)
        lanes[BEGAN, lane] = time + 1
        lanes[GAME, lane] = game + np.uint64(1)
        done |= np.uint64(lanes[GAME, lane] == lanes[STOPS, lane]) << b
        count += 1
    busy[w] &= ~done
    return count


@compile_kernel(nogil=True)
def assign(play: PlayProgram, end, w, games, goals):
    """Note goals one by one; larger values come later."""
    data, width = play.step.data, play.step.width
    for k in range(len(play.eager)):
        bits = data[play.eager[k] * width + w] & end
        while bits:
            game = games[np.uint64(64 * w) + lowest_bit(bits)]
            bits &= bits - np.uint64(1)
            goals[game, play.goal_role[k]] = play.goal_value[k]


@compile_kernel(nogil=True)
def put_aside(play: PlayProgram, end, w, games, waiting, waits, goals):
    """Copy final states to the memory in which goals are computed; return how many wait."""
    data, final, width = play.step.data, play.goals.data, play.step.width
    while end:
        b = lowest_bit(end)
        end &= end - np.uint64(1)
        word = waits >> 6
        shift = np.uint64(waits & 63)
        for row in range(FIRST_INPUT, FIRST_INPUT + play.facts):
            place = row * width + word
            value = (data[row * width + w] >> b) & np.uint64(1)
            final[place] = (final[place] & ~(np.uint64(1) << shift)) | (value << shift)
        waiting[waits] = games[np.uint64(64 * w) + b]
        waits += 1
        if waits == len(waiting):
            score(play, waiting, waits, goals)
            waits = 0
    return waits


@compile_kernel(nogil=True)
def score(play: PlayProgram, waiting, count, goals):
    """Compute the goals of the final states that wait; larger values come later."""
    final, width = play.goals.data, play.goals.width
    run_program(play.goals)
    for k in range(len(play.apart)):
        for w in range((count + 63) >> 6):
            bits = final[play.apart[k] * width + w]
            if count < 64 * (w + 1):
                bits &= (np.uint64(1) << np.uint64(count & 63)) - np.uint64(1)
            while bits:
                game = waiting[np.uint64(64 * w) + lowest_bit(bits)]
                bits &= bits - np.uint64(1)
                goals[game, play.goal_role[k]] = play.goal_value[k]
