"""Single states, as search uses them: one question at a time, from Python.

Pairs of do and undo: in each state of random games every legal move (at most a few) is played and
taken back, one call each; the walk itself is not counted, but its time is.
Walks: steps of random games by the engine contract: `legal_moves`, a choice, `next_state`. States
are sets of terms there, so most of the time goes into terms.
"""

from __future__ import annotations

from random import Random

from measure import Contestant, NotAvailableError, Run, Sample, repeat
from ours import ByContract
from rows import Row

# In games of many moves, some of them are enough.
_MOST_PAIRS_A_STATE = 50


class Pairs(Contestant):
    """Do and undo on the search interface of the circuit engine."""

    def __init__(self, row: Row) -> None:
        from gdl_env.engine.circuit.search import Search
        from gdl_env.errors import GdlError

        super().__init__(row)
        try:
            self._search = Search(ByContract(row, 'circuit').engine.compiled)
        except GdlError as error:
            raise NotAvailableError(str(error)) from error
        self._random = Random(1)

    def play(self, seconds: float) -> Run:
        return repeat(self._game, seconds)

    def sample(self, seconds: float) -> Sample:
        raise NotAvailableError('pairs are not sampled')

    def _game(self) -> float:
        """Play one game; return the pairs that were tried on the way."""
        search, pairs = self._search, 0
        search.place()
        do, undo = search.do, search.undo
        while not search.is_terminal:
            steps = self._steps()
            for step in steps:
                do(step)
                undo()
            pairs += len(steps)
            do(self._random.choice(steps))
        return float(pairs)

    def _steps(self):  # type: ignore[no-untyped-def]
        """Return steps: each move of the role with the most, and a move of each other one."""
        import numpy as np

        search = self._search
        rows = search.legal()
        roles = search.legal_role[rows]
        by_role = [search.does_row[rows[roles == role]] for role in np.unique(roles)]
        most = max(by_role, key=len)
        fixed = [moves[:1] for moves in by_role if moves is not most]
        return [np.concatenate([[move], *fixed]) for move in most[:_MOST_PAIRS_A_STATE]]


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
