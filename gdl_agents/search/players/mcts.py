"""Monte-Carlo tree search: random games from where the tree is most promising."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.errors import AgentError
from gdl_agents.search.belief.sampling import sample_states
from gdl_agents.search.players.options import Value
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.players.task import BestMoves, SearchTask
from gdl_agents.search.puzzles.puzzle import is_puzzle
from gdl_agents.search.puzzles.puzzle_player import PuzzlePlayer
from gdl_agents.search.tree.forest import Forest
from gdl_agents.search.tree.information_tree import search_information_sets
from gdl_agents.search.tree.tree_options import FAMILY, RootMoves, TreeOptions
from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import MatchInfo, Question
from gdl_env.language.game import Information

# Descents from one root in a batch at most.
_BATCH = 256
_MEGABYTE = 1 << 20
# The share of the time of a search in which old trees may be taken over; and the time for
# forgetting, where a search has no end [s].
_TAKEN_OVER, _LONGEST_ROOM = 0.25, 4.0
# How many steps after the last decision the next one is searched for in the tree.
_STEPS_BETWEEN = 4


class MctsAgent(SearchAgent):
    """Searches by Monte-Carlo tree search, with proven wins and losses.

    This is UCT in batches: random games run as lanes of the engine's kernel, many at a time.
    A node's children are all made and judged together, so each has a random game of its own from
    the start; proven wins and losses are backed up, and the tree is kept from move to move. Where
    several decide at once, each chooses by its own statistics; chance is drawn. In a game that
    hides something it searches over what the player would know, as `ismcts` does; with `states`,
    trees are grown from that many states that the player may be in, and their statistics added up.
    """

    name = 'mcts'
    # Visits of a root so far for each of its descents in the next batch.
    patience: int = 32
    defaults: ClassVar[Mapping[str, Value]] = {
        'time': 1.0,
        'playouts': 0,
        'c': 0.7,
        'rollouts': 1,
        'sharp': True,
        'rave': 0,
        'family': FAMILY,
        'nodes': 10_000_000,
        'memory': 1_000,
        'states': 0,
        'reuse': True,
        'puzzles': True,
    }

    def __init__(self, detail: str = '') -> None:
        """Read the options. Raises AgentError if they make no sense."""
        super().__init__(detail)
        if self.options.get('rave') and int(self.options['rollouts']) > 1:
            raise AgentError('mcts: rave learns from one random game a node; leave out rollouts')

    def begin(self, info: MatchInfo, roles: tuple[str, ...], seed: int) -> None:
        """Load the rules; forget old trees."""
        super().begin(info, roles, seed)
        # For each role its trees: lane → (episode, root).
        self._trees: dict[int, tuple[Forest, dict[int, tuple[int, int]]]] = {}
        # They hold rows of states, which mean nothing in another generation of the table.
        self._generation = self.table.generation
        # Plays alone, without chance: then there is nothing to sample.
        self.puzzle: PuzzlePlayer | None = None
        if self.options.get('puzzles', False) and is_puzzle(self.table.rules):
            room = int(float(self.options['memory']) * _MEGABYTE)
            self.puzzle = PuzzlePlayer(self.table, room, int(self.options['playouts']))
        if self._plays_sharp():
            # Made now, as it takes longer than a move may.
            self.table.rules.sharp_playouts(self.table.rules.initial, 0, 1)

    def _plays_sharp(self) -> bool:
        """Tell whether trees are grown, and by random games that take wins."""
        options = self.options
        is_open = self.table.game.information is Information.COMPLETE
        grows_trees = self.puzzle is None and (is_open or bool(options.get('states')))
        return grows_trees and bool(options.get('sharp')) and not options.get('rave')

    def end(self) -> None:
        """Forget the trees, and lines of play."""
        self._trees = {}
        self.puzzle = None

    def evaluate_moves(self, task: SearchTask) -> BestMoves:
        """Grow trees, and choose what was tried most."""
        started = task.clock()
        if self.table.game.information is not Information.COMPLETE or not task.is_exact:
            states = int(self.options.get('states', 0))
            if not states:
                wanted, exploration = int(self.options['playouts']), float(self.options['c'])
                end = self.find_end(task, started)
                return search_information_sets(self.table, task, exploration, wanted, end)
            task = sample_states(task, states)
        if self.puzzle is not None:
            return self.puzzle.evaluate_moves(task, self.find_end(task, started))
        end = self.find_end(task, started)
        forest, roots = self._plant(task, end - started)
        roots = self._grow(forest, roots, task, end)
        if task.is_exact and self.options['reuse']:
            self._keep(forest, roots, task)
        lanes, rows = [], []
        for lane in range(len(task.lanes)):
            own = roots[task.owner == lane]
            best = choose_rows([forest.root_moves(int(root), task.role) for root in own])
            lanes.append(np.full(len(best), lane))
            rows.append(best)
        return BestMoves(np.concatenate(lanes), np.concatenate(rows))

    def ponder(self, question: Question, is_wanted: Callable[[], bool]) -> None:
        """Grow the trees of positions, which the next search continues."""
        is_counted = bool(int(self.options['playouts']))
        if (
            is_counted
            or not self.options['reuse']
            or self.table.game.information is not Information.COMPLETE
        ):
            return
        lanes, key = np.arange(question.lanes), self._find_key(question)
        task = replace(self._task(question, lanes, key, self.clock()), deadline=float('inf'))
        if self.puzzle is not None:
            self.puzzle.ponder(task, is_wanted)
            return
        forest, roots = self._plant(task, _LONGEST_ROOM)
        self._keep(forest, self._grow(forest, roots, task, float('inf'), is_wanted), task)

    def _keep(self, forest: Forest, roots: NDArray[np.int64], task: SearchTask) -> None:
        """Keep trees for the next search."""
        places = zip(task.lanes.tolist(), task.episode.tolist(), roots.tolist(), strict=True)
        self._trees[task.role] = forest, {lane: (e, root) for lane, e, root in places}

    def make_forest(self, task: SearchTask) -> Forest:
        """Return an empty forest."""
        options = TreeOptions(
            most_nodes=int(self.options['nodes']),
            most_bytes=int(float(self.options['memory']) * _MEGABYTE),
            exploration=float(self.options['c']),
            rollouts=max(1, int(self.options['rollouts'])),
            family=int(self.options['family']),
            rave=float(self.options['rave']),
            is_sharp=bool(self.options['sharp']),
        )
        return Forest(task.rules, task.key, options, turns=task.turns)

    def _practise(self, match: Environment) -> None:
        super()._practise(match)
        # Whether a tree holds the next position, and is kept, is a matter of chance.
        for forest, known in self._trees.values():
            for _, root in known.values():
                forest.arrays.list_tree(int(root))

    def _plant(self, task: SearchTask, seconds: float) -> tuple[Forest, NDArray[np.int64]]:
        """Return a forest with the trees of all states: old ones where they are of use.

        - seconds: how long the search may take; a part of it serves to take over old trees
        """
        forest = self.make_forest(task)
        if self._generation != self.table.generation:
            self._trees.clear()
            self._generation = self.table.generation
        roots = np.full(len(task.states), -1, np.int64)
        if task.is_exact and task.role in self._trees:
            old, known = self._trees.pop(task.role)
            for lane, (number, episode) in enumerate(
                zip(task.lanes.tolist(), task.episode.tolist(), strict=True)
            ):
                before = known.get(number, (-1, -1))
                if before[0] == episode:
                    found = old.arrays.find(before[1], task.states[lane], _STEPS_BETWEEN)
                    part = old.arms_of(found, task.role) if found >= 0 else slice(0, 0)
                    # Of a win that was seen without making nodes, the move is not known.
                    is_blind = old.is_solved(found) and old.arrays.nodes['best'][found] < 0
                    if part.stop > part.start and not is_blind:
                        roots[lane] = found
                        old.arrays.let_move(found, task.role)
            kept = np.flatnonzero(roots >= 0)
            if len(kept):
                trees = [root for _, root in known.values()]
                time = seconds * _TAKEN_OVER
                roots[kept] = old.hand_over(roots[kept], trees, forest, time)
        new = np.flatnonzero(roots < 0)
        if len(new):
            roots[new] = forest.plant(task.states[new], task.role)
        return forest, roots

    def _grow(
        self,
        forest: Forest,
        roots: NDArray[np.int64],
        task: SearchTask,
        end: float,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> NDArray[np.int64]:
        """Grow trees until random games or time are used up, or all is proven.

        Returns where the roots are then: what is of least use is forgotten where room is short.
        """
        arrays = forest.arrays
        wanted = -(-int(self.options['playouts']) * len(task.lanes) // len(roots))
        before = arrays.nodes['visits'][roots]
        sizes = arrays.starts[roots, -1] - arrays.starts[roots, 0]
        while is_wanted() and task.clock() < end:
            left_over = min(end - task.clock(), _LONGEST_ROOM)
            if forest.room.lacks_time(forest.arrays, left_over):
                break
            roots = forest.make_room(roots, left_over)
            visits = forest.arrays.nodes['visits'][roots]
            left = wanted - (visits - before) if wanted else np.full(len(roots), 1 << 40)
            solved = np.array([forest.is_solved(int(root)) for root in roots])
            active = np.flatnonzero((left > 0) & ~solved & (sizes > 1))
            if not len(active):
                break
            count = np.minimum(
                visits[active] // self.patience, left[active] // (2 * sizes[active])
            )
            count = np.clip(count, 1, max(1, _BATCH // len(active)))
            forest.grow(np.repeat(roots[active], count))
        return roots


def choose_rows(moves: list[RootMoves]) -> NDArray[np.int32]:
    """Return the best moves by the statistics of one tree, or of several for the same decision.

    What is proven to win is played; what is proven to lose is not, unless all is, and then what
    was tried most. Else what was tried most, unless something is proven to be as good.
    """
    rows: NDArray[np.int32] = np.unique(np.concatenate([found.rows for found in moves]))
    visits, sums = np.zeros(len(rows)), np.zeros(len(rows))
    proven = np.zeros((len(moves), len(rows)))
    for number, found in enumerate(moves):
        place = np.searchsorted(rows, found.rows)
        visits[place] += found.visits
        sums[place] += found.visits * found.means
        proven[number, place] = found.proven
    means = np.where(visits > 0, sums / np.maximum(visits, 1), 0.0)
    certain = proven.mean(axis=0)
    is_open = np.isnan(certain)
    worth = np.where(is_open, -1.0, certain)
    best: NDArray[np.bool_] = worth >= worth.max() - 1e-9
    if is_open.any():
        # What was tried most, unless something is proven to be as good.
        most = np.where(is_open, visits, -1.0)
        favourite = int(most.argmax())
        if worth.max() < 1.0 and (worth.max() <= 0.0 or worth.max() < means[favourite]):
            best = most >= most.max()
    elif worth.max() <= 0.0:
        best = visits >= visits.max()
    chosen: NDArray[np.int32] = rows[best]
    return chosen
