"""How far players are from an equilibrium, exactly, in games that are small enough."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from math import inf
from typing import TypeAlias

from gdl_agents.agent import Agent
from gdl_agents.solving.errors import SolvingError
from gdl_agents.solving.exploiting.exploitability import Exploitability, measure_exploitability
from gdl_agents.solving.exploiting.reading_agents import read_strategy
from gdl_agents.solving.tree.game_tree import GameTree, TreeBudget, build_tree
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.language.game import Game, Information

# Building a tree takes this long at most [s].
_SECONDS = 20.0
# Random games that show whether moves are simultaneous.
_LANES, _STEPS = 16, 64

# Makes the player of a role.
MakePlayer: TypeAlias = Callable[[str], Agent]


def needs_mixing(game: Game, turn: str) -> bool:
    """Tell whether something is hidden, or several roles decide at once in random games."""
    if game.information is not Information.COMPLETE:
        return True
    with closing(Environment.open(game, Options(_LANES, turn=turn))) as match:
        for _ in range(_STEPS):
            if (match.decides.sum(axis=0) > 1).any():
                return True
            match.play(match.draw())
    return False


class NashDistance:
    """Measures players of one game, if its tree is small enough."""

    def __init__(self, game: Game, turn: str, nodes: int) -> None:
        """Build the tree; it may have so many nodes."""
        self._tree: GameTree | None = None
        if nodes:
            try:
                self._tree = build_tree(game, TreeBudget(nodes, _SECONDS), turn)
            except SolvingError:
                # Too large, or its turn rule is no function of the past.
                self._tree = None

    def measure(self, make: MakePlayer) -> Exploitability | None:
        """Return what best responses gain against players, in goals; None if that is unknown."""
        tree = self._tree
        if tree is None:
            return None
        read = read_strategy(tree, [make(role) for role in tree.roles])
        return measure_exploitability(tree.form, read.strategy)

    def nash_conv(self, make: MakePlayer) -> float:
        """Return the sum of these gains; infinite if it is unknown."""
        found = self.measure(make)
        return inf if found is None else found.nash_conv

    def describe(self, make: MakePlayer) -> list[str]:
        """Return a sentence for each role about what a best response gains, for cards."""
        tree, found = self._tree, self.measure(make)
        if tree is None or found is None:
            return []
        return [
            f'{role}: mean goal {value:.2f} against itself, {best:.2f} with a best response'
            for role, value, best in zip(tree.roles, found.values, found.best, strict=True)
        ] + [f'NashConv, the sum of all gains: {found.nash_conv:.2f} goals']
