"""All decisions of a tick as flat arrays: the quick way in for learners that run many lanes.

    turn = environment.decisions()
    action = policy(turn.observation, turn.legal)      # one action for each decision
    tick = environment.play(action)                    # tick.reward, tick.terminated, …

A game in which players take turns has one decision in each lane; one in which they move together
has several. Roles, questions and answers (`Environment.step`) say the same in another form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.bits import Bits
from gdl_env.environment.feedback import FeedbackMaker, Tick
from gdl_env.environment.lanes.tick_result import TickResult
from gdl_env.environment.move_log import JointMove
from gdl_env.environment.protocol import Feedback


@dataclass(frozen=True)
class DecisionBatch:
    """All decisions of a tick: sorted by player, then by lane."""

    # (players, lanes): who decides where.
    decides: NDArray[np.bool_]
    # (decisions, entries): what the player sees there; (decisions, actions): what is legal.
    observation: Bits
    legal: Bits

    @cached_property
    def _owner(self) -> tuple[NDArray[np.intp], ...]:
        return np.nonzero(self.decides)

    @property
    def player(self) -> NDArray[np.intp]:
        """Return whose decision each one is."""
        return self._owner[0]

    @property
    def lane(self) -> NDArray[np.intp]:
        """Return the lane of each decision."""
        return self._owner[1]

    def __len__(self) -> int:
        return len(self.observation)


class TickArrays:
    """The result of a tick, for all players and lanes. Parts are made when they are asked for."""

    def __init__(
        self,
        tick: Tick,
        maker: FeedbackMaker,
        made: Mapping[str, Feedback] | None = None,
        joint_moves: tuple[JointMove, ...] = (),
    ) -> None:
        """Describe a tick.

        - made: the feedback of all roles, if their rewards must not be asked for again
        """
        # What all roles played in the first lane, step by step: see `Options.log_moves`.
        self.joint_moves = joint_moves
        self._tick = tick
        self._maker = maker
        self._made = made

    @property
    def result(self) -> TickResult:
        """Return what the tick wrote down: goals only mean something where a lane ended."""
        return self._tick.result

    @property
    def ended(self) -> NDArray[np.bool_]:
        """Tell which lanes ended: (lanes). They have begun their next episode."""
        return self._tick.result.ended

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Tell which lanes ended by the rules, or by an illegal answer: (lanes)."""
        return self._tick.result.terminated

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Tell which lanes were cut off: (lanes)."""
        return self.ended & ~self.terminated

    @cached_property
    def goals(self) -> NDArray[np.int16]:
        """Return goals, -1 where the game continues or gives none: (players, lanes)."""
        result = self._tick.result
        found: NDArray[np.int16] = np.where(result.ended, result.goals, np.int16(-1))
        return found

    @cached_property
    def reward(self) -> NDArray[np.float32]:
        """Return the reward of every player: (players, lanes)."""
        if self._made is not None:
            return np.stack([told.reward for told in self._made.values()])
        return self._maker.reward_all(self._tick)

    def final_observation(self, player: int) -> Bits | None:
        """Return what a player saw last in the lanes that ended, in rising order; None: none."""
        return self._maker.final_observation(player, self._tick)
