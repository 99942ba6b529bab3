"""Plays a part of the games from which players that remember learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from gdl_agents.learning.actors.actor import LanePart, PlayedCounts
from gdl_agents.learning.mmd.collector import SequenceCollector
from gdl_agents.learning.mmd.networks import PolicyNetwork, build_policy
from gdl_agents.learning.mmd.sequences import Sequences
from gdl_agents.learning.networks import NetworkSpec, Shape
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.match_options import make_match_options
from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.language.game import Game


@dataclass(frozen=True)
class PlayedSequences:
    """Games that have ended, None if there are none, and what the first role got in them."""

    games: Sequences | None
    rewards: list[float]


class SequenceActor(ABC):
    """Games of a policy against itself; how the network is made is said by subclasses."""

    lag: ClassVar[int]
    ticks: ClassVar[int] = 16

    def __init__(
        self, game: Game, config: TrainingConfig, part: LanePart, known: Mapping[str, Any]
    ) -> None:
        """Begin new games. `known` holds the network as `spec`."""
        lanes = open_lanes(game, part.lanes, config.engine, config.mapping)
        assert lanes.mapping is not None
        self._environment = Environment(lanes, make_match_options(config, part.lanes, part.seed))
        shape, players = Shape.of(game, lanes.mapping), len(self._environment.roles)
        self._network = self.build(config, known['spec'], shape, players)
        self._collector = self.open_collector(self._environment, config, part.seed)

    @abstractmethod
    def build(
        self, config: TrainingConfig, spec: NetworkSpec, shape: Shape, players: int
    ) -> PolicyNetwork:
        """Return the network of the policy, with any weights."""

    @abstractmethod
    def open_collector(
        self, environment: Environment, config: TrainingConfig, seed: int
    ) -> SequenceCollector:
        """Return what plays."""

    def take_policy(self, policy: Any) -> None:
        """Take over the weights of a network."""
        self._network.load_state_dict(policy)

    def play(self, ticks: int) -> tuple[PlayedSequences, PlayedCounts]:
        """Play some decisions in every lane."""
        tallies = self._environment.tallies
        finished, steps = tallies.finished, tallies.steps
        for _ in range(ticks):
            self._collector.tick(self._network)
        decisions = self._collector.waiting
        games = self._collector.take() if decisions else None
        rewards = self._collector.take_rewards(is_row=True)
        tallies = self._environment.tallies
        counts = PlayedCounts(tallies.finished - finished, tallies.steps - steps, decisions)
        return PlayedSequences(games, rewards), counts

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are."""
        return self._collector.to_tree()

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self._collector.restore(tree)


class MmdActor(SequenceActor):
    """Games of mmd. A batch is played by the policy that learns from it: actors wait for it."""

    lag: ClassVar[int] = 0

    def build(
        self, config: TrainingConfig, spec: NetworkSpec, shape: Shape, players: int
    ) -> PolicyNetwork:
        """Return the network of the policy."""
        return build_policy(spec, shape, players, seed=0)

    def open_collector(
        self, environment: Environment, config: TrainingConfig, seed: int
    ) -> SequenceCollector:
        """Return what plays."""
        return SequenceCollector(environment, seed, config.mmd.teams)
