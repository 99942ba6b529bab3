"""How far a policy is from an equilibrium, exactly, in games that are small enough."""

from __future__ import annotations

from math import inf

from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.solving.errors import SolvingError
from gdl_agents.solving.exploiting.exploitability import Exploitability, measure_exploitability
from gdl_agents.solving.exploiting.reading_agents import read_strategy
from gdl_agents.solving.tree.game_tree import GameTree, TreeBudget, build_tree
from gdl_env.language.game import Game

# Building a tree takes this long at most [s].
_SECONDS = 20.0


class NashDistance:
    """Measures policies of one game, if its tree is small enough."""

    def __init__(self, game: Game, turn: str, nodes: int) -> None:
        """Build the tree; it may have so many nodes."""
        self._tree: GameTree | None = None
        if nodes:
            try:
                self._tree = build_tree(game, TreeBudget(nodes, _SECONDS), turn)
            except SolvingError:
                # Too large, or its turn rule is no function of the past.
                self._tree = None

    def measure(self, model: MmdModel) -> Exploitability | None:
        """Return what best responses gain against a model, in goals; None if that is unknown."""
        tree = self._tree
        if tree is None:
            return None
        read = read_strategy(tree, [MmdAgent.of(model) for _ in tree.roles])
        return measure_exploitability(tree.form, read.strategy)

    def nash_conv(self, model: MmdModel) -> float:
        """Return the sum of these gains; infinite if it is unknown."""
        found = self.measure(model)
        return inf if found is None else found.nash_conv

    def describe(self, model: MmdModel) -> list[str]:
        """Return a sentence for each role about what a best response gains, for cards."""
        found = self.measure(model)
        if found is None:
            return []
        return [
            f'{role}: mean goal {value:.2f} against itself, {best:.2f} with a best response'
            for role, value, best in zip(model.roles, found.values, found.best, strict=True)
        ] + [f'NashConv, the sum of all gains: {found.nash_conv:.2f} goals']
