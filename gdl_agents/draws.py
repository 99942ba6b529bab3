"""Chance that belongs to a question, not to a stream: asked again, it comes out the same."""

from __future__ import annotations

from hashlib import blake2b

_MASK = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15


def question_key(seed: int, role: str, tick: int) -> int:
    """Return the 64 bits that decide all chance of a question."""
    digest = blake2b(f'{seed} {tick} {role}'.encode(), digest_size=8).digest()
    return int.from_bytes(digest, 'little')


def draw_below(key: int, lane: int, limit: int) -> int:
    """Return a number from 0 up to but without a limit (0 where that is 0).

    It depends on key, lane and limit only: the mixing function of splitmix64, of which `picking`
    has a compiled twin. The error, below 2^-32 of a limit, is nothing.
    """
    word = (key + (lane + 1) * _STEP) & _MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    word ^= word >> 31
    return (word >> 32) * limit >> 32


def derive_seed(seed: int, name: str) -> int:
    """Return a seed that belongs to a name, such as a role, from one that all share."""
    digest = blake2b(f'{seed} {name}'.encode(), digest_size=8).digest()
    return int.from_bytes(digest, 'little') >> 1
