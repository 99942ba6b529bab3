"""Rewards for the outcome and for legality, as numbers; and the range rewards can have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.errors import ConfigError
from gdl_env.environment.rewards import GoalReward, Reward, RoleResults, open_reward
from gdl_env.play.reward_scale import LOWEST


@dataclass(frozen=True)
class OutcomeReward(Reward):
    """Pays for the end of the game, for every legal move, and for an illegal one.

    In a hook's file, `MINE = OutcomeReward(win=1, …)` is the reward `file.py:MINE`.
    """

    win: float = 10.0
    draw: float = 0.0
    loss: float = -10.0
    # For each decision that was legal, or was not.
    legal: float = 0.0
    illegal: float = -10.0
    # In the first episodes, of all lanes together, only legality counts.
    legality_first: int = 0

    @property
    def low(self) -> float:
        """Return the least that an episode may be worth."""
        return min(self.win, self.draw, self.loss, self.illegal)

    @property
    def high(self) -> float:
        """Return the most that an episode may be worth, where no more than ten moves are paid."""
        return max(self.win, self.draw, self.loss) + 10 * max(0.0, self.legal)

    def reward_all(
        self, goals: NDArray[np.int16], ended: NDArray[np.bool_]
    ) -> NDArray[np.float32] | None:
        """Return the rewards of all players, if they depend on goals alone."""
        if self.legal or self.legality_first:
            return None
        worth = self._pay(goals)
        worth[~ended | (goals < 0)] = 0
        return worth

    def __call__(self, results: RoleResults) -> NDArray[np.float32]:
        """Return the reward of each lane."""
        worth = np.zeros(len(results.goal), np.float32)
        worth[results.has_acted & results.is_legal] += self.legal
        worth[~results.is_legal] += self.illegal
        # Lanes count their own episodes, and all of them are counted here.
        counts = results.episode * np.uint64(len(worth)) > np.uint64(self.legality_first)
        scored = (results.goal >= 0) & counts
        worth[scored] += self._pay(results.goal[scored])
        return worth

    def _pay(self, goals: NDArray[np.int16]) -> NDArray[np.float32]:
        """Return what goals are worth."""
        points = np.array([self.loss, self.draw, self.win])
        paid: NDArray[np.float32] = np.interp(goals, [0, 50, 100], points).astype(np.float32)
        return paid


# The first experiment of Kusmenko, Münker, Nadenau and Rumpe (2022), on tic-tac-toe.
PUNISHING = OutcomeReward(
    win=5.0, draw=2.0, loss=-6.0, legal=0.75, illegal=-8.0, legality_first=8_000
)


def reward_range(name: str, low: float | None, high: float | None) -> tuple[float, float]:
    """Return the least and the most that a reward pays for an episode; what is given counts.

    Raises ConfigError if it is not known, HookError if there is no such reward.
    """
    if low is None or high is None:
        reward = open_reward(name)
        usual = isinstance(reward, GoalReward)
        # What a reward says of itself counts, also where it extends the usual one.
        known = [
            getattr(reward, name, worth if usual else None)
            for name, worth in (('low', LOWEST), ('high', -LOWEST))
        ]
        low, high = (
            own if given is None else given for given, own in zip((low, high), known, strict=True)
        )
        if low is None or high is None:
            raise ConfigError(
                f'reward {name} does not say what it can pay: give it the attributes low and'
                ' high, or set value_low and value_high'
            )
        low, high = float(low), float(high)
    if low >= high:
        raise ConfigError(f'value_low must be below value_high, not {low} and {high}')
    return low, high
