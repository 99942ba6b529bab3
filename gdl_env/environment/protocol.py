"""What crosses between a match and its agents; the messages of ROS hold the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.bits import Bits
from gdl_env.play.turn_names import ROTATE
from gdl_env.quick_init import quick_init

# No action in that lane.
NO_ACTION = -1
# The game of that lane continues.
NO_GOAL = 255


@dataclass(frozen=True)
class MatchInfo:
    """What stays the same from the first tick to the last."""

    name: str
    # The rules as GDL text; empty if they are kept back.
    rules: str
    # Without `random`, which the environment plays.
    roles: tuple[str, ...]
    lanes: int
    # 0 if the game has no vector form.
    observation_size: int
    # 0 if the game has no action table: moves then travel as text.
    action_size: int
    # The move of each action, and the fact of each entry of an observation, as GDL text.
    moves: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    # Seconds; 0 is as long as it takes.
    start_clock: float = 0.0
    play_clock: float = 0.0
    # Team-mates by the name of their team.
    teams: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Whose turn it is where several roles could move, in a serial game: the name of a rule of
    # `play.turn_order`, or of a hook.
    turn: str = ROTATE
    # Parts of the lanes, each played in ticks of its own: see cohorts.py.
    cohorts: int = 1
    # Of one cohort: the place of its first lane in the whole match.
    first_lane: int = 0


@quick_init
@dataclass(frozen=True)
class Question:
    """What one role may see at one tick, and what it may do."""

    # Counted from 1 and never reset; the answer echoes it. Where the game hides moves, each role
    # counts only the ticks that concern it: how often others moved must not be seen.
    tick: int
    role: str
    # The episode of each lane, counted from 1.
    episode: NDArray[np.uint64]
    # In which lanes the role has a decision to make. None: its view changed, nothing is asked.
    to_move: NDArray[np.bool_]
    # Lanes by entries; None if the game has no vector form.
    observation: Bits | None
    # Lanes by actions, all 0 where there is nothing to decide; None without an action table.
    legal: Bits | None
    # Seconds left to answer; 0 is as long as it takes.
    time_left: float = 0.0
    # Lane 0 as text, where text was asked for.
    facts: tuple[str, ...] = ()
    legal_moves: tuple[str, ...] = ()
    # The agent that is asked, '' for any: others do not answer.
    agent: str = ''
    # When the tick began [ns since 1970]; 0 if that is not known.
    stamp: int = 0
    # The place of the first lane in the whole match: draws belong to lanes.
    first_lane: int = 0

    @property
    def lanes(self) -> int:
        """Return the number of lanes."""
        return len(self.to_move)

    @property
    def is_decision(self) -> bool:
        """Tell whether an answer is wanted."""
        return bool(self.to_move.any())

    def fingerprint(self) -> bytes:
        """Return what changes whenever the view does."""
        seen = self.observation.to_bytes() if self.observation is not None else b''
        return seen + '\n'.join(self.facts).encode() + self.episode.tobytes()


@quick_init
@dataclass(frozen=True)
class Answer:
    """An agent's answer to one question: by index, or by text."""

    tick: int
    role: str
    # Who answers: strikes are counted by it.
    agent: str
    # One entry a lane, NO_ACTION where nothing is decided. None if the answer is text.
    action: NDArray[np.int32] | None = None
    # GDL text of each lane, '' where nothing is decided.
    moves: tuple[str, ...] = ()
    # Lanes by actions: what the agent thinks of each, so that the best legal one can be played
    # where its choice is illegal.
    preference: NDArray[np.float32] | None = None


class Origin(IntEnum):
    """How an action came about."""

    UNKNOWN = 0
    AGENT = 1
    # There was one legal move only.
    FORCED = 2
    # The answer was illegal, and another move was played instead, or the game was ended.
    ILLEGAL = 3
    # There was no answer in time.
    LATE = 4
    # The environment plays this role: no agent was asked.
    ENVIRONMENT = 5


@quick_init
@dataclass(frozen=True)
class Feedback:
    """The result of one tick for one role."""

    tick: int
    role: str
    # The episode in which the step was taken.
    episode: NDArray[np.uint64]
    reward: NDArray[np.float32]
    # 0 to 100, NO_GOAL where the game continues or gives none.
    goal: NDArray[np.uint8]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    # What was really played, NO_ACTION where the role did not act. Empty without an action table.
    action: NDArray[np.int32]
    # One of Origin for each lane.
    origin: NDArray[np.uint8]
    # The last observation of the lanes that ended, in rising order.
    final_observation: Bits | None
    # The move played in lane 0 as text, where text was asked for.
    move: str = ''

    @property
    def is_over(self) -> NDArray[np.bool_]:
        """Tell which lanes ended."""
        return self.terminated | self.truncated

    @property
    def is_news(self) -> bool:
        """Tell whether the tick concerned the role: it acted, was paid, or an episode ended."""
        return bool(self.origin.any() or self.is_over.any() or self.reward.any())
