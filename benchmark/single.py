"""Single states, as search uses them: one question at a time, from Python.

Pairs of do and undo: in each state of random games every legal move (of many, some) is played and
taken back: by one call each from Python, or all of them in compiled code, as a compiled search
does. Only this is timed, not the walk from state to state.
Walks: steps of random games by the engine contract: `legal_moves`, a choice, `next_state`. States
are sets of terms there, so most of the time goes into terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from time import perf_counter, process_time

from measure import Contestant, NotAvailableError, Run, Sample, repeat
import numpy as np
from numpy.typing import NDArray
from ours import ByContract
from rows import Row

# In games of many moves, some of them are enough.
_MOST_PAIRS_A_STATE = 50


class Pairs(Contestant):
    """Do and undo on the search interface of the circuit engine."""

    def __init__(self, row: Row) -> None:
        from gdl_env.engine.circuit.single_state.search import Search
        from gdl_env.errors import GdlError

        super().__init__(row)
        try:
            self.search = Search(ByContract(row, 'circuit').engine.compiled)
        except GdlError as error:
            raise NotAvailableError(str(error)) from error
        self._random = Random(1)

    def play(self, seconds: float) -> Run:
        start, cpu, pairs = perf_counter(), 0.0, 0
        while cpu < seconds:
            for steps in self._states():
                begin = process_time()
                self.try_all(steps)
                cpu += process_time() - begin
                pairs += len(steps)
        # The walk between is not counted: of the time by the clock only the same part.
        return Run(float(pairs), min(cpu, perf_counter() - start), cpu)

    def sample(self, seconds: float) -> Sample:
        raise NotAvailableError('pairs are not sampled')

    def try_all(self, steps: NDArray[np.int64]) -> None:
        """Play each step and take it back."""
        do, undo = self.search.do, self.search.undo
        for step in steps:
            do(step)
            undo()

    def _states(self) -> Iterator[NDArray[np.int64]]:
        """Play a random game; yield the steps of each of its states, one a row."""
        search = self.search
        search.place()
        while not search.is_terminal:
            steps = self._steps()
            yield steps
            search.do(steps[self._random.randrange(len(steps))])

    def _steps(self) -> NDArray[np.int64]:
        """Return steps: each move of the role with the most, and a move of each other one."""
        search = self.search
        rows = search.legal()
        roles = search.legal_role[rows]
        by_role = [search.does_row[rows[roles == role]] for role in np.unique(roles)]
        most = max(by_role, key=len)[:_MOST_PAIRS_A_STATE]
        fixed = [moves[0] for moves in by_role if moves[0] != most[0]]
        return np.column_stack([most, *(np.full(len(most), move) for move in fixed)])


class CompiledPairs(Pairs):
    """The same in compiled code."""

    def __init__(self, row: Row) -> None:
        super().__init__(row)
        from compiled_pairs import try_all

        self._try_all = try_all

    def try_all(self, steps: NDArray[np.int64]) -> None:
        self._try_all(*self.search.frames(), self.search.changes, steps)


class Walks(Contestant):
    """Random walks by the engine contract."""

    def __init__(self, row: Row, name: str) -> None:
        super().__init__(row)
        self._engine = ByContract(row, name).engine
        self._random = Random(1)

    def play(self, seconds: float) -> Run:
        return repeat(self._walk, seconds)

    def sample(self, seconds: float) -> Sample:
        raise NotAvailableError('walks are not sampled')

    def _walk(self) -> float:
        engine, choice = self._engine, self._random.choice
        state, steps = engine.initial_state, 0
        while not engine.is_terminal(state):
            legal = engine.legal_moves(state)
            state = engine.next_state(state, {r: choice(m) for r, m in legal.items() if m})
            steps += 1
        return float(steps)


def circuit_walks(row: Row) -> Contestant:
    """Return walks on the circuit engine."""
    return Walks(row, 'circuit')


def first_order_walks(row: Row) -> Contestant:
    """Return walks on the first-order engine."""
    return Walks(row, 'firstorder')
