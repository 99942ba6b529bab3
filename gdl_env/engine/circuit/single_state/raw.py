"""Memory by its address, for compiled code that is called very often.

An array costs a reference count for each function that it is passed to, and a fifth of a
microsecond for each call from Python; with dozens of arrays that is more than the work itself.
Who passes an address keeps the array alive.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _reader(width: int) -> Any:
    def read(typing_context, address, index):
        def generate(context, builder, signature, args):
            value = builder.load(_place(context, builder, signature, args, width))
            if width == 64:
                return value
            # Small numbers are bits; others have a sign.
            return (builder.zext if width == 8 else builder.sext)(value, ir.IntType(64))

        return types.int64(address, index), generate

    return intrinsic(read)


def _writer(width: int) -> Any:
    def write(typing_context, address, index, value):
        def generate(context, builder, signature, args):
            number = context.cast(builder, args[2], signature.args[2], types.int64)
            if width < 64:
                number = builder.trunc(number, ir.IntType(width))
            builder.store(number, _place(context, builder, signature, args, width))
            return context.get_dummy_value()

        return types.none(address, index, value), generate

    return intrinsic(write)


def _place(context: Any, builder: Any, signature: Any, args: Any, width: int) -> Any:
    base, index = (
        context.cast(builder, args[i], signature.args[i], types.int64) for i in range(2)
    )
    pointer = builder.inttoptr(base, ir.PointerType(ir.IntType(width)))
    return builder.gep(pointer, [index])


# A number of so many bits at a place of an array.
get8, get32, get64 = _reader(8), _reader(32), _reader(64)
put8, put32, put64 = _writer(8), _writer(32), _writer(64)


@intrinsic
def lowest(typing_context, word):
    """Return the place of the lowest bit of a word that is not 0."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
