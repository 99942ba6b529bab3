"""What a step is worth to a role."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import State
from gdl_env.importing import HookError, load_hook
from gdl_env.play.reward_scale import LOWEST, reward_goals, to_reward

GOAL = 'goal'


@dataclass(frozen=True)
class RoleResults:
    """The result of a tick for one role, one entry a lane."""

    role: str
    # 0 to 100, -1 where the game continues or the rules give none.
    goal: NDArray[np.int16]
    is_over: NDArray[np.bool_]
    # Whether the role made a move in this tick, and whether what it chose was legal.
    has_acted: NDArray[np.bool_]
    is_legal: NDArray[np.bool_]
    episode: NDArray[np.uint64]
    # The facts the role sees, of those lanes where it acted or the game ended; empty unless the
    # reward wants them.
    states: dict[int, State] = field(default_factory=dict)


class Reward(ABC):
    """A reward for all lanes at once. One object serves all roles of a match."""

    # Whether `states` must be filled, which takes time.
    wants_states: bool = False
    # Whether it depends on its argument alone, so that it need not be asked where no one listens.
    is_pure: bool = False

    @property
    def goes_by_goals(self) -> bool:
        """Tell whether `reward_all` is all to be asked in a tick without illegal answers."""
        return self.is_pure and type(self).reward_all is not Reward.reward_all

    def reward_all(
        self, goals: NDArray[np.int16], ended: NDArray[np.bool_]
    ) -> NDArray[np.float32] | None:
        """Return the rewards of all players in a tick without illegal answers, at once.

        Goals are players by lanes, and only mean something where a lane ended. None: ask for
        the players one by one.
        """
        return None

    @abstractmethod
    def __call__(self, results: RoleResults) -> NDArray[np.float32]:
        """Return the reward of each lane."""


class GoalReward(Reward):
    """Goals 0, 50 and 100 are worth -10, 0 and 10, linear in between.

    An illegal answer that ends the game is worth -10 to whoever gave it.
    """

    is_pure = True

    def reward_all(
        self, goals: NDArray[np.int16], ended: NDArray[np.bool_]
    ) -> NDArray[np.float32] | None:
        """Return the rewards of all players."""
        if len(ended) == 1 and not ended[0]:
            # A call of compiled code would take longer.
            return np.zeros(goals.shape, np.float32)
        reward = np.empty(goals.shape, np.float32)
        reward_goals(goals, ended, reward)
        return reward

    def __call__(self, results: RoleResults) -> NDArray[np.float32]:
        """Return the reward of each lane."""
        worth = np.zeros(len(results.goal), np.float32)
        if results.is_over.any():
            scored = results.goal >= 0
            worth[scored] = to_reward(results.goal[scored].astype(np.float32))
            # Who is punished does not act; where another move was played instead, it did.
            is_punished = ~results.is_legal & ~results.has_acted
            worth[is_punished & results.is_over & ~scored] = LOWEST
        return worth


class FunctionReward(Reward):
    """A plain function of (goal, state, legal, episode), called lane by lane.

    It is asked where the role acted or the game ended; goal is None while the game continues,
    state the facts that the role sees.
    """

    wants_states = True

    def __init__(self, function: Callable[[int | None, State, bool, int], float]) -> None:
        self._function = function
        # What the function says of itself: the least and the most that an episode pays.
        for bound in ('low', 'high'):
            if hasattr(function, bound):
                setattr(self, bound, getattr(function, bound))

    def __call__(self, results: RoleResults) -> NDArray[np.float32]:
        """Return the reward of each lane."""
        worth = np.zeros(len(results.goal), np.float32)
        for lane, state in results.states.items():
            goal = int(results.goal[lane])
            worth[lane] = self._function(
                None if goal < 0 else goal,
                state,
                bool(results.is_legal[lane]),
                int(results.episode[lane]),
            )
        return worth


def open_reward(name: str) -> Reward:
    """Return a reward: `goal`, or code named `module:name` or `file.py:name`. Raises HookError.

    The code is a Reward, a class of one, or a plain function (see FunctionReward).
    """
    if name == GOAL:
        return GoalReward()
    if ':' not in name:
        raise HookError(f'no reward {name!r}; rewards: {GOAL}, module:name, file.py:name')
    found: Any = load_hook(name)
    if isinstance(found, type):
        found = found()
    if isinstance(found, Reward):
        return found
    if callable(found):
        return FunctionReward(found)
    raise HookError(f'{name} is neither a Reward nor a function')
