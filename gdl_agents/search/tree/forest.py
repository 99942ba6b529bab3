"""Trees that grow in batches: many descents, then one question to the rules for all of them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.random_games import LONGEST, are_engine_games_right, play_games
from gdl_agents.search.game.turns import ROTATION, TurnOrder, follow_last, let_move
from gdl_agents.search.tree.back_up_kernels import back_up
from gdl_agents.search.tree.descent_kernels import open_nodes, select
from gdl_agents.search.tree.forest_arrays import ForestArrays
from gdl_agents.search.tree.judging import Judging
from gdl_agents.search.tree.judging_kernels import soften_priors
from gdl_agents.search.tree.tree_kernels import attach, list_moves
from gdl_agents.search.tree.tree_options import RootMoves, TreeOptions
from gdl_agents.search.tree.tree_records import (
    ARMS,
    ENTRIES,
    IMPROVED,
    JUDGED,
    LEAVES,
    MIXED,
    NODES,
    ONE_OF,
    OPENINGS,
    PUCT,
    SEEN,
    SOLVED,
    UCB,
    WANTED,
    ChosenArms,
    DescentBatch,
    NewMoves,
    Paths,
    Tree,
    TreeSettings,
    WantedNodes,
)
from gdl_agents.search.tree.tree_room import TreeRoom, find_most
from gdl_env.engine.batch.contract import BatchGame, Look, Rows, States
from gdl_env.engine.batch.experiments import DRAWN

# Leaves of a batch at most, nodes that get their arms in one, and steps from a root.
_LEAVES = 4096
_OPENINGS = 512
_DEEPEST = 256

# From (forest, nodes) to the values of nodes for all roles, 0 to 1; it may set priors of arms.
NodeJudge: TypeAlias = Callable[['Forest', NDArray[np.int64]], NDArray[np.float64]]


class Forest:
    """Trees of one game, each from a root state.

    A node's children are all made when it is visited for the second time, where one role decides
    and they are not too many; each is evaluated, by a random game or by `judge`. What is proven, a
    final state or what follows from them, is not visited without need.
    """

    def __init__(
        self,
        rules: BatchGame,
        key: int,
        options: TreeOptions | None = None,
        judge: NodeJudge | None = None,
        turns: TurnOrder = ROTATION,
    ) -> None:
        """Begin without trees; `key` decides all chance."""
        self.rules = rules
        options = options or TreeOptions()
        self._turns = turns
        # Where it is not known what random games did, nothing can be learned from it.
        is_known = rules.trace_words and are_engine_games_right(rules, turns)
        rave = float(options.rave) if judge is None and is_known else 0.0
        self._has_late = rave > 0
        self.arrays = ForestArrays(rules, options.most_nodes, options.most_bytes)
        self._key = key
        self._judge = judge
        self._rollouts = options.rollouts
        self._is_sharp = options.is_sharp
        mode = _find_mode(options, judge)
        # Whether random games evaluate leaves.
        self._is_random = mode in (UCB, MIXED)
        self.settings = TreeSettings(
            mode=mode,
            # All of them must find room in a batch.
            family=min(options.family, _LEAVES // 2) if self._is_random else 0,
            most_nodes=options.most_nodes,
            exploration=float(options.exploration),
            nature=rules.nature,
            rave=rave,
            value_scale=float(options.value_scale),
            value_visits=float(options.value_visits),
            judge_visits=options.judge_visits,
            judge_weight=options.judge_weight,
            judge_exploration=float(options.judge_exploration),
        )
        self._random = np.array([key & (2**64 - 1)], np.uint64)
        roles = len(rules.roles)
        # Where states are no facts, each step is a question to a slow engine.
        can_ask = not self._is_random and rules.facts is not None
        self._win_arms = options.win_arms if can_ask else 0
        self._nothing_forced = np.zeros((0, roles), np.int32)
        self._descents = DescentBatch(
            _make_paths(_LEAVES, roles),
            _make_paths(_OPENINGS, roles),
            WantedNodes(np.zeros(_LEAVES, np.int64), np.zeros((_LEAVES, roles), np.int32)),
            ChosenArms(np.zeros(roles, np.int32), np.zeros(roles, np.int32)),
        )
        self._judging = Judging(_LEAVES, options.clock)
        self.room = TreeRoom(rules, options.most_nodes, options.most_bytes, _LEAVES)
        self._batches = 0
        # Random games, or nodes evaluated by `judge`, so far.
        self.judged = 0

    def clear(self, key: int) -> None:
        """Forget all trees, and begin as if new; `key` decides all chance."""
        self.arrays.clear()
        self._key = key
        self._random[0] = key & (2**64 - 1)
        self._batches = self.judged = 0
        self.room.clear()

    def make_room(self, roots: NDArray[np.int64], seconds: float = inf) -> NDArray[np.int64]:
        """Forget what is visited least in full trees; return where the roots are then."""
        drops_arms = self._judge is None
        self.arrays, roots = self.room.shrink(self.arrays, roots, seconds, drops_arms=drops_arms)
        return roots

    def hand_over(
        self, roots: NDArray[np.int64], old: list[int], to: Forest, seconds: float
    ) -> NDArray[np.int64]:
        """Copy some of the old trees to an empty forest, as far as there is time."""
        visits, drops_arms = self.arrays.nodes['visits'], self._judge is None
        share = min(1.0, float(visits[roots].sum() / max(1, visits[old].sum())))
        most = find_most(self.arrays, seconds)
        return self.arrays.keep(roots, to.arrays, most, share=share, drops_arms=drops_arms)

    def plant(self, states: States, mover: int) -> NDArray[np.int64]:
        """Add roots, in which a role is to move, if one moves at a time; return their numbers."""
        arrays = self.arrays
        first = int(arrays.counts[NODES])
        arrays.reserve_nodes(first + len(states))
        nodes = np.arange(first, first + len(states))
        arrays.counts[NODES] += len(states)
        arrays.clear_nodes(nodes)
        arrays.states[nodes] = states
        arrays.nodes['last'][nodes] = mover
        look = self.rules.look(states)
        over = np.flatnonzero(look.terminal)
        acting = let_move(self.rules, look, mover)
        self._solve_ended(nodes, look, self.rules.goals(states[over]), acting)
        self._attach_moves(nodes, look, acting)
        going = nodes[arrays.nodes['flags'][nodes] & SOLVED == 0]
        if self._judge is not None and len(going):
            arrays.solved[going] = self._judge(self, going)
            if self._is_random:
                soften_priors(going, arrays.tree)
                arrays.nodes['flags'][going] |= JUDGED
        return nodes

    def grow(self, roots: NDArray[np.int64], forced: Rows | None = None) -> int:
        """Go down from each of the roots once, judge what is reached; return how many were.

        `forced` is the arm that each role takes in each root, -1 where it is to be chosen.
        """
        arrays, counts = self.arrays, self.arrays.counts
        forced = self._nothing_forced if forced is None else forced
        done = 0
        judged = self.judged
        settings, random = self.settings, self._random
        descents = self._descents
        self._judging.begin_growing()
        while done < len(roots):
            counts[OPENINGS] = opened = 0
            tree = self._reserve()
            left = roots[done:], forced[done:]
            done += int(select(*left, tree, descents, settings, random))
            self._attach_waiting()
            while True:
                tree = arrays.tree
                opened = int(open_nodes(opened, tree, descents, settings, random))
                self._make_nodes()
                self._evaluate_leaves()
                if opened == counts[OPENINGS]:
                    break
                self._reserve()
        self.settings = self._judging.share_time(self.settings)
        return self.judged - judged

    # ---- inside

    def _reserve(self) -> Tree:
        """Begin a batch: make room for as many nodes as it may add."""
        arrays, counts = self.arrays, self.arrays.counts
        counts[WANTED] = counts[LEAVES] = 0
        arrays.reserve_nodes(int(counts[NODES]) + _LEAVES)
        arrays.reserve_entries(int(counts[ENTRIES]) + _LEAVES)
        return arrays.tree

    def _make_nodes(self) -> None:
        """Make the nodes that were asked for, by one question to the rules."""
        arrays, rules = self.arrays, self.rules
        count = int(arrays.counts[WANTED])
        if not count:
            return
        end = int(arrays.counts[NODES])
        nodes = np.arange(end - count, end)
        wanted = self._descents.wanted
        parents, does = wanted.parents[:count], wanted.does[:count]
        found = rules.follow(arrays.states, parents, does)
        arrays.states[nodes] = found.states
        arrays.starts[nodes] = 0
        if rules.is_serial:
            arrays.nodes['last'][nodes] = follow_last(rules, arrays.nodes['last'][parents], does)
        acting = self._find_acting(nodes, found.look)
        self._solve_ended(nodes, found.look, found.goals[found.look.terminal], acting)
        if self._is_random:
            # Most nodes are never visited again.
            arrays.nodes['flags'][nodes] |= SEEN
            return
        self._attach_moves(nodes, found.look, acting)
        if self._win_arms:
            self._prove_wins(nodes)

    def _prove_wins(self, nodes: NDArray[np.int64]) -> None:
        """Prove new nodes in which a move wins at once, without making a node of it."""
        arrays, rules = self.arrays, self.rules
        size = int((arrays.starts[nodes, -1] - arrays.starts[nodes, 0]).sum())
        parents = np.empty(size, np.int64)
        does = np.full((size, len(rules.roles)), -1, np.int32)
        count = int(list_moves(nodes, self._win_arms, arrays.tree, parents, does))
        if not count:
            return
        parents = parents[:count]
        found = rules.follow(arrays.states, parents, does[:count])
        over = np.flatnonzero(found.look.terminal)
        if not len(over):
            return
        goals, parents = found.goals[over], parents[over]
        best = goals[np.arange(len(over)), arrays.nodes['decider'][parents]] >= 100
        arrays.solved[parents[best]] = np.where(goals < 0, 50, goals)[best] / 100.0
        arrays.nodes['flags'][parents[best]] |= SOLVED

    def _find_acting(self, nodes: NDArray[np.int64], look: Look) -> NDArray[np.bool_]:
        """Tell which roles act in nodes; where it is drawn who moves, all that may."""
        last = self.arrays.nodes['last'][nodes]
        acting: NDArray[np.bool_] = self._turns.find_chances(self.rules, look, last) > 0
        return acting

    def _solve_ended(
        self,
        nodes: NDArray[np.int64],
        look: Look,
        goals: NDArray[np.int16],
        acting: NDArray[np.bool_],
    ) -> None:
        """Note the values of nodes in which the game is over, or nobody can move."""
        arrays = self.arrays
        over = nodes[look.terminal]
        arrays.solved[over] = np.where(goals < 0, 50, goals) / 100.0
        arrays.nodes['flags'][over] |= SOLVED
        stuck = nodes[~look.terminal & ~np.any(acting, axis=1)]
        arrays.solved[stuck] = 0.5
        arrays.nodes['flags'][stuck] |= SOLVED

    def _attach_waiting(self) -> None:
        """Give nodes that were visited again their arms."""
        nodes = self._descents.openings.leaves[: int(self.arrays.counts[OPENINGS])]
        if len(nodes):
            look = self.rules.look(self.arrays.states[nodes])
            self._attach_moves(nodes, look, self._find_acting(nodes, look))

    def _attach_moves(
        self, nodes: NDArray[np.int64], look: Look, acting: NDArray[np.bool_]
    ) -> None:
        """Give nodes their arms."""
        arrays, rules = self.arrays, self.rules
        if rules.is_serial:
            arrays.nodes['flags'][nodes[acting.sum(axis=1) > 1]] |= ONE_OF
        plain = rules.plain(look.rows)
        before = int(arrays.counts[ARMS])
        arrays.reserve_arms(before + len(look.rows))
        moves = NewMoves(look.starts, look.rows, plain, acting)
        attach(nodes, moves, rules.nature, arrays.tree)
        if rules.has_experiments:
            self._draw(nodes, before)

    def _draw(self, nodes: NDArray[np.int64], first: int) -> None:
        """Note what may come of arms that name experiments."""
        arrays = self.arrays
        arms = np.arange(first, int(arrays.counts[ARMS]))
        drawn = arms[arrays.arms['does'][arms] == DRAWN]
        if not len(drawn):
            return
        owner = nodes[np.searchsorted(arrays.starts[nodes, -1], drawn, side='right')]
        outcomes = self.rules.outcomes(arrays.states[owner], arrays.arms['row'][drawn])
        arrays.add_outcomes(drawn, outcomes)

    def _evaluate_leaves(self) -> None:
        """Evaluate the leaves, and back up what was found."""
        arrays = self.arrays
        count = int(arrays.counts[LEAVES])
        if not count:
            return
        leaves = self._descents.paths.leaves[:count]
        values = arrays.solved[leaves].copy()
        going = np.flatnonzero(arrays.nodes['flags'][leaves] & SOLVED == 0)
        traces = np.zeros((count * self._has_late, self.rules.trace_words), np.uint64)
        if len(going) and self._has_late:
            values[going], traces[going] = self._trace(leaves[going])
        elif len(going):
            values[going] = self._judge_nodes(leaves[going])
        if len(going) and not self._is_random:
            arrays.solved[leaves[going]] = values[going]
        if len(going):
            self.judged += len(going) * (self._rollouts if self._is_random else 1)
        back_up(count, self._descents.paths, values, arrays.tree, traces)
        if self.settings.mode == MIXED:
            self._ask_judge(count)

    def _ask_judge(self, count: int) -> None:
        """Ask the judge about the nodes on the first paths that were visited often enough."""
        judging, paths, tree = self._judging, self._descents.paths, self.arrays.tree
        nodes = judging.list_ripe(count, paths, tree, self.settings)
        if len(nodes) and self._judge is not None:
            with judging.measure_asking():
                values = self._judge(self, nodes)
            judging.heed(values, paths, tree, self.settings)
            self.judged += len(nodes)

    def _trace(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.float64], States]:
        """Play a random game from each node; return its values, and what was done in it."""
        self._batches += 1
        key = self._key << 64 | self._batches
        goals, traces = self.rules.traced_playouts(self.arrays.states[nodes], key, LONGEST)
        return np.where(goals < 0, 50, goals) / 100.0, traces

    def _judge_nodes(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        if self._judge is not None and not self._is_random:
            return self._judge(self, nodes)
        self._batches += 1
        key = self._key << 64 | self._batches
        states = self.arrays.states[nodes]
        if self._rollouts > 1:
            states = np.repeat(states, self._rollouts, axis=0)
        last = np.repeat(self.arrays.nodes['last'][nodes], self._rollouts)
        goals = play_games(self.rules, self._turns, states, last, key, is_sharp=self._is_sharp)
        values: NDArray[np.float64] = np.where(goals < 0, 50, goals) / 100.0
        if self._rollouts > 1:
            values = values.reshape(len(nodes), self._rollouts, -1).mean(axis=1)
        return values

    # ---- asking

    def arms_of(self, node: int, role: int) -> slice:
        """Return which arms a role has in a node."""
        starts = self.arrays.starts
        return slice(int(starts[node, role]), int(starts[node, role + 1]))

    def is_solved(self, node: int) -> bool:
        """Tell whether the value of a node is proven."""
        return bool(self.arrays.nodes['flags'][node] & SOLVED)

    def root_moves(self, node: int, role: int) -> RootMoves:
        """Return the moves of a role in a node, and what is known of them."""
        arrays = self.arrays
        own = arrays.arms[self.arms_of(node, role)]
        children = own['child']
        proven = np.full(len(own), np.nan)
        is_known = arrays.nodes['flags'][np.maximum(children, 0)] & SOLVED != 0
        known = (children >= 0) & is_known
        proven[known] = arrays.solved[children[known], role]
        visits = own['visits'].copy()
        means = own['sum'] / np.maximum(visits, 1)
        return RootMoves(own['row'].copy(), visits, means, proven)


def _make_paths(leaves: int, roles: int) -> Paths:
    return Paths(
        nodes=np.zeros((leaves, _DEEPEST), np.int32),
        arms=np.zeros((leaves, _DEEPEST, roles), np.int32),
        lengths=np.zeros(leaves, np.int64),
        leaves=np.zeros(leaves, np.int64),
    )


def _find_mode(options: TreeOptions, judge: NodeJudge | None) -> int:
    """Return how arms are chosen."""
    if judge is None:
        return UCB
    if options.judge_visits:
        return MIXED
    return IMPROVED if options.value_scale > 0 else PUCT
