"""A disagreement → the shortest one about the same question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from time import monotonic

from gdl_env.engine.contract import Engine, Moves, State
from gdl_env.engine.perft import each_step
from gdl_env.engine.verification.comparison import (
    Comparison,
    Difference,
    Disagreement,
    EngineQuery,
)
from gdl_env.engine.verification.walks import Walker
from gdl_env.errors import EngineError
from gdl_env.language.game import Turns

# Comparisons and seconds that may be spent: one half on searching through all sequences, the other
# on making the one at hand shorter.
_COMPARISONS = 40_000
_SECONDS = 40.0


def shrink(
    comparison: Comparison,
    found: Disagreement,
    comparisons: int = _COMPARISONS,
    seconds: float = _SECONDS,
) -> Disagreement:
    """Return the shortest disagreement that can be found with so much effort."""
    run = _Shrinking(comparison, found, comparisons // 2, seconds / 2)
    try:
        return replace(run.search(), is_shortest=True)
    except (_EnoughError, EngineError):
        pass
    run = _Shrinking(comparison, found, comparisons // 2, seconds / 2)
    try:
        run.leave_out()
        run.walk()
    except (_EnoughError, EngineError):
        pass
    return run.best


class _EnoughError(Exception):
    """Enough was tried."""


class _Shrinking:
    def __init__(
        self, comparison: Comparison, found: Disagreement, comparisons: int, seconds: float
    ) -> None:
        self.best = found
        self._comparison = comparison
        self._question = found.difference.question
        self._left = comparisons
        self._end = monotonic() + seconds

    def search(self) -> Disagreement:
        """Try all sequences, short ones first."""
        if self._question in {EngineQuery.ROLES, EngineQuery.INITIAL}:
            return self.best
        initial = self._comparison.second.initial_state
        # How each state was reached, to tell the steps in the end.
        origin: dict[State, tuple[State, Moves] | None] = {initial: None}
        frontier = [initial]
        # A difference of a step shows one step before its sequence ends.
        length = int(self._question.needs_moves)
        while frontier and length < len(self.best.steps):
            following: list[State] = []
            for state in frontier:
                found = self._look(state)
                if found is not None:
                    last, difference = found
                    return Disagreement((*_trace(origin, state), *last), difference)
                for moves, after in self._successors(state):
                    if after not in origin:
                        origin[after] = state, moves
                        following.append(after)
            frontier = following
            length += 1
        return self.best

    def leave_out(self) -> None:
        """Leave out steps, many at once and then few, as long as the rest can be played."""
        before = None
        while before != len(self.best.steps):
            before = len(self.best.steps)
            halves = {before >> k for k in range(1, before.bit_length())}
            # Few at once in all sizes: roles take turns.
            for size in sorted(halves | set(range(1, min(5, before))), reverse=True):
                self._leave_out(size)

    def _leave_out(self, size: int) -> None:
        start = 0
        while start + size <= len(self.best.steps):
            steps = self.best.steps
            if not self._try((*steps[:start], *steps[start + size :])):
                start += max(1, size // 2)

    def walk(self) -> None:
        """Walk at random, never as far as the shortest sequence known."""
        walker = Walker(self._comparison, Random(1))
        while self.best.steps:
            walker.longest = len(self.best.steps) - 1
            for found in walker.walk():
                self._spend()
                if found is not None and found.difference.question is self._question:
                    self.best = found

    def _try(self, steps: tuple[Moves, ...]) -> bool:
        """Play steps; keep them up to a difference, if there is one and all were legal."""
        engine = self._comparison.second
        state = engine.initial_state
        for number, moves in enumerate((*steps, None)):
            found = self._look(state, moves)
            if found is not None:
                last, difference = found
                self.best = Disagreement((*steps[:number], *last), difference)
                return True
            if moves is None or not _is_legal(engine, state, moves):
                return False
            state = engine.next_state(state, moves)
        return False

    def _look(
        self, state: State, moves: Moves | None = None
    ) -> tuple[tuple[Moves, ...], Difference] | None:
        """Return a difference of the wanted kind in a state or in its steps (or in one step)."""
        self._spend()
        if not self._question.needs_moves:
            difference = self._comparison.compare_state(state)
            is_wanted = difference is not None and difference.question is self._question
            return ((), difference) if difference is not None and is_wanted else None
        if self._comparison.second.is_terminal(state):
            return None
        steps = each_step(self._comparison.second, state) if moves is None else iter((moves,))
        for step in steps:
            self._spend()
            difference = self._comparison.compare_step(state, step)
            if difference is not None and difference.question is self._question:
                return (step,), difference
        return None

    def _successors(self, state: State) -> Iterator[tuple[Moves, State]]:
        engine = self._comparison.second
        if engine.is_terminal(state):
            return
        for moves in each_step(engine, state):
            self._spend()
            yield moves, engine.next_state(state, moves)

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0 or monotonic() > self._end:
            raise _EnoughError


def _is_legal(engine: Engine, state: State, moves: Moves) -> bool:
    if engine.is_terminal(state):
        return False
    actors = set(engine.actors(state))
    is_serial = engine.game.turns is Turns.SERIAL
    if not (moves.keys() <= actors if is_serial else moves.keys() == actors):
        return False
    legal = engine.legal_moves(state)
    return all(
        any(move == o.value for m in legal[role] for o in engine.outcomes(state, m))
        for role, move in moves.items()
    )


def _trace(origin: dict[State, tuple[State, Moves] | None], state: State) -> tuple[Moves, ...]:
    steps: list[Moves] = []
    while (before := origin[state]) is not None:
        state, moves = before
        steps.append(moves)
    return tuple(reversed(steps))
