"""Records of arrays that compiled code opens by their address.

A call of compiled code costs a third of a microsecond for every array it is given, more than a
step of a small game. What stays the same from call to call is therefore handed over once, as a
table of addresses and shapes: the handle, one array. Whoever makes a handle keeps its arrays.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic
import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel

# Entries of a handle for each array: its address, rows and columns.
_ENTRIES = 3


def make_handle(arrays: Iterable[NDArray[Any]]) -> NDArray[np.uint64]:
    """Return the handle of contiguous arrays of one or two dimensions.

    Raises ValueError for any other array.
    """
    rows = []
    for array in arrays:
        if not array.flags.c_contiguous or array.ndim not in (1, 2):
            raise ValueError('a handle holds contiguous arrays of one or two dimensions')
        shape = array.shape if array.ndim == 2 else (*array.shape, 1)
        rows.append((array.ctypes.data, *shape))
    return np.array(rows, np.uint64).reshape(-1)


@intrinsic
def pointer_at(context, address):
    """Return an address as a pointer."""
    signature = types.voidptr(types.uintp)

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return signature, generate


@compile_kernel(nogil=True)
def pointer_in(handle, entry):
    """Return a pointer to the array of an entry."""
    return pointer_at(np.uintp(handle[_ENTRIES * entry]))


@compile_kernel(nogil=True)
def shape_in(handle, entry):
    """Return rows and columns of the array of an entry."""
    return np.intp(handle[_ENTRIES * entry + 1]), np.intp(handle[_ENTRIES * entry + 2])


@compile_kernel(nogil=True)
def words(handle, entry):
    """Return an array of 64-bit words: rows by columns."""
    return carray(pointer_in(handle, entry), shape_in(handle, entry), np.uint64)


@compile_kernel(nogil=True)
def flags(handle, entry):
    """Return an array of booleans: rows by columns."""
    return carray(pointer_in(handle, entry), shape_in(handle, entry), np.bool_)


@compile_kernel(nogil=True)
def flag_line(handle, entry):
    """Return an array of booleans of one dimension."""
    return carray(pointer_in(handle, entry), shape_in(handle, entry)[0], np.bool_)


@compile_kernel(nogil=True)
def word_line(handle, entry):
    """Return an array of 64-bit words of one dimension."""
    return carray(pointer_in(handle, entry), shape_in(handle, entry)[0], np.uint64)


@compile_kernel(nogil=True)
def int_line(handle, entry):
    """Return an array of 32-bit integers of one dimension."""
    return carray(pointer_in(handle, entry), shape_in(handle, entry)[0], np.int32)


@compile_kernel(nogil=True)
def ints(handle, entry):
    """Return an array of 32-bit integers: rows by columns."""
    return carray(pointer_in(handle, entry), shape_in(handle, entry), np.int32)


@compile_kernel(nogil=True)
def long_line(handle, entry):
    """Return an array of 64-bit integers of one dimension."""
    return carray(pointer_in(handle, entry), shape_in(handle, entry)[0], np.int64)


@compile_kernel(nogil=True)
def number_line(handle, entry):
    """Return an array of unsigned 32-bit integers of one dimension."""
    return carray(pointer_in(handle, entry), shape_in(handle, entry)[0], np.uint32)
