"""The draws of chance.py for single places, on plain integers: without numba."""

from __future__ import annotations

# The distance of two counters (2^64 divided by the golden ratio).
PLAIN_STEP = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def plain_mix(word: int) -> int:
    """Return what `mix` of chance.py returns, for integers of any size."""
    word &= MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


def draw_below(key: int, place: int, limit: int) -> int:
    """Return what `below(word_at(key, place), limit)` returns: the error is below 2^-32."""
    word = plain_mix(key + (place + 1) * PLAIN_STEP)
    return (word >> 32) * limit >> 32


def plain_place(step: int, seat: int, lane: int) -> int:
    """Return what `place_of` of chance.py returns."""
    return step << 42 | seat << 32 | lane
