"""Chance that belongs to a question, not to a stream: asked again, it comes out the same."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from gdl_env.play.plain_chance import draw_below

# Draws have this many different outcomes.
_FINE = 2**32


def question_key(seed: int, role: str, tick: int) -> int:
    """Return the 64 bits that decide all chance of a question."""
    digest = blake2b(f'{seed} {tick} {role}'.encode(), digest_size=8).digest()
    return int.from_bytes(digest, 'little')


def derive_seed(seed: int, name: str) -> int:
    """Return a seed that belongs to a name, such as a role, from one that all share."""
    digest = blake2b(f'{seed} {name}'.encode(), digest_size=8).digest()
    return int.from_bytes(digest, 'little') >> 1


def draw_place(likely: NDArray[np.float64], key: int, lane: int) -> int:
    """Draw one of some places, each as likely as it says: by a key, and the number of a lane."""
    mark = draw_below(key, lane, _FINE) / _FINE * likely.sum()
    place = int(np.searchsorted(np.cumsum(likely), mark, side='right'))
    return min(place, len(likely) - 1)
