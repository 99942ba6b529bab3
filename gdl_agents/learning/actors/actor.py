"""The contract of actors: what plays a part of the games of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.players.draws import derive_seed
from gdl_env.language.game import Game

# What is learned from: what an algorithm takes from its games.
E = TypeVar('E')
E_co = TypeVar('E_co', covariant=True)


@dataclass(frozen=True)
class ActorPart:
    """A part of the lanes of a run, as if they were a run of their own."""

    number: int
    lanes: int
    seed: int

    @classmethod
    def of(cls, config: TrainingConfig, number: int) -> ActorPart:
        """Return one of the parts, as many as there are actors, whose lanes differ by one."""
        lanes, more = divmod(config.lanes, config.actors)
        seed = derive_seed(config.seed, f'part {number}')
        return cls(number, lanes + (number < more), seed)


@dataclass(frozen=True)
class PlayedCounts:
    """What was played."""

    episodes: int = 0
    steps: int = 0
    decisions: int = 0

    def __add__(self, other: PlayedCounts) -> PlayedCounts:
        return PlayedCounts(
            self.episodes + other.episodes,
            self.steps + other.steps,
            self.decisions + other.decisions,
        )


@dataclass(frozen=True)
class Played(Generic[E]):
    """The result of some ticks of a part."""

    experience: E
    counts: PlayedCounts
    # Where its games are now, as a tree in bytes.
    state: bytes


class Actor(Protocol[E_co]):
    """Plays one part; what it plays follows from the policy and from where its games are."""

    # How many rounds the policy is older than what was learned: with 1, actors play while the
    # learner learns; with 0, it waits for them, and they for it.
    lag: ClassVar[int]
    # Decisions in each lane between two policies.
    ticks: ClassVar[int]

    def __init__(
        self, game: Game, config: TrainingConfig, part: ActorPart, known: Mapping[str, Any]
    ) -> None:
        """Begin new games. `known` is what the trainer has found out, the same for all parts."""

    def take_policy(self, policy: Any) -> None:
        """Play by a policy, a tree, from now on."""

    def play(self, ticks: int) -> tuple[E_co, PlayedCounts]:
        """Play some decisions in every lane."""

    def to_tree(self) -> dict[str, Any]:
        """Return where the games are."""

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
