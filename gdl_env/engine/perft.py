"""The number of move sequences of each length: a check of an engine that misses little.

`random` counts as a role, and each outcome of an experiment as a move. Joint turns count joint
moves; serial turns count each move of each role that can act. Sequences end at terminal states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod

from gdl_env.engine.contract import Engine, Move, Moves, Role, State
from gdl_env.language.game import Turns


def perft(
    engine: Engine,
    depth: int,
    state: State | None = None,
    on_state: Callable[[], None] | None = None,
) -> Iterator[int]:
    """Yield the number of sequences of length 1, 2, … `depth` from a state (the initial one).

    States reached in several ways are expanded once and counted as often as they were reached.
    `on_state` is called for every state that is computed and may raise to stop.
    """
    is_serial = engine.game.turns is Turns.SERIAL
    frontier = {engine.initial_state if state is None else state: 1}
    for remaining in range(depth, 0, -1):
        choices = {s: _choices(engine, s) for s in frontier if not engine.is_terminal(s)}
        # Counting needs no joint move to be built, and the last length nothing else.
        counts = {s: _count(by_role, is_serial) for s, by_role in choices.items()}
        yield sum(frontier[s] * count for s, count in counts.items())
        if remaining == 1:
            return
        following: dict[State, int] = {}
        for before, by_role in choices.items():
            for moves in _combine(by_role, is_serial):
                after = engine.next_state(before, moves)
                following[after] = following.get(after, 0) + frontier[before]
                if on_state is not None:
                    on_state()
        frontier = following


def each_step(engine: Engine, state: State) -> Iterator[Moves]:
    """Yield every step that can be played in a state that is not terminal, chance drawn."""
    return _combine(_choices(engine, state), engine.game.turns is Turns.SERIAL)


def divide(engine: Engine, depth: int) -> Iterator[tuple[Moves, int]]:
    """Yield each first step with the number of sequences of length `depth` that begin with it."""
    state = engine.initial_state
    if engine.is_terminal(state):
        return
    for moves in each_step(engine, state):
        after = engine.next_state(state, moves)
        yield moves, 1 if depth == 1 else list(perft(engine, depth - 1, after))[-1]


def _choices(engine: Engine, state: State) -> dict[Role, list[Move]]:
    """Return what each role that acts may play, experiments drawn."""
    legal = engine.legal_moves(state)
    return {
        role: [outcome.value for move in legal[role] for outcome in engine.outcomes(state, move)]
        for role in engine.actors(state)
    }


def _count(choices: dict[Role, list[Move]], is_serial: bool) -> int:
    sizes = [len(moves) for moves in choices.values()]
    if is_serial or not sizes:
        return sum(sizes)
    return prod(sizes)


def _combine(choices: dict[Role, list[Move]], is_serial: bool) -> Iterator[Moves]:
    if is_serial:
        for role, moves in choices.items():
            yield from ({role: move} for move in moves)
    elif choices:
        for joint in product(*choices.values()):
            yield dict(zip(choices, joint, strict=True))
