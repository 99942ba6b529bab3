"""A question about one position, as a match would ask it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdl_env.engine.contract import Move, Role, State
from gdl_env.engine.mapping import Encoding
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Question


def make_question(
    encoding: Encoding | None,
    role: Role,
    seen: State,
    legal: Sequence[Move],
    tick: int = 1,
    seconds: float = 0.0,
    *,
    is_asked: bool,
) -> Question:
    """Return a question that shows a role what it sees, with vectors where the game has them."""
    observation = mask = None
    if encoding is not None:
        observation = Bits.pack(encoding.observe(seen, role)[None])
        mask = Bits.pack(encoding.action_mask(role, legal if is_asked else ())[None])
    return Question(
        tick,
        str(role),
        np.ones(1, np.uint64),
        np.array([is_asked]),
        observation,
        mask,
        seconds,
        tuple(sorted(map(str, seen))),
        tuple(map(str, legal)) if is_asked else (),
    )
