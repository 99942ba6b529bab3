"""What training is, whatever the algorithm: the contract of trainers, and what they report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any, Protocol, TypeVar

from gdl_agents.learning.game_properties.proof import Proof
from gdl_agents.learning.game_properties.solution import Right
from gdl_agents.learning.networks import NetworkSpec
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.run_budget import RunBudget
from gdl_env.environment.score import Score
from gdl_env.language.game import Game

# What a trainer makes: the models of one algorithm.
M = TypeVar('M')


@dataclass(frozen=True)
class TrainingStatus:
    """How far training is."""

    episodes: int
    steps: int
    decisions: int
    updates: int
    # Mean reward of an episode for a learner, and mean loss, since the last row of metrics.
    reward: float
    loss: float
    epsilon: float
    # Of the last snapshot: its mean reward against the judge, and how much best responses gain
    # against it [goals], where that is measured.
    score: float
    exploitability: float = nan
    # Of games that actors play: by how many updates their policy was behind when they were learned
    # from, and parts of rounds that were played again, since their worker was lost.
    lag: float = nan
    repeated: float = nan


@dataclass(frozen=True)
class Findings:
    """What is certain of models, not estimated from games."""

    # By seat, where all games of it can be played.
    proofs: tuple[Proof, ...] = ()
    # By seat, where the game is solved.
    rights: Mapping[str, Right] = field(default_factory=dict)
    # What else is known, in sentences.
    others: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """Return all of it in sentences."""
        rights = (f'{role}: {right}' for role, right in self.rights.items())
        return [*map(str, self.proofs), *rights, *self.others]


class Trainer(Protocol[M]):
    """Runs training tick by tick; everything that changes can be kept and restored.

    A trainer that is restored continues exactly as the one it was kept from would have.
    """

    config: TrainingConfig
    game: Game
    # The network that is trained.
    spec: NetworkSpec
    # How much of the training is done.
    budget: RunBudget

    @property
    def learners(self) -> Mapping[str, object]:
        """Return the learners, by name."""

    @property
    def episodes(self) -> int:
        """Return the number of finished episodes."""

    @property
    def is_done(self) -> bool:
        """Tell whether the budget is spent, or what was wanted is proved."""

    def roles_of(self, learner: str) -> tuple[str, ...]:
        """Return the roles that a learner plays."""

    def tick(self) -> Mapping[str, M] | None:
        """Play and learn one tick; return the models of a snapshot by learner, if one is due."""

    def status(self, *, is_row: bool = False) -> TrainingStatus:
        """Return how far training is; a row of metrics begins new means."""

    def evaluate(self, games: int, models: Mapping[str, M]) -> dict[str, Score]:
        """Return how models, by role, fare against the judge, by seat."""

    def gather_findings(self, models: Mapping[str, M]) -> Findings:
        """Return what is certain of models, by role."""

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes."""

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned, of the same game and options. Raises RunError."""

    def close(self) -> None:
        """Release what is held."""
