"""Random walks on two engines side by side, up to the first disagreement.

A disagreement is shortened before it is reported: few steps are easy to understand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import monotonic

from gdl_env.engine.contract import Engine
from gdl_env.engine.verification.comparison import Comparison, Disagreement
from gdl_env.engine.verification.shrinking import shrink
from gdl_env.engine.verification.walks import Walker
from gdl_env.errors import EngineLimitError


@dataclass(frozen=True)
class Verification:
    """What comparing two engines showed."""

    # States that were compared, and how many of them were different ones.
    states: int
    different: int
    disagreement: Disagreement | None = None
    # Why fewer states were compared than asked for ('' if all were).
    cut: str = ''


def verify(
    first: Engine,
    second: Engine,
    states: int,
    seed: int,
    seconds: float = float('inf'),
    on_state: Callable[[], object] = lambda: None,
) -> Verification:
    """Compare two engines on the states of random walks, until the time is up.

    `on_state` is called for each state.
    """
    walker = Walker(Comparison(first, second), Random(seed))
    end = monotonic() + seconds
    count, cut = 0, ''
    try:
        for found in walker.run():
            count += 1
            on_state()
            if found is not None:
                found = shrink(walker.comparison, found)
                return Verification(count, len(walker.seen), found)
            if count >= states:
                break
            if monotonic() > end:
                cut = f'the time of {seconds:g} s was up'
                break
    except EngineLimitError as error:
        cut = str(error)
    return Verification(count, len(walker.seen), cut=cut)
