"""Nodes of a tree judged by a network: values of states, and priors of moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_agents.learning.alphazero.inference import Inference
from gdl_agents.learning.alphazero.prior_kernels import fill_observations, set_priors
from gdl_agents.search.game.match_table import MatchTable
from gdl_agents.search.tree.forest import Forest
from gdl_env.engine.batch.contract import States
from gdl_env.language.game import Information


class NetworkEvaluator:
    """Gives a forest what it asks for (see `Forest`)."""

    def __init__(self, inference: Inference, table: MatchTable) -> None:
        """Get ready. Raises AgentError if the game hides something, or has no vector form."""
        rules = table.rules
        if table.game.information is not Information.COMPLETE:
            raise AgentError(f'{table.game.name} hides something: alphazero needs to see it all')
        if table.mapping is None:
            raise AgentError(f'{table.game.name} has no vector form: alphazero cannot read it')
        self._inference = inference
        self._rules = rules
        self._table = table
        # States of games that do not compile are no facts: they are read one by one.
        self._columns = None if rules.facts is None else table.columns(rules.players[0])
        self._size = table.mapping.observation_size
        # The index among players of each role; `random` has none.
        self._player = np.full(len(rules.roles), -1, np.int64)
        self._player[list(rules.players)] = np.arange(len(rules.players))
        self._actions = np.zeros(0, np.int32)

    def observe(self, states: States) -> NDArray[np.uint8]:
        """Return what the network sees of states, one a row."""
        if self._columns is None:
            percepts = np.zeros((len(states), self._rules.percept_words), np.uint64)
            packed = self._table.observe(self._rules.players[0], states, percepts)
            return np.unpackbits(packed, axis=1, count=self._size, bitorder='little')
        seen = np.zeros((len(states), self._size), np.uint8)
        fill_observations(states, self._columns, seen)
        return seen

    def __call__(self, forest: Forest, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of nodes for all roles; set the priors of their arms."""
        arrays = forest.arrays
        logits, found = self._inference.evaluate(self.observe(arrays.states[nodes]))
        values = np.zeros((len(nodes), len(self._rules.roles)))
        values[:, list(self._rules.players)] = found
        if len(self._actions) < self._rules.known_moves:
            # Games that do not compile meet new moves as they go.
            rows = np.arange(self._rules.known_moves, dtype=np.int32)
            self._actions = self._table.actions_of(rows)
        set_priors(nodes, logits, self._player, self._actions, arrays.tree)
        return values
