"""A position in a search tree that can be read while it grows."""

from __future__ import annotations

import numpy as np

from gdl_agents.search.players.mcts import MctsAgent, choose_rows
from gdl_agents.search.players.task import SearchTask
from gdl_agents.study.ratings import PositionRating, RatedMove

# Leaves that are judged together, at most.
_BATCH = 64


class TreePosition:
    """Grows the tree of an agent: by random games, or by the network of the agent."""

    def __init__(self, agent: MctsAgent, task: SearchTask) -> None:
        self._task = task
        self._most = int(agent.options['nodes'])
        self._forest = agent.make_forest(task)
        self._root = self._forest.plant(task.states, task.role)

    def warm_up(self) -> None:
        """Go down the tree a few times."""
        for _ in range(3):
            self._forest.grow(self._root)

    def grow(self, seconds: float) -> bool:
        """Search for some time; tell whether there is more to find."""
        clock = self._task.clock
        end = clock() + seconds
        while clock() < end:
            self._root = self._forest.make_room(self._root)
            root = int(self._root[0])
            visits = int(self._forest.arrays.nodes['visits'][root])
            if self._forest.is_solved(root) or visits >= self._most:
                return False
            self._forest.grow(np.repeat(self._root, max(1, min(_BATCH, visits // 32))))
        return True

    def rate(self) -> PositionRating:
        """Return what is known so far."""
        rules, role = self._task.rules, self._task.role
        found = self._forest.root_moves(int(self._root[0]), role)
        best = set(choose_rows([found]).tolist())
        rated = []
        for row, visits, mean, proven in zip(
            found.rows.tolist(), found.visits.tolist(), found.means, found.proven, strict=True
        ):
            is_proven = not np.isnan(proven)
            value = float(proven if is_proven else mean)
            text = str(rules.legal_move(row)[1])
            rated.append((row in best, RatedMove(text, value, visits, is_proven)))
        rated.sort(key=lambda one: (one[0], one[1].visits, one[1].value), reverse=True)
        moves = tuple(move for _, move in rated)
        is_certain = moves[0].is_proven and (
            moves[0].value >= 1 or all(move.is_proven for move in moves)
        )
        visits = sum(move.visits for move in moves)
        return PositionRating(str(rules.roles[role]), moves[0].value, is_certain, moves, visits)
