"""Takes messages, and drops what does not count, in compiled code: without Python.

In a flood of answers, whatever is done in Python for each of them is taken from the match. Here a
message costs about a microsecond: it is taken by the function of rcl that rclpy itself calls, and
judged by its tick. What might count is handed out.

Looking again and again is also the quickest way to an answer that comes within a moment: nobody
has to be woken up.
"""

from __future__ import annotations

import ctypes
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
import numpy as np

from gdl_env.compiling import compile_kernel

# What a round ends with: a message that may count, one of many that do not, or nothing.
CANDIDATE, SAMPLE, NOTHING = 0, 1, 2
# In a flood: between two looks [µs], and looks in a round.
_PAUSE = 20
_LOOKS = 16
# Looks in a round without pauses, at which others only go first.
_QUICK_LOOKS = 128
# Where no answer is wanted, one look in so many will do.
_SELDOM = 8
# One dropped message in so many is a sample.
_SAMPLED = 4096
# Publishers that are counted separately.
PUBLISHERS = 256
# Places in the table of a publisher: two words of its identity, the last tick it answered.
_KNOWN = 3
# C functions by their place: take a message, sleep, give way to other threads.
_TAKE, _SLEEP, _YIELD = 0, 1, 2
# Where rmw_message_info_t has the identity of the publisher [words of 8 bytes].
_IDENTITY = 5
_INFO_SIZE = 16
# An answer has a header and a tick [bytes].
_SHORTEST = 28
# Enough for most; rcl makes it larger where needed [bytes].
_CAPACITY = 4096


class _Allocator(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_void_p)
        for name in ('allocate', 'deallocate', 'reallocate', 'zero_allocate', 'state')
    ]


class _Serialized(ctypes.Structure):
    """rcutils_uint8_array_t: a message as it travels."""

    _fields_ = [
        ('buffer', ctypes.c_void_p),
        ('length', ctypes.c_size_t),
        ('capacity', ctypes.c_size_t),
        ('allocator', _Allocator),
    ]


class FastTake:
    """Empties subscriptions by turns. Raises OSError if rcl cannot be found.

    `wanted` says, for each subscription, for which tick an answer is wanted, 0 for none; who asks
    writes it before the question goes out. `dropped` counts what was too late, and the rest.
    """

    def __init__(self, subscriptions: list[Any]) -> None:
        rcl, rcutils = ctypes.CDLL('librcl.so'), ctypes.CDLL('librcutils.so')
        rcutils.rcutils_get_default_allocator.restype = _Allocator
        allocator = rcutils.rcutils_get_default_allocator()
        self._message = _Serialized()
        rcutils.rcutils_uint8_array_init(
            ctypes.byref(self._message), ctypes.c_size_t(_CAPACITY), ctypes.byref(allocator)
        )
        self._free = rcutils.rcutils_uint8_array_fini
        libc = ctypes.CDLL(None)
        functions = (rcl.rcl_take_serialized_message, libc.usleep, libc.sched_yield)
        self._functions = np.array(list(map(_address, functions)), np.uintp)
        self._subscriptions = np.array([each.handle.pointer for each in subscriptions], np.uintp)
        self._info = np.zeros(_INFO_SIZE, np.uint64)
        self._known = np.zeros((len(subscriptions), PUBLISHERS, _KNOWN), np.uint64)
        self.wanted = np.zeros(len(subscriptions), np.uint64)
        self.dropped = np.zeros((len(subscriptions), 2), np.int64)

    def run(self, *, is_quick: bool = False) -> tuple[int, int, bytes]:
        """Drop messages for a while, or until one is found; return what, where and its bytes.

        A quick round does not pause between looks.
        """
        kind, place = _take_messages(
            is_quick,
            self._functions,
            self._subscriptions,
            np.uintp(ctypes.addressof(self._message)),
            self._info,
            self._known,
            self.wanted,
            self.dropped,
        )
        if kind == NOTHING:
            return kind, place, b''
        return kind, place, ctypes.string_at(self._message.buffer, self._message.length)

    def close(self) -> None:
        """Release the memory."""
        self._free(ctypes.byref(self._message))


def _address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


@intrinsic
def _call(context, function, a, b, c, d):  # type: ignore[no-untyped-def]
    """Call a C function at an address; the arguments are words."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.IntType(32), [word] * 4)
        place = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(place, arguments[1:])

    word = types.uintp
    return types.int32(word, word, word, word, word), generate


@intrinsic
def _load(context, address):  # type: ignore[no-untyped-def]
    """Read a word of memory."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        place = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(place, align=1)

    return types.uint64(types.uintp), generate


@compile_kernel(nogil=True)
def _take_messages(  # type: ignore[no-untyped-def]
    is_quick, functions, subscriptions, message, info, known, wanted, dropped
):
    nothing = np.uintp(0)
    information = np.uintp(info.ctypes.data)
    for look in range(_QUICK_LOOKS if is_quick else _LOOKS):
        for place in range(subscriptions.shape[0]):
            if not wanted[place] and look % _SELDOM:
                continue
            while (
                _call(functions[_TAKE], subscriptions[place], message, information, nothing) == 0
            ):
                buffer, length = np.uintp(_load(message)), _load(message + np.uintp(8))
                is_late = False
                # Whoever sends the other byte order is of no use in a flood.
                at = _find_tick(buffer) if length >= _SHORTEST else length
                if at + np.uint64(8) <= length:
                    tick = _load(buffer + np.uintp(at))
                    if (
                        wanted[place]
                        and tick == wanted[place]
                        and _is_first(known[place], info, tick)
                    ):
                        return CANDIDATE, place
                    is_late = tick < wanted[place]
                dropped[place, 0 if is_late else 1] += 1
                if (dropped[place, 0] + dropped[place, 1]) % _SAMPLED == 1:
                    return SAMPLE, place
        if is_quick:
            _call(functions[_YIELD], nothing, nothing, nothing, nothing)
        else:
            _call(functions[_SLEEP], np.uintp(_PAUSE), nothing, nothing, nothing)
    return NOTHING, 0


@compile_kernel(nogil=True)
def _find_tick(buffer):  # type: ignore[no-untyped-def]
    """Return where the tick of an answer is: `cdr.find_tick` of the length of its `frame_id`."""
    frame = _load(buffer + np.uintp(12)) & np.uint64(0xFFFFFFFF)
    return np.uint64(4) + ((frame + np.uint64(19)) >> np.uint64(3) << np.uint64(3))


@compile_kernel(nogil=True)
def _is_first(known, info, tick):  # type: ignore[no-untyped-def]
    """Tell whether a publisher has not answered for this tick; too many are forgotten."""
    if known[-1, 2]:
        known[:] = 0
    for place in range(known.shape[0]):
        entry = known[place]
        if entry[2] == 0:
            entry[0], entry[1] = info[_IDENTITY], info[_IDENTITY + 1]
        if entry[0] == info[_IDENTITY] and entry[1] == info[_IDENTITY + 1]:
            is_first = entry[2] != tick
            entry[2] = tick
            return is_first
    return True
