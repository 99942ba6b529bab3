"""Solve a small game whole, in the time that a player has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from numpy.typing import NDArray

from gdl_agents.solving.errors import SolvingError
from gdl_agents.solving.methods.regret_minimisation import AUTO, minimise_regret
from gdl_agents.solving.playing.strategy_table import split_roles, to_arrays
from gdl_agents.solving.tree.game_tree import TreeBudget, build_tree
from gdl_env.language.game import Game

# The share of the time in which the tree must be built; and the NashConv that is good enough
# [goals].
_BUILDING = 0.7
_TARGET = 0.01
_MOST_ITERATIONS = 1_000_000

# What a `StrategyPlayer` reads.
Solution: TypeAlias = Mapping[str, NDArray[Any]]


def solve_in_time(
    game: Game, turn: str, budget: TreeBudget, iterations: int = 0
) -> Solution | None:
    """Return a strategy for all roles; None if the game is too large, or cannot be solved.

    `iterations` limits regret minimisation; 0: the time alone does.
    """
    seconds, started = budget.seconds, budget.clock()
    try:
        tree = build_tree(game, replace(budget, seconds=_BUILDING * seconds), turn)
    except SolvingError:
        return None
    left = seconds - (budget.clock() - started)
    most = iterations or _MOST_ITERATIONS
    found = minimise_regret(tree.form, AUTO, target=_TARGET, seconds=left, most=most)
    return to_arrays(tree.sight, split_roles(tree, found.strategy))
