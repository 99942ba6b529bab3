"""Running tapes: the inner loops, compiled once for each width and kept on disk by numba.

A width is the number of 64-bit words in a row: 64 games a word. Wide rows are best for many games
at once, one word is best for single states.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel
from gdl_env.engine.circuit.network.logic import AND, ANDNOT, OR, XOR
from gdl_env.engine.circuit.tape.columns import (
    END,
    FED_INPUT,
    FED_LOOP,
    FED_RESULT,
    FIRST,
    LOOP,
    RUN_KIND,
)

WIDE = 16


def _make_gate(width: int, kind: int) -> Any:
    """Return a compiled operation on rows: D[target] = D[left] op D[right], as one vector.

    numba's own vectoriser must assume that rows overlap; reading both before writing says they
    may.
    """
    word = ir.IntType(64)
    vector = word if width == 1 else ir.VectorType(word, width)

    @intrinsic
    def gate(context, data, target, left, right):
        signature = types.void(data, target, left, right)

        def generate(context, builder, signature, args):
            array = context.make_array(signature.args[0])(context, builder, args[0])
            base = builder.bitcast(array.data, word.as_pointer())

            def pointer(offset):
                return builder.bitcast(builder.gep(base, [offset]), vector.as_pointer())

            a, b = builder.load(pointer(args[2])), builder.load(pointer(args[3]))
            a.align = b.align = 8
            if kind == AND:
                result = builder.and_(a, b)
            elif kind == OR:
                result = builder.or_(a, b)
            elif kind == XOR:
                result = builder.xor(a, b)
            else:
                result = builder.and_(a, builder.not_(b))
            store = builder.store(result, pointer(args[1]))
            store.align = 8
            return context.get_dummy_value()

        return signature, generate

    return gate


and_wide, or_wide, xor_wide, andnot_wide = (_make_gate(WIDE, k) for k in (AND, OR, XOR, ANDNOT))


@compile_kernel(nogil=True, boundscheck=False, makes_arrays=False)
def run_wide(places, runs, feedback, data):
    """Run a tape on rows of WIDE words; `places` are those of the tape for that width."""
    index = 0
    while index < runs.shape[0]:
        loop = runs[index, LOOP]
        if loop == 0:
            _run_wide(places, runs[index, RUN_KIND], runs[index, FIRST], runs[index, END], data)
            index += 1
            continue
        end = index
        while end < runs.shape[0] and runs[end, LOOP] == loop:
            end += 1
        clear_feedback(feedback, loop, data, WIDE)
        changed = True
        while changed:
            for k in range(index, end):
                _run_wide(places, runs[k, RUN_KIND], runs[k, FIRST], runs[k, END], data)
            changed = copy_feedback(feedback, loop, data, WIDE)
        index = end


@compile_kernel(nogil=True, boundscheck=False, makes_arrays=False)
def _run_wide(places, kind, first, end, data):
    # Unsigned throughout: signed indices would be tested for negative ones.
    one, two, three = np.uintp(1), np.uintp(2), np.uintp(3)
    low, high = np.uintp(first) * three, np.uintp(end) * three
    if kind == AND:
        for i in range(low, high, three):
            and_wide(
                data, np.uintp(places[i]), np.uintp(places[i + one]), np.uintp(places[i + two])
            )
    elif kind == OR:
        for i in range(low, high, three):
            or_wide(
                data, np.uintp(places[i]), np.uintp(places[i + one]), np.uintp(places[i + two])
            )
    elif kind == XOR:
        for i in range(low, high, three):
            xor_wide(
                data, np.uintp(places[i]), np.uintp(places[i + one]), np.uintp(places[i + two])
            )
    else:
        for i in range(low, high, three):
            andnot_wide(
                data, np.uintp(places[i]), np.uintp(places[i + one]), np.uintp(places[i + two])
            )


@compile_kernel(nogil=True, boundscheck=False, makes_arrays=False)
def run_one(places, runs, feedback, data):
    """Run a tape on rows of one word."""
    index = 0
    while index < runs.shape[0]:
        loop = runs[index, LOOP]
        if loop == 0:
            _run_one(places, runs[index, RUN_KIND], runs[index, FIRST], runs[index, END], data)
            index += 1
            continue
        end = index
        while end < runs.shape[0] and runs[end, LOOP] == loop:
            end += 1
        clear_feedback(feedback, loop, data, 1)
        changed = True
        while changed:
            for k in range(index, end):
                _run_one(places, runs[k, RUN_KIND], runs[k, FIRST], runs[k, END], data)
            changed = copy_feedback(feedback, loop, data, 1)
        index = end


@compile_kernel(nogil=True, boundscheck=False, makes_arrays=False)
def _run_one(places, kind, first, end, data):
    one, two, three = np.uintp(1), np.uintp(2), np.uintp(3)
    low, high = np.uintp(first) * three, np.uintp(end) * three
    if kind == AND:
        for i in range(low, high, three):
            data[places[i]] = data[places[i + one]] & data[places[i + two]]
    elif kind == OR:
        for i in range(low, high, three):
            data[places[i]] = data[places[i + one]] | data[places[i + two]]
    elif kind == XOR:
        for i in range(low, high, three):
            data[places[i]] = data[places[i + one]] ^ data[places[i + two]]
    else:
        for i in range(low, high, three):
            data[places[i]] = data[places[i + one]] & ~data[places[i + two]]


@compile_kernel(nogil=True, makes_arrays=False)
def clear_feedback(feedback, loop, data, width):
    """Start a cycle: nothing of it holds."""
    for k in range(feedback.shape[0]):
        if feedback[k, FED_LOOP] == loop:
            for w in range(width):
                data[feedback[k, FED_INPUT] * width + w] = np.uint64(0)


@compile_kernel(nogil=True, makes_arrays=False)
def copy_feedback(feedback, loop, data, width):
    """Feed the results of a cycle back; return whether anything changed."""
    changed = False
    for k in range(feedback.shape[0]):
        if feedback[k, FED_LOOP] == loop:
            for w in range(width):
                new = data[feedback[k, FED_RESULT] * width + w]
                place = feedback[k, FED_INPUT] * width + w
                if data[place] != new:
                    data[place] = new
                    changed = True
    return changed
