"""States and moves of random matches."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from gdl_env.engine.contract import Engine
from gdl_env.language.game import Turns


def random_states(engine: Engine, count: int, seed: int) -> Iterator[tuple[frozenset, dict]]:  # type: ignore[type-arg]
    """Walk through random matches; yield states with the moves chosen there."""
    random = Random(seed)
    state = engine.initial_state
    for _ in range(count):
        actors = () if engine.is_terminal(state) else engine.actors(state)
        if not actors:
            yield state, {}
            state = engine.initial_state
            continue
        if engine.game.turns is Turns.SERIAL:
            actors = (random.choice(actors),)
        legal = engine.legal_moves(state)
        moves = {role: random.choice(legal[role]) for role in actors}
        moves = {r: random.choice(engine.outcomes(state, m)).value for r, m in moves.items()}
        yield state, moves
        state = engine.next_state(state, moves)
