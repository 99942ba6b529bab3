"""Nodes of a tree judged by a network: values of states, and priors of moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_agents.learning.alphazero.model import PolicyValueNetwork
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.tree.forest import Forest
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import States
from gdl_env.language.game import Information


class NetworkEvaluator:
    """Gives a forest what it asks for (see `Forest`)."""

    def __init__(self, network: PolicyValueNetwork, table: MatchTable) -> None:
        """Get ready. Raises AgentError if the game hides something, or has no circuit."""
        rules = table.rules
        if table.game.information is not Information.COMPLETE:
            raise AgentError(f'{table.game.name} hides something: alphazero needs to see it all')
        if not isinstance(rules, CircuitBatch) or table.mapping is None:
            raise AgentError(f'alphazero needs a game that compiles; {table.game.name} does not')
        self._network = network
        self._rules = rules
        self._table = table
        self._columns = table.columns(rules.players[0])
        self._size = table.mapping.observation_size
        # The index among players of each role; `random` has none.
        self._player = np.full(len(rules.roles), -1, np.int64)
        self._player[list(rules.players)] = np.arange(len(rules.players))

    def observe(self, states: States) -> NDArray[np.bool_]:
        """Return what the network sees of states, one a row."""
        rows = np.zeros((len(states), self._size), np.bool_)
        held, facts = np.nonzero(self._rules.unpack(states))
        rows[held, self._columns[facts]] = True
        return rows

    def __call__(self, forest: Forest, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of nodes for all roles; set the priors of their arms."""
        arrays = forest.arrays
        logits, found = self._network.evaluate_states(self.observe(arrays.states[nodes]))
        values = np.zeros((len(nodes), len(self._rules.roles)))
        values[:, list(self._rules.players)] = found
        starts = arrays.starts[nodes]
        first, end = starts[:, 0], starts[:, -1]
        sizes = end - first
        total = int(sizes.sum())
        if not total:
            return values
        owner = np.repeat(np.arange(len(nodes)), sizes)
        before = np.cumsum(sizes) - sizes
        arms = np.arange(total) + np.repeat(first - before, sizes)
        rows = arrays.arms['row'][arms]
        role = self._rules.legal_roles[rows]
        player = self._player[role]
        actions = self._table.actions_of(rows)
        mine = player >= 0
        wish = np.zeros(total, np.float64)
        wish[mine] = logits[owner[mine], player[mine], actions[mine]]
        # Moves of one role in one node lie side by side.
        group = owner * len(self._rules.roles) + role
        heads = np.flatnonzero(np.concatenate([[True], np.diff(group) != 0]))
        spans = np.diff(np.append(heads, total))
        wish = np.exp(wish - np.repeat(np.maximum.reduceat(wish, heads), spans))
        sums = np.repeat(np.add.reduceat(wish, heads), spans)
        arrays.arms['prior'][arms] = (wish / sums).astype(np.float32)
        return values
