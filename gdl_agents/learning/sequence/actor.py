"""Plays a part of the games that a sequence player learns from, if it plays against itself."""

from __future__ import annotations

from typing import ClassVar

from gdl_agents.learning.mmd.actor import SequenceActor
from gdl_agents.learning.mmd.collector import SequenceCollector
from gdl_agents.learning.mmd.networks import PolicyNetwork
from gdl_agents.learning.networks import NetworkSpec, Shape
from gdl_agents.learning.sequence.networks import build_sequence
from gdl_agents.learning.training.config import TrainingConfig
from gdl_env.environment.environment import Environment


class SequencePlayersActor(SequenceActor):
    """Games of a sequence player against itself."""

    lag: ClassVar[int] = 1

    def build(
        self, config: TrainingConfig, spec: NetworkSpec, shape: Shape, players: int
    ) -> PolicyNetwork:
        """Return the network of the policy."""
        return build_sequence(spec, shape, players, config.sequence.sharpness, seed=0)

    def open_collector(
        self, environment: Environment, config: TrainingConfig, seed: int
    ) -> SequenceCollector:
        """Return what plays."""
        return SequenceCollector(environment, seed, random_share=config.sequence.explore)
