"""Chance that belongs to a question, not to a stream: asked again, it comes out the same."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray


def draw_below(seed: int, role: str, tick: int, limit: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return a number from 0 up to but without its limit for each lane (0 where that is 0).

    The draw of a lane depends on seed, role, tick, lane and its own limit only. Raw words of the
    generator are used, because numpy keeps those the same from version to version.
    """
    digest = blake2b(f'{seed} {tick} {role}'.encode(), digest_size=16).digest()
    words = np.random.Philox(key=np.frombuffer(digest, np.uint64)).random_raw(len(limit))
    # The upper half of a product of 32 bits each; the error, below 2^-32 of a limit, is nothing.
    high = words >> np.uint64(32)
    drawn: NDArray[np.uint64] = (high * limit.astype(np.uint64)) >> np.uint64(32)
    return drawn.astype(np.int32)


def derive_seed(seed: int, name: str) -> int:
    """Return a seed that belongs to a name, such as a role, from one that all share."""
    digest = blake2b(f'{seed} {name}'.encode(), digest_size=8).digest()
    return int.from_bytes(digest, 'little') >> 1
