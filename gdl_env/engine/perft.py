"""The number of move sequences of each length: a check of an engine that misses little.

`random` counts as a role, and each outcome of an experiment as a move. Joint turns count joint
moves; serial turns count each move of each role that can act. Sequences end at terminal states.

All states of one length are expanded together, as rows of a batched game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Rows, States
from gdl_env.engine.batch.make import to_batch
from gdl_env.engine.contract import Engine, Move, Moves, Role, State
from gdl_env.language.game import Turns

# Steps that are computed together: by compiled code, and by an engine that plays state by state,
# which must notice soon when it has to stop.
_MANY_STEPS, _FEW_STEPS = 65_536, 16
# Counts above are kept as Python's integers.
_LARGEST = 2**62

# How often each state was reached: int64, or Python's integers where that is too small.
_Counts = NDArray[Any]


def perft(
    engine: Engine,
    depth: int,
    state: State | None = None,
    on_state: Callable[[], None] | None = None,
    on_dead_end: Callable[[State], None] | None = None,
) -> Iterator[int]:
    """Yield the number of sequences of length 1, 2, … `depth` from a state (the initial one).

    States reached in several ways are expanded once and counted as often as they were reached.
    `on_state` is called for every state that is computed and may raise to stop. `on_dead_end` is
    called with a state in which no role has a move although the game is not over.
    """
    game = to_batch(engine)
    states = game.initial if state is None else game.from_state(state)
    reached: _Counts = np.ones(1, np.int64)
    for remaining in range(depth, 0, -1):
        choices = _find_choices(game, states)
        # Counting needs no step to be built, and the last length nothing else.
        steps = choices.count_steps(game.is_serial)
        if on_dead_end is not None and 0 in steps:
            stuck = np.flatnonzero(~choices.terminal & (np.array(steps, object) == 0))
            if len(stuck):
                on_dead_end(game.to_state(states[stuck[:1]]))
        yield sum(many * count for many, count in zip(reached.tolist(), steps, strict=True))
        if remaining == 1:
            return
        states, reached = _expand(game, states, reached, choices, steps, on_state)


def each_step(engine: Engine, state: State) -> Iterator[Moves]:
    """Yield every step that can be played in a state that is not terminal, chance drawn."""
    legal = engine.legal_moves(state)
    choices: dict[Role, list[Move]] = {
        role: [
            outcome.value
            for move in legal[role]
            for outcome in engine.drawable_outcomes(state, move)
        ]
        for role in engine.actors(state)
    }
    if engine.game.turns is Turns.SERIAL:
        for role, moves in choices.items():
            yield from ({role: move} for move in moves)
    elif choices:
        for joint in product(*choices.values()):
            yield dict(zip(choices, joint, strict=True))


def divide(engine: Engine, depth: int) -> Iterator[tuple[Moves, int]]:
    """Yield each first step with the number of sequences of length `depth` that begin with it."""
    state = engine.initial_state
    if engine.is_terminal(state):
        return
    for moves in each_step(engine, state):
        after = engine.next_state(state, moves)
        yield moves, 1 if depth == 1 else list(perft(engine, depth - 1, after))[-1]


@dataclass(frozen=True)
class _Choices:
    """What each role may do in each of n states, experiments drawn; nothing in terminal ones."""

    # int64 (n, roles): where the choices of a role begin in `does`, and how many there are.
    first: NDArray[np.int64]
    count: NDArray[np.int64]
    does: Rows
    # bool (n): the game is over.
    terminal: NDArray[np.bool_]

    def count_steps(self, is_serial: bool) -> list[int]:
        """Return the number of different steps in each state."""
        if is_serial:
            found: list[int] = self.count.sum(axis=1).tolist()
            return found
        acting = np.where(self.count > 0, self.count, 1)
        if np.log2(acting).sum(axis=1).max(initial=0) < 62:
            steps = acting.prod(axis=1) * self.count.any(axis=1)
            found = steps.tolist()
            return found
        return [prod(c for c in row if c) if any(row) else 0 for row in self.count.tolist()]


def _find_choices(game: BatchGame, states: States) -> _Choices:
    look = game.look(states)
    count = look.counts()
    count[look.terminal] = 0
    if game.is_serial and game.nature >= 0:
        others = np.arange(count.shape[1]) != game.nature
        count[np.ix_(count[:, game.nature] > 0, others)] = 0
    first = look.starts[:, :-1]
    if not game.has_experiments:
        return _Choices(first, count, game.plain(look.rows), look.terminal)
    # Only moves of those who act are drawn: others may have none of their events.
    chosen = np.concatenate(
        [np.arange(0), *map(np.arange, first[count > 0], (first + count)[count > 0])]
    )
    owner = np.repeat(np.arange(len(states)), count.sum(axis=1))
    drawn = game.outcomes(states[owner], look.rows[chosen])
    ends = np.cumsum(count.ravel())
    return _Choices(
        drawn.starts[ends - count.ravel()].reshape(count.shape),
        (drawn.starts[ends] - drawn.starts[ends - count.ravel()]).reshape(count.shape),
        drawn.does,
        look.terminal,
    )


def _expand(
    game: BatchGame,
    states: States,
    reached: _Counts,
    choices: _Choices,
    steps: list[int],
    on_state: Callable[[], None] | None,
) -> tuple[States, _Counts]:
    """Return the states after every step, each of them once, and how often they are reached."""
    most = _MANY_STEPS if game.facts is not None else _FEW_STEPS
    if sum(many * count for many, count in zip(reached.tolist(), steps, strict=True)) > _LARGEST:
        reached = reached.astype(object)
    found, times = states[:0], reached[:0]
    parts: list[tuple[States, _Counts]] = []
    size = 0
    for owner, does in _list_steps(game, choices, steps, most):
        after = game.step(states[owner], does)
        if on_state is not None:
            for _ in range(len(after)):
                on_state()
        parts.append(_merge(after, reached[owner]))
        size += len(parts[-1][0])
        if size > len(found) + 16 * most:
            # Not too many copies of the same state at a time.
            found, times = _merge_all([(found, times), *parts])
            parts, size = [], 0
    return _merge_all([(found, times), *parts])


def _list_steps(
    game: BatchGame, choices: _Choices, steps: list[int], most: int
) -> Iterator[tuple[NDArray[np.intp], Rows]]:
    """Yield about `most` steps at a time: the index of the state, and what each role does."""
    ends = np.cumsum([0, *steps])
    roles = len(game.roles)
    for low in range(0, int(ends[-1]), most):
        number = np.arange(low, min(low + most, int(ends[-1])))
        owner = np.searchsorted(ends, number, side='right') - 1
        number -= ends[owner]
        does = np.full((len(number), roles), NO_MOVE, np.int32)
        for role in reversed(range(roles)):
            count, first = choices.count[owner, role], choices.first[owner, role]
            if game.is_serial:
                # The steps of a state are those of its roles, one after the other.
                before = choices.count[owner, :role].sum(axis=1)
                place = number - before
                acts = (place >= 0) & (place < count)
            else:
                # The choices of the roles are the digits of a step, the last one the fastest.
                acts = count > 0
                place = number % np.maximum(count, 1)
                number //= np.maximum(count, 1)
            does[acts, role] = choices.does[(first + place)[acts]]
        yield owner, does


def _merge_all(parts: list[tuple[States, _Counts]]) -> tuple[States, _Counts]:
    return _merge(
        np.concatenate([states for states, _ in parts]),
        np.concatenate([reached for _, reached in parts]),
    )


def _merge(states: States, reached: _Counts) -> tuple[States, _Counts]:
    """Return each state once, with the sum of how often it was reached."""
    if not len(states):
        return states, reached
    order = np.lexsort(states.T)
    states = states[order]
    is_new = np.append(True, (states[1:] != states[:-1]).any(axis=1))
    first = np.flatnonzero(is_new)
    return states[first], np.add.reduceat(reached[order], first)
