"""Small games solved: every position that can be reached, and what each of its moves is worth.

Positions are enumerated from the first one on; what best play makes of them is found backwards
from the ends. A learner can be taught by that, and a network measured: not by games against some
opponent, but by whether it answers every position of the game with a best move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.model import Model, values_of
from gdl_agents.learning.dqn.policy import choose_actions
from gdl_agents.learning.game_properties.copied_game import CopiedGame, CopiedStates
from gdl_env.engine.contract import NATURE
from gdl_env.environment.lanes.circuit_lanes import CircuitLanes
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.language.game import Game, Information

# Larger games are not solved: of compiled rules, and of rules that are interpreted.
MOST_POSITIONS = 20_000
_MOST_INTERPRETED = 1_000
# Larger tables of moves take more memory than the answers are worth.
_MOST_ACTIONS = 1_024
# Positions that are expanded together.
_BATCH = 512
_BEST = 100
# The worth of a move that is not legal, or of which best play does not decide the end.
UNKNOWN = -1


@dataclass(frozen=True)
class Right:
    """How many positions are answered with a best move, of those in which moves differ."""

    right: int
    asked: int

    @property
    def share(self) -> float:
        """Return the share of right answers; 1 where nothing is asked."""
        return self.right / self.asked if self.asked else 1.0

    def __str__(self) -> str:
        return f'{self.right} of {self.asked} positions are answered with a best move'


@dataclass(frozen=True)
class Solution:
    """All positions in which a role has a choice. Letters: n positions, E entries, A actions."""

    roles: tuple[str, ...]
    # By position: who decides (a place in `roles`), and what that role sees, (n, E).
    seat: NDArray[np.int64]
    observation: NDArray[np.bool_]
    legal: NDArray[np.bool_]
    # The goal that the deciding role reaches by each action under best play; or UNKNOWN. (n, A)
    goal: NDArray[np.int16]
    # All positions that were visited, those without a choice included.
    visited: int

    def __len__(self) -> int:
        return len(self.seat)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Tell of which actions the worth is known: (n, A)."""
        known: NDArray[np.bool_] = self.goal != UNKNOWN
        return known

    def find_best(self) -> NDArray[np.bool_]:
        """Tell which actions are best: (n, A)."""
        best: NDArray[np.bool_] = self.known & (self.goal == self.goal.max(axis=1)[:, None])
        return best

    def find_questions(self) -> NDArray[np.bool_]:
        """Tell in which positions moves differ, and all of them are known."""
        best = self.find_best()
        asked: NDArray[np.bool_] = (self.known == self.legal).all(axis=1) & (
            best.sum(axis=1) < self.legal.sum(axis=1)
        )
        return asked

    def see(self, model: Model) -> NDArray[np.bool_]:
        """Return what a model sees in each position."""
        seen: NDArray[np.bool_] = self.observation.copy()
        for seat, role in enumerate(self.roles):
            view = model.views.get(role)
            if view is not None:
                mine = self.seat == seat
                seen[mine] = seen[mine][:, view]
        return seen

    def examine(self, model: Model, roles: tuple[str, ...] = ()) -> dict[str, Right]:
        """Return how many positions a model answers with a best move, by role."""
        values = values_of(model.build().eval(), self.see(model), model.support)
        action = choose_actions(values, self.legal, 0.0, np.random.default_rng(0))
        is_right = self.find_best()[np.arange(len(self)), action]
        asked = self.find_questions()
        found = {}
        for seat, role in enumerate(self.roles):
            if not roles or role in roles:
                mine = asked & (self.seat == seat)
                found[role] = Right(int((is_right & mine).sum()), int(mine.sum()))
        return found


def is_perfect(asked: Mapping[str, Right]) -> bool:
    """Tell whether something was asked, and every answer was right."""
    return bool(asked) and all(right.right == right.asked for right in asked.values())


# By the text of the rules and the mapping: it takes a second to find out.
_KNOWN: dict[tuple[str, str, str], Solution | None] = {}


def solve_game(game: Game, mapping: str = 'auto') -> Solution | None:
    """Return the solution of a small game; None if it is too large, or not that kind of game.

    One role, or two that move one at a time for goals that add up to 100, without chance and
    secrets.
    """
    key = game.name, game.source.text, mapping
    if key not in _KNOWN:
        _KNOWN[key] = _solve(game, mapping)
    return _KNOWN[key]


def _solve(game: Game, mapping: str) -> Solution | None:
    if game.information is not Information.COMPLETE:
        return None
    lanes = open_lanes(game, 1, mapping=mapping)
    try:
        encoding = lanes.mapping
        if (
            encoding is None
            or encoding.action_size > _MOST_ACTIONS
            or not 1 <= len(lanes.players) <= 2
            or NATURE in lanes.roles
            or lanes.batch.has_experiments
        ):
            return None
        most = MOST_POSITIONS if isinstance(lanes, CircuitLanes) else _MOST_INTERPRETED
        graph = _Graph(CopiedGame(lanes, encoding), most)
        if not graph.expand():
            return None
        return graph.solve(tuple(map(str, lanes.players)))
    finally:
        lanes.close()


