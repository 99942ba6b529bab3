"""Alpha-beta search in compiled code, for games on the circuit engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.circuit_rules import CircuitRules
from gdl_agents.search.kernels.alphabeta import DEPTH, IS_CUT, IS_EXACT, NODES, search
from gdl_agents.search.kernels.position import place
from gdl_agents.search.rules import Rows, States
from gdl_env.engine.circuit.effects import Learned
from gdl_env.engine.circuit.eventnet import Values
from gdl_env.engine.circuit.tape import ONES

# Moves ahead at most, and positions that are remembered.
DEEPEST = 64
_TABLE = 1 << 18
# Legal moves of a position that there is room for at every depth; with more, it gets less deep.
_ROOM = 4096


@dataclass(frozen=True)
class Found:
    """What a search has found."""

    # The legal moves, and their values: goals, 0 to 100; NaN for moves that are not best. If all
    # moves lose, the values before that was seen: the best of them hold out longest.
    rows: Rows
    values: NDArray[np.float64]
    # What the position is worth.
    value: float
    # To which depth it got, and after how many positions.
    depth: int
    nodes: int
    # Whether nothing was estimated: the value is that of the game.
    is_exact: bool
    # Whether it ended before the depth that was wanted.
    is_cut: bool

    @property
    def best(self) -> Rows:
        """Return the best moves."""
        return self.rows[~np.isnan(self.values)]


class AlphaBetaSearch:
    """A position that is searched, with a table of positions that were met."""

    def __init__(self, rules: CircuitRules, weights: NDArray[np.float64] | None = None) -> None:
        """Get ready; `weights` (one a fact, and a constant) estimate what is not final."""
        nets = rules.compiled.single
        self._rules = rules
        self._facts = len(rules.vocabulary.facts)
        self._now = Values(nets.state, nets.effects.spare)
        self._legal = Values(nets.legal)
        self._learned = Learned(nets.effects)
        while len(self._now.trail) < (DEEPEST + 2) * self._now.net.most_changes:
            self._now.reserve(len(self._now.trail))
        self._weights = np.zeros(0) if weights is None else weights
        outputs = nets.legal.outputs
        every = np.arange(len(outputs), dtype=np.int32)
        self._tables = (
            nets.state.outputs[1:],
            int(nets.state.outputs[0]),
            outputs,
            rules.legal_roles,
            rules.are_noops(every),
            rules.plain(every).astype(np.int64),
            rules.nature,
            rules.is_serial,
            self._facts,
        )
        self._score = self._prepare_score()
        chance = np.random.Generator(np.random.Philox(key=self._facts))
        roles = len(rules.roles)
        self._marks = chance.integers(0, 2**64, self._facts + 3 + roles, np.uint64)
        self._table = (
            np.zeros(_TABLE, np.uint64),
            np.zeros(_TABLE),
            np.zeros((_TABLE, 4), np.int32),
        )
        self._most = len(outputs)
        self._buffers = (
            np.zeros((DEEPEST + 2) * min(self._most, _ROOM) + self._most, np.int32),
            np.zeros((DEEPEST + 2, roles + 1), np.int64),
            np.zeros((DEEPEST + 2, 5)),
            np.zeros((DEEPEST + 2, 3 + roles, 3), np.int64),
            np.zeros(DEEPEST + 2, np.uint64),
            np.zeros(DEEPEST + 2, np.int64),
            np.zeros(DEEPEST + 2, np.int64),
            np.zeros((DEEPEST + 2, roles), np.int64),
            np.zeros(self._most, np.int64),
        )
        self._values = np.zeros((2, self._most))
        self._known = np.zeros(4, np.int64)

    def run(self, state: States, player: int, depth: int, limit: int, key: int) -> Found:
        """Search for a player, to a depth or until so many positions were met.

        What was remembered in searches with another key is not used.
        """
        self._marks[self._facts] = np.uint64(key & (2**64 - 1))
        self._buffers[8][:] = 0
        place(self._now.address, state, self._facts)
        frames = self._now.address, self._learned.address, self._legal.address
        search(
            frames,
            self._tables,
            self._score,
            self._weights,
            self._marks,
            self._table,
            self._buffers,
            player,
            limit,
            min(depth, DEEPEST),
            self._values,
            self._known,
        )
        starts = self._buffers[1]
        rows = self._buffers[0][starts[0, player] : starts[0, player + 1]].copy()
        known = self._known
        values = self._values[0, : len(rows)].copy()
        if not known[DEPTH]:
            # Not even one move was looked ahead.
            values[:] = 50.0
        last = values if known[IS_CUT] else self._values[1, : len(rows)]
        return Found(
            rows,
            values,
            float(np.nanmax(last)),
            int(known[DEPTH]),
            int(known[NODES]),
            bool(known[IS_EXACT]),
            bool(known[IS_CUT]),
        )

    def _prepare_score(self) -> tuple[object, ...]:
        tape = self._rules.compiled.score
        data = np.zeros(tape.slots, np.uint64)
        data[ONES] = np.uint64(1)
        goals = self._rules.vocabulary.goals
        rank = {role: index for index, role in enumerate(self._rules.roles)}
        return (
            tape.places(1),
            tape.runs,
            tape.feedback,
            data,
            tape.outputs[0],
            np.array([rank[role] for role, _ in goals], np.int64),
            np.array([value for _, value in goals], np.int64),
        )
