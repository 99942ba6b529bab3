"""Solve a game by the method that fits it, and describe the result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.expansion import expand
from gdl_agents.solving.errors import NoValuesError, SolvingError
from gdl_agents.solving.methods.external_sampling import ExternalSampling
from gdl_agents.solving.methods.open_values import OpenValues, solve_open
from gdl_agents.solving.methods.regret_minimisation import AUTO, RULES, minimise_regret
from gdl_agents.solving.playing.solution_folder import STRATEGY, VALUES, SolutionSummary
from gdl_agents.solving.playing.strategy_table import (
    RolePart,
    Row,
    list_rows,
    split_roles,
    to_arrays,
)
from gdl_agents.solving.tree.game_tree import TreeBudget, build_tree
from gdl_agents.solving.tree.row_index import RowIndex
from gdl_agents.solving.tree.sight import open_sight
from gdl_env.engine.batch.contract import BatchGame
from gdl_env.engine.batch.make import open_batch
from gdl_env.language.game import Game, Information
from gdl_env.play.turn_names import ROTATE

# Methods besides the rules of regret minimisation.
SAMPLED = 'sampled'
METHODS = (AUTO, VALUES, *RULES, SAMPLED)


@dataclass(frozen=True)
class SolvingOrder:
    """How a game is to be solved."""

    # One of METHODS.
    method: str = AUTO
    # NashConv, in goals, that is good enough.
    target: float = 0.0
    # Seconds of processor time for improving strategies, and for building trees.
    seconds: float = 60.0
    # HistoryRows of a tree, information sets or states at most.
    nodes: int = 10_000_000
    turn: str = ROTATE
    seed: int = 0


@dataclass(frozen=True)
class Solved:
    """What solving a game gave."""

    summary: SolutionSummary
    # What the agent needs, by name.
    arrays: dict[str, NDArray[Any]]
    # The strategy for people; empty for values.
    rows: Iterator[Row] = field(default_factory=lambda: iter(()))
    # Of an open game: who decides first, its moves, and bounds of the goal after each.
    first_moves: tuple[tuple[str, str, float, float], ...] = ()


def solve(game: Game, order: SolvingOrder) -> Solved:
    """Solve a game. Raises SolvingError if the method does not fit it, TooLargeError."""
    if order.method not in METHODS:
        raise SolvingError(f'no method {order.method!r}; methods: {", ".join(METHODS)}')
    if order.method == SAMPLED:
        return _solve_by_samples(game, order)
    is_open = game.information is Information.COMPLETE
    if order.method == VALUES or (order.method == AUTO and is_open):
        return _solve_by_values(game, order)
    return _solve_by_tree(game, order)


def _solve_by_tree(game: Game, order: SolvingOrder) -> Solved:
    started = process_time()
    tree = build_tree(game, TreeBudget(order.nodes, order.seconds), order.turn)
    built = process_time() - started
    found = minimise_regret(tree.form, order.method, target=order.target, seconds=order.seconds)
    parts = split_roles(tree, found.strategy)
    summary = SolutionSummary(
        game.name,
        game.hash,
        order.turn,
        tree.roles,
        STRATEGY,
        found.rule,
        found.exploitability.values,
        found.exploitability.nash_conv,
        tree.is_constant_sum and len(tree.own) == 2,
        {
            'histories': tree.nodes,
            'information sets': tree.information_sets,
            'ends': tree.ends,
            'levels': tree.depth,
        },
        {'tree': built, 'solving': found.seconds},
        found.iterations,
    )
    return Solved(summary, to_arrays(tree.sight, parts), list_rows(tree.sight, parts))


def _solve_by_samples(game: Game, order: SolvingOrder) -> Solved:
    sampling = ExternalSampling(open_sight(game, order.turn), order.seed, order.nodes)
    found = sampling.run(order.seconds)
    sets = sum(len(part.own) for part in found.parts)
    summary = SolutionSummary(
        game.name,
        game.hash,
        order.turn,
        tuple(part.role for part in found.parts),
        STRATEGY,
        SAMPLED,
        None,
        None,
        False,
        {'histories': found.nodes, 'information sets': sets},
        {'solving': found.seconds},
        found.iterations,
    )
    parts: list[RolePart] = found.parts
    return Solved(summary, to_arrays(found.sight, parts), list_rows(found.sight, parts))


def _solve_by_values(game: Game, order: SolvingOrder) -> Solved:
    with closing(open_batch(game)) as rules:
        try:
            started = process_time()
            found = solve_open(rules, TreeBudget(order.nodes, order.seconds))
            spent = process_time() - started
        except NoValuesError:
            # Found out on the way: players decide at the same time, or not against each other.
            if order.method == VALUES:
                raise
            return _solve_by_tree(game, order)
        first = float(found.low[0])
        values = (first, 100.0 - first)[: len(rules.players)]
        summary = SolutionSummary(
            game.name,
            game.hash,
            order.turn,
            tuple(str(rules.roles[role]) for role in rules.players),
            VALUES,
            VALUES,
            values if found.is_exact else None,
            0.0 if found.is_exact else None,
            found.is_exact,
            {'states': len(found.states), 'levels': found.depth, 'unknown': found.unknown},
            {'solving': spent},
        )
        middle = (found.low + found.high) / 2
        arrays = {'states': rules.export_states(found.states), 'value': _pack_values(middle)}
        return Solved(summary, arrays, first_moves=_list_first_moves(rules, found))


def _pack_values(value: NDArray[np.float64]) -> NDArray[Any]:
    """Return goals as bytes, if they are whole numbers."""
    is_whole = bool((value == np.rint(value)).all())
    return value.astype(np.uint8) if is_whole else value.astype(np.float32)


def _list_first_moves(
    rules: BatchGame, found: OpenValues
) -> tuple[tuple[str, str, float, float], ...]:
    """Return role, move and bounds of its own goal, for every first move without chance."""
    player = int(found.decider[0])
    if player < 0:
        return ()
    role = rules.players[player]
    look = rules.look(rules.initial)
    acting = (look.counts() > 0) & ~look.terminal[:, None]
    children = expand(rules, rules.initial, look, acting)
    if (children.chance < 1).any():
        return ()
    index = RowIndex(found.states.shape[1])
    index.add(found.states)
    numbers = index.find(children.states)
    listed = []
    for row, number in zip(children.legal[:, role].tolist(), numbers.tolist(), strict=True):
        low, high = float(found.low[number]), float(found.high[number])
        if player == 1:
            low, high = 100.0 - high, 100.0 - low
        listed.append((str(rules.roles[role]), str(rules.legal_move(row)[1]), low, high))
    return tuple(listed)