class _Graph:
    """Positions as they are found, and the moves between them."""

    def __init__(self, game: CopiedGame, most: int) -> None:
        self._game = game
        self._most = most
        self._places: dict[bytes, int] = {game.initial.states.tobytes(): 0}
        self._waiting = [game.initial]
        # By position, in the order in which they are expanded.
        self._seats: list[NDArray[np.int64]] = []
        self._worth: list[NDArray[np.float64]] = []
        self._legal: list[NDArray[np.bool_]] = []
        self._seen: list[NDArray[np.bool_]] = []
        # By move, in the order of their positions.
        self._parent: list[NDArray[np.int64]] = []
        self._action: list[NDArray[np.int64]] = []
        self._child: list[NDArray[np.int64]] = []
        self._done = 0

    def expand(self) -> bool:
        """Visit all positions; tell whether they are few enough, and of the right kind."""
        while self._waiting:
            batch = self._take()
            if not self._visit(batch):
                return False
        return True

    def solve(self, roles: tuple[str, ...]) -> Solution:
        """Find what best play makes of all positions, backwards from the ends."""
        seat = np.concatenate(self._seats)
        # What the first role gets; nan where that is not known yet.
        worth = np.concatenate(self._worth)
        parent, action, child = map(np.concatenate, (self._parent, self._action, self._child))
        first = np.flatnonzero(np.diff(parent, prepend=-1))
        owner = parent[first] if len(parent) else parent
        is_second = seat[parent] == 1
        while len(parent):
            own = _turn(worth[child], is_second)
            best = np.maximum.reduceat(np.nan_to_num(own, nan=float(UNKNOWN)), first)
            open_moves = np.add.reduceat(np.isnan(own), first)
            decided = np.isnan(worth[owner]) & ((open_moves == 0) | (best >= _BEST))
            if not decided.any():
                break
            worth[owner[decided]] = _turn(best, seat[owner] == 1)[decided]
        legal = np.concatenate(self._legal)
        goal = np.full(legal.shape, UNKNOWN, np.int16)
        if len(parent):
            goal[parent, action] = np.nan_to_num(_turn(worth[child], is_second), nan=UNKNOWN)
        choices = np.flatnonzero(legal.sum(axis=1) > 1)
        seen = np.concatenate(self._seen)
        return Solution(
            roles, seat[choices], seen[choices], legal[choices], goal[choices], len(seat)
        )

    def _take(self) -> CopiedStates:
        """Return positions that wait, as many as are expanded together."""
        taken, self._waiting = self._waiting[:_BATCH], self._waiting[_BATCH:]
        states, percepts = (
            np.concatenate([getattr(one, name) for one in taken])
            for name in ('states', 'percepts')
        )
        return CopiedStates(states, percepts)

    def _visit(self, batch: CopiedStates) -> bool:
        """Expand positions; tell whether the game is still one that can be solved."""
        terminal, legal = self._game.read_legal_actions(batch)
        choices = legal.sum(axis=2)
        if ((choices > 1).sum(axis=1) > 1)[~terminal].any():
            # Several decide at once.
            return False
        goals = self._game.goals(batch).astype(np.float64)
        if terminal.any() and not _is_zero_sum(goals[terminal]):
            return False
        seat = choices.argmax(axis=1)
        rows = np.arange(len(seat))
        own = legal[rows, seat] & ~terminal[:, None]
        self._seats.append(seat)
        self._worth.append(np.where(terminal, goals[:, 0], np.nan))
        self._legal.append(own)
        self._seen.append(self._game.observe(batch)[rows, seat])
        parent, action = np.nonzero(own)
        played = np.where(choices > 0, legal.argmax(axis=2), -1)[parent]
        played[np.arange(len(parent)), seat[parent]] = action
        after = self._game.play(CopiedStates(batch.states[parent], batch.percepts[parent]), played)
        self._parent.append(parent + self._done)
        self._action.append(action)
        self._child.append(self._number(after))
        self._done += len(seat)
        return len(self._places) <= self._most

    def _number(self, positions: CopiedStates) -> NDArray[np.int64]:
        """Return the numbers of positions; new ones wait to be expanded."""
        found = np.zeros(len(positions.states), np.int64)
        for row, state in enumerate(positions.states):
            key = state.tobytes()
            place = self._places.get(key)
            if place is None:
                place = self._places[key] = len(self._places)
                one = slice(row, row + 1)
                self._waiting.append(CopiedStates(positions.states[one], positions.percepts[one]))
            found[row] = place
        return found


def _turn(worth: NDArray[np.float64], is_second: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return what is worth something to the first role as the second one sees it."""
    return np.where(is_second, _BEST - worth, worth)


def _is_zero_sum(goals: NDArray[np.float64]) -> bool:
    """Tell whether all goals are known and, of two roles, add up to 100."""
    return bool((goals >= 0).all() and (goals.shape[1] == 1 or (goals.sum(axis=1) == _BEST).all()))
