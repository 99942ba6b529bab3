"""Plays a part of the games from which DQN and Rainbow learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.actors.actor import ActorPart, PlayedCounts
from gdl_agents.learning.dqn.collector import join
from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.network_player import NetworkPlayer
from gdl_agents.learning.dqn.played_steps import Advice, PlayedSteps
from gdl_agents.learning.dqn.replay import Transitions
from gdl_agents.learning.dqn.value_games import ValueGames
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.game_properties.tactical_hints import AdviceBook, Advisor
from gdl_agents.learning.networks import Shape
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.device import open_device
from gdl_agents.learning.training.match_options import make_match_options
from gdl_agents.learning.training.opponents import open_opponents
from gdl_agents.players.draws import derive_seed
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.protocol import Feedback
from gdl_env.language.game import Game


@dataclass(frozen=True)
class PlayedValues:
    """The result of some ticks: steps by learner, and what learners got."""

    steps: dict[str, PlayedSteps]
    reward: float


class _AdviceLog(AdviceBook):
    """Takes the place of a book of advice, and keeps what was added."""

    def __init__(self) -> None:
        super().__init__(0, 0, 0)
        self.rows: list[Advice] = []

    def add(
        self,
        observation: NDArray[np.uint8],
        wins: NDArray[np.bool_],
        losses: NDArray[np.bool_],
    ) -> None:
        told = wins.any(axis=1) | losses.any(axis=1)
        if told.any():
            self.rows.append((observation[told], wins[told], losses[told]))


class _ActingPlayer(NetworkPlayer):
    """Plays by weights that it is given, and keeps its steps until they are taken."""

    def take_policy(self, policy: Mapping[str, Any]) -> None:
        self.network.load_state_dict(policy['weights'])
        self._known_decisions = int(policy['decisions'])

    def begin_stretch(self) -> None:
        # Exploration depends on how much all have decided.
        self.decisions = self._known_decisions
        self._steps: list[Transitions] = []
        self._log = _AdviceLog()
        self.teaching.book = self._log

    def learn(self, feedback: Feedback) -> None:
        collector = self._collectors.get(self._match_of(feedback.role))
        if collector is not None:
            self._add(collector.add_feedback(feedback))

    def take_steps(self) -> PlayedSteps:
        steps = join(self._steps) if self._steps else None
        return PlayedSteps(steps, self._log.rows, self.decisions - self._known_decisions)

    def _add(self, transitions: Transitions) -> None:
        if len(transitions):
            self._steps.append(transitions)


class ValueActor:
    """Games of networks, each for its roles, against the opponents of the policy."""

    lag: ClassVar[int] = 1
    ticks: ClassVar[int] = 64

    def __init__(
        self, game: Game, config: TrainingConfig, part: ActorPart, known: Mapping[str, Any]
    ) -> None:
        """Begin new games.

        `known` holds the network as `spec`, the roles of each learner as `groups`, the traits of
        the game as `traits`, and the range of values as `range`.
        """
        config = replace(config, lanes=part.lanes, seed=part.seed)
        lanes = open_lanes(game, config.lanes, config.engine, config.mapping)
        assert lanes.mapping is not None
        self._environment = Environment(
            lanes, make_match_options(config, config.lanes, config.seed, config.max_steps)
        )
        info = self._environment.info()
        advisor = Advisor(info) if config.learner.advice else None
        groups: Mapping[str, tuple[str, ...]] = known['groups']
        self._players = {
            name: _ActingPlayer(
                known['spec'],
                Shape.of(game, lanes.mapping),
                config.learner,
                known['range'],
                derive_seed(config.seed, f'learner {name}'),
                str(open_device(config.device)),
                known['traits'],
                advisor,
            )
            for name in groups
        }
        self._roles = {role: self._players[name] for name in groups for role in groups[name]}
        # They change where the learner is.
        opponents = open_opponents(config, info, _copy_nothing, _evaluate_nothing)
        self._games = ValueGames(
            self._environment, config, tuple(self._roles), self._roles, opponents
        )
        self._opponents = -1

    def take_policy(self, policy: Any) -> None:
        """Take over weights, and opponents where these have changed."""
        for name, held in policy['learners'].items():
            self._players[name].take_policy(held)
        if policy['opponents_version'] != self._opponents:
            self._games.opponents.seat_tree(policy['opponents'])
            self._opponents = policy['opponents_version']

    def play(self, ticks: int) -> tuple[PlayedValues, PlayedCounts]:
        """Play some ticks."""
        tallies = self._environment.tallies
        finished, steps, reward = tallies.finished, tallies.steps, 0.0
        for player in self._players.values():
            player.begin_stretch()
        for _ in range(ticks):
            step = self._games.tick()
            reward += self._games.sum_rewards(step)
            for role, player in self._roles.items():
                player.learn(step.feedback[role])
        taken = {name: player.take_steps() for name, player in self._players.items()}
        decisions = sum(one.decisions for one in taken.values())
        tallies = self._environment.tallies
        counts = PlayedCounts(tallies.finished - finished, tallies.steps - steps, decisions)
        return PlayedValues(taken, reward), counts

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are, and decisions whose results are not known yet."""
        return {
            'environment': self._environment.snapshot(),
            'pending': {name: p.pending_to_tree() for name, p in self._players.items()},
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self._environment.restore(tree['environment'])
        for name, held in tree['pending'].items():
            self._players[name].restore_pending(held)


def _copy_nothing() -> dict[str, Model]:
    raise RunError('opponents are copied where the learner is')


def _evaluate_nothing(games: int) -> float:
    raise RunError('learners are evaluated where the learner is')
