"""How a match is to be run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from gdl_env.environment.rewards import GOAL
from gdl_env.errors import GdlError
from gdl_env.play.turn_names import ROTATE


class OptionsError(GdlError):
    """An option of a match has no such value."""


class Illegal(Enum):
    """What becomes of an illegal answer."""

    # The game of that lane ends, with a punishment.
    END = 'end'
    # A random legal move is played instead.
    RANDOM = 'random'
    # The legal move is played that the agent prefers; a random one if it does not tell.
    BEST = 'best'


class Policy(Enum):
    """Who decides for a role."""

    AGENT = 'agent'
    RANDOM = 'random'
    LEGAL = 'legal'


@dataclass(frozen=True)
class Options:
    """Options of an environment. Raises OptionsError where one is out of range."""

    lanes: int = 1
    # Decides all chance of the environment.
    seed: int = 0
    # Episodes to play, shared out evenly among the lanes; 0 is without end.
    episodes: int = 0
    # Steps after which an episode is broken off; 0 is never.
    max_steps: int = 0
    illegal: Illegal = Illegal.RANDOM
    # `goal`, `module:name` or `file.py:name`: see rewards.py.
    reward: str = GOAL
    # `rotate`, `priority`, `random`, `first` or a hook: see turns.py.
    turn: str = ROTATE
    # List every joint move of the first lane, forced ones and draws included, in
    # `Step.joint_moves` and `TickArrays.joint_moves`. Ticks take longer.
    log_moves: bool = False
    # Team-mates by the name of their team.
    teams: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Of a cohort: the place of its first lane in the whole match, and the lanes of all cohorts
    # (0: these are all). Seed and episodes are those of the whole match.
    first_lane: int = 0
    all_lanes: int = 0

    def __post_init__(self) -> None:
        for name, low in (('lanes', 1), ('seed', 0), ('episodes', 0), ('max_steps', 0)):
            value = getattr(self, name)
            if value < low:
                raise OptionsError(f'{name} must be {low} or more, not {value}')
        if not 0 <= self.first_lane <= self.total_lanes - self.lanes:
            raise OptionsError(
                f'{self.lanes} lanes from {self.first_lane} on are not within'
                f' {self.total_lanes} lanes'
            )

    @property
    def total_lanes(self) -> int:
        """Return the lanes of the whole match."""
        return self.all_lanes or self.lanes
