"""Properties of a game that a learner can use: found by random play, not assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.game_properties.role_views import find_views
from gdl_agents.learning.game_properties.solution import Solution, solve_game
from gdl_agents.learning.game_properties.symmetry import Symmetries, find_symmetries
from gdl_agents.learning.training.config import LearnerConfig
from gdl_agents.players.random import RandomAgent
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.language.game import Game, Information

_LANES = 16
# Random games are played until so many ended, for so many ticks at most.
_ENDS, _TICKS = 32, 400


@dataclass(frozen=True)
class GameTraits:
    """What a learner may make use of; by default nothing."""

    # Of two roles one wins what the other loses; they take turns, and see everything.
    is_zero_sum: bool = False
    # Renamings under which the game stays the same; None: none are known.
    symmetries: Symmetries | None = field(default=None, compare=False)
    # By role: the entry of an observation to be seen at each place, so that every role sees the
    # game as the first one does. Empty: roles see it as it is.
    views: Mapping[str, NDArray[np.int64]] = field(default_factory=dict, compare=False)
    # All positions with what their moves are worth, where the game is small; None: not known.
    solution: Solution | None = field(default=None, compare=False)

    def used_by(self, config: LearnerConfig) -> GameTraits:
        """Return what is made use of under these options."""
        return GameTraits(
            self.is_zero_sum and config.zero_sum,
            self.symmetries if config.symmetries else None,
            self.views if config.one_view else {},
            self.solution if config.exact else None,
        )


# By the text of the rules: they take a second or two to find.
_KNOWN: dict[tuple[str, str, str, bool, str], GameTraits] = {}


def find_traits(
    game: Game, reward: str = 'goal', *, shared: bool = True, mapping: str = 'auto'
) -> GameTraits:
    """Return the traits of a game for a network that its roles share, or of each role's own."""
    key = game.name, game.source.text, reward, shared, mapping
    if key not in _KNOWN:
        _KNOWN[key] = _find(game, reward, shared=shared, mapping=mapping)
    return _KNOWN[key]


def _find(game: Game, reward: str, *, shared: bool, mapping: str) -> GameTraits:
    symmetries = find_symmetries(game, mapping)
    if not shared:
        return GameTraits(symmetries=symmetries)
    lanes = open_lanes(game, _LANES, mapping=mapping)
    try:
        if reward != 'goal':
            return GameTraits(False, symmetries, find_views(game, lanes))
        solution = solve_game(game, mapping)
        return GameTraits(is_zero_sum(lanes), symmetries, find_views(game, lanes), solution)
    finally:
        lanes.close()


def is_zero_sum(lanes: Lanes) -> bool:
    """Tell whether two roles take turns in the open for goals that add up to 100.

    As far as random play shows.
    """
    game = lanes.game
    if len(lanes.players) != 2 or game.information is not Information.COMPLETE:
        return False
    environment = Environment(lanes, Options(lanes.lanes, max_steps=1_000))
    agent = RandomAgent()
    agent.begin(environment.info(), environment.roles, 0)
    ends = 0
    for _ in range(_TICKS):
        if (environment.decides.sum(axis=0) > 1).any():
            return False
        questions = environment.questions(only_decisions=True)
        step = environment.step({q.role: agent.choose(q) for q in questions})
        goals = [step.feedback[role].goal.astype(np.int64) for role in environment.roles]
        over = step.feedback[environment.roles[0]].terminated
        if ((goals[0] + goals[1])[over] != 100).any():
            return False
        ends += int(over.sum())
        if ends >= _ENDS:
            break
    return ends > 0
