"""Calls of machine code from compiled code."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel


@intrinsic
def _call(context, address, first, second):
    signature = types.void(types.uintp, types.uintp, types.uintp)

    def generate(context, builder, signature, args):
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [word, word])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1], args[2]])
        return context.get_dummy_value()

    return signature, generate


@compile_kernel(nogil=True, makes_arrays=False)
def run_machine(address, data, generator):
    """Run machine code on memory and the state of its generators."""
    _call(np.uintp(address), np.uintp(data.ctypes.data), np.uintp(generator.ctypes.data))
