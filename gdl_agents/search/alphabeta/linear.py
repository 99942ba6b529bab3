"""An evaluation that adds up weights of facts: quick enough for compiled search."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import BatchGame, States


class LinearEvaluation:
    """A state is worth 50 + 49 · tanh(constant + sum of the weights of its facts).

    Weights are given for each role, by the text of facts; facts without one weigh nothing.
    """

    def __init__(
        self,
        weights: Mapping[str, Mapping[str, float]],
        constants: Mapping[str, float] | None = None,
    ) -> None:
        self.weights = weights
        self.constants = constants or {}

    def weights_of(self, rules: CircuitBatch, role: int) -> NDArray[np.float64]:
        """Return the weight of each fact for a role, and the constant.

        Raises AgentError for a fact that can never hold.
        """
        name = str(rules.roles[role])
        given = dict(self.weights.get(name, {}))
        found = [given.pop(str(fact), 0.0) for fact in rules.vocabulary.facts]
        if given:
            raise AgentError(f'{next(iter(given))} can never be a fact of {rules.game.name}')
        return np.array([*found, self.constants.get(name, 0.0)])

    def __call__(self, rules: BatchGame, states: States, role: int) -> NDArray[np.float64]:
        """Return what states are worth to a role."""
        name = str(rules.roles[role])
        if isinstance(rules, CircuitBatch):
            weights = self.weights_of(rules, role)
            total: NDArray[np.float64] = rules.unpack(states) @ weights[:-1] + weights[-1]
            return 50.0 + 49.0 * np.tanh(total)
        given = self.weights.get(name, {})
        sums = [
            sum(given.get(str(fact), 0.0) for fact in rules.to_state(state)) for state in states
        ]
        return 50.0 + 49.0 * np.tanh(np.array(sums) + self.constants.get(name, 0.0))
