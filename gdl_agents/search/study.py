"""How good a position is, and its best moves: a tree search that can be read while it grows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import numpy as np

from gdl_agents.errors import AgentError
from gdl_agents.search.players.mcts import choose_rows
from gdl_agents.search.tree.forest import Forest, TreeOptions
from gdl_env.engine.batch.contract import BatchGame, States
from gdl_env.engine.contract import State
from gdl_env.language.game import Information

# Nodes of one tree.
_NODES = 400_000
_BATCH = 64


@dataclass(frozen=True)
class RatedMove:
    """A move: how good it is for the role that makes it, 0 to 1, and how often it was tried."""

    move: str
    value: float
    visits: int
    # Whether the value is certain, not an estimate.
    is_proven: bool = False


@dataclass(frozen=True)
class PositionRating:
    """What is known of a position so far."""

    role: str
    # For that role, 0 to 1.
    value: float
    is_proven: bool
    # The best first.
    moves: tuple[RatedMove, ...]
    visits: int


class PositionStudy:
    """Rates positions of one open game by Monte-Carlo tree search."""

    def __init__(self, rules: BatchGame, clock: Callable[[], float] = monotonic) -> None:
        """Raise AgentError if the game hides something: a position is all that counts here."""
        if rules.game.information is not Information.COMPLETE:
            raise AgentError(f'{rules.game.name} hides facts: its positions cannot be rated alone')
        self._rules = rules
        self._clock = clock
        # What is compiled on first use is not counted as thinking.
        first = self.open(rules.to_state(rules.initial))
        if first is not None:
            first.warm_up()

    def open(self, state: State) -> PositionTree | None:
        """Begin a tree at a state; None where no role has a choice."""
        row = self._rules.from_state(state)
        look = self._rules.look(row)
        counts = look.counts()[0]
        movers = [role for role in self._rules.players if counts[role] > 1]
        movers = movers or [role for role in self._rules.players if counts[role]]
        if bool(look.terminal[0]) or not movers:
            return None
        return PositionTree(self._rules, row, movers[0], self._clock)


class PositionTree:
    """One position under study."""

    def __init__(
        self, rules: BatchGame, row: States, mover: int, clock: Callable[[], float]
    ) -> None:
        self._rules = rules
        self._mover = mover
        self._clock = clock
        self._forest = Forest(rules, 1, TreeOptions(most_nodes=_NODES))
        self._root = self._forest.plant(row, mover)

    def warm_up(self) -> None:
        """Go down the tree a few times."""
        for _ in range(3):
            self._forest.grow(self._root)

    def grow(self, seconds: float) -> bool:
        """Search for some time; tell whether there is more to find."""
        end = self._clock() + seconds
        root = int(self._root[0])
        while self._clock() < end:
            if self._forest.is_solved(root):
                return False
            visits = int(self._forest.arrays.nodes['visits'][root])
            if visits >= _NODES:
                return False
            self._forest.grow(np.repeat(self._root, max(1, min(_BATCH, visits // 32))))
        return True

    def rate(self) -> PositionRating:
        """Return what is known so far."""
        found = self._forest.root_moves(int(self._root[0]), self._mover)
        best = set(choose_rows([found]).tolist())
        rated = []
        for row, visits, mean, proven in zip(
            found.rows.tolist(), found.visits.tolist(), found.means, found.proven, strict=True
        ):
            is_proven = not np.isnan(proven)
            value = float(proven if is_proven else mean)
            text = str(self._rules.legal_move(row)[1])
            rated.append((row in best, RatedMove(text, value, visits, is_proven)))
        rated.sort(key=lambda one: (one[0], one[1].visits, one[1].value), reverse=True)
        moves = tuple(move for _, move in rated)
        is_certain = moves[0].is_proven and (
            moves[0].value >= 1 or all(move.is_proven for move in moves)
        )
        role = str(self._rules.roles[self._mover])
        return PositionRating(
            role, moves[0].value, is_certain, moves, sum(move.visits for move in moves)
        )
