"""Small games solved: every position that can be reached, and what each of its moves is worth.

What best play makes of a position is found by `solving/open_values.py`; here it becomes what a
network sees and answers. A learner can be taught by that, and a network measured: not by games
against some opponent, but by whether it answers every position of the game with a best move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.model import Model, values_of
from gdl_agents.learning.dqn.policy import choose_actions
from gdl_agents.learning.game_properties.copied_game import CopiedGame
from gdl_agents.solving.errors import NoValuesError, TooLargeError
from gdl_agents.solving.methods.open_values import OpenValues, solve_open
from gdl_agents.solving.tree.game_tree import TreeBudget
from gdl_agents.solving.tree.row_index import RowIndex
from gdl_env.engine.contract import NATURE
from gdl_env.environment.lanes.circuit_lanes import CircuitLanes
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.language.game import Game, Information

# Larger games are not solved: of compiled rules, and of rules that are interpreted.
MOST_POSITIONS = 20_000
_MOST_INTERPRETED = 1_000
# Larger tables of moves take more memory than the answers are worth.
_MOST_ACTIONS = 1_024
# Longer than this, no game is solved [s].
_SECONDS = 60.0
# Positions whose moves are tried together.
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
        if not self.asked:
            return 'nothing to learn, since no position has both better and worse moves'
        return f'{self.right} of {self.asked} positions are answered with a best move'


@dataclass(frozen=True)
class SolvedGame:
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
_KNOWN: dict[tuple[str, str, str], SolvedGame | None] = {}


def solve_game(game: Game, mapping: str = 'auto') -> SolvedGame | None:
    """Return the solution of a small game; None if it is too large, or not that kind of game.

    One role, or two that move one at a time for goals that add up to 100, without chance and
    secrets.
    """
    key = game.name, game.source.text, mapping
    if key not in _KNOWN:
        _KNOWN[key] = _solve(game, mapping)
    return _KNOWN[key]


def _solve(game: Game, mapping: str) -> SolvedGame | None:
    if game.information is not Information.COMPLETE:
        return None
    lanes = open_lanes(game, 1, mapping=mapping)
    try:
        encoding = lanes.mapping
        if (
            encoding is None
            or encoding.action_size > _MOST_ACTIONS
            or NATURE in lanes.roles
            or lanes.batch.has_experiments
        ):
            return None
        most = MOST_POSITIONS if isinstance(lanes, CircuitLanes) else _MOST_INTERPRETED
        values = solve_open(lanes.batch, TreeBudget(most, _SECONDS))
        copied = CopiedGame(lanes, encoding)
        return _tabulate(copied, values, tuple(map(str, lanes.players)))
    except (NoValuesError, TooLargeError):
        return None
    finally:
        lanes.close()


def _tabulate(game: CopiedGame, values: OpenValues, roles: tuple[str, ...]) -> SolvedGame:
    """Return what each move of every position with a choice is worth to the one who decides."""
    index = RowIndex(values.states.shape[1])
    index.add(values.states)
    worth = values.find_exact()
    choices = np.flatnonzero(values.decider >= 0)
    seat = values.decider[choices].astype(np.int64)
    seen, legal, goal = [], [], []
    # Empty games have tables, too.
    for low in range(0, max(1, len(choices)), _BATCH):
        mine = seat[low : low + _BATCH]
        states = values.states[choices[low : low + _BATCH]]
        positions = game.without_percepts(states)
        rows = np.arange(len(states))
        all_legal = game.read_legal_actions(positions)[1]
        own = all_legal[rows, mine]
        parent, action = np.nonzero(own)
        # The others have one move, or none.
        played = np.where(all_legal.any(axis=2), all_legal.argmax(axis=2), -1)[parent]
        played[np.arange(len(parent)), mine[parent]] = action
        after = game.play(game.without_percepts(states[parent]), played)
        first = worth[index.find(after.states)]
        told = np.full(own.shape, UNKNOWN, np.int16)
        told[parent, action] = np.nan_to_num(
            np.where(mine[parent] == 1, _BEST - first, first), nan=UNKNOWN
        )
        seen.append(game.observe(positions)[rows, mine])
        legal.append(own)
        goal.append(told)
    return SolvedGame(
        roles,
        seat,
        np.concatenate(seen),
        np.concatenate(legal),
        np.concatenate(goal),
        len(values.states),
    )
