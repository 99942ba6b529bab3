"""From questions and feedback to transitions, for one role in all lanes at once.

A step runs from one decision of the role to its next one, or to the end of the episode; whatever
it is paid in between, on its own moves or on those of others, is the reward of that step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.replay import Transitions
from gdl_env.environment.protocol import NO_ACTION, Feedback, Origin, Question


class Collector:
    """The last n decisions of each lane, still without their consequences.

    All loops are over n; lanes are columns of arrays.
    """

    def __init__(
        self, lanes: int, observation_bytes: int, action_bytes: int, n: int, gamma: float
    ) -> None:
        self.n = n
        self._gamma = gamma
        # Place 0 is the oldest decision of a lane; `_count` of them are in use.
        self._observation = np.zeros((n, lanes, observation_bytes), np.uint8)
        self._legal = np.zeros((n, lanes, action_bytes), np.uint8)
        self._action = np.zeros((n, lanes), np.int32)
        self._reward = np.zeros((n, lanes), np.float32)
        self._count = np.zeros(lanes, np.int64)
        self._episode = np.zeros(lanes, np.uint64)
        # Of the latest decision: feedback of earlier ticks is not about it.
        self._tick = np.zeros(lanes, np.int64)

    def decide(self, question: Question, action: NDArray[np.int32]) -> Transitions:
        """Note decisions; return the steps that reach this far: n decisions back.

        `action` has an entry for each lane, NO_ACTION where nothing is decided.
        """
        assert question.observation is not None and question.legal is not None
        mine = action != NO_ACTION
        # The end of an episode went unheard: what is pending has no known consequence.
        self._count[mine & (question.episode != self._episode)] = 0
        self._episode[mine] = question.episode[mine]
        self._tick[mine] = question.tick
        full = np.flatnonzero(mine & (self._count == self.n))
        after = question.observation.data[full], question.legal.data[full]
        found = self._step(full, 0, self.n, *after, self._gamma**self.n)
        for array in (self._observation, self._legal, self._action, self._reward):
            array[:-1, full] = array[1:, full]
        self._count[full] -= 1
        lanes = np.flatnonzero(mine)
        place = self._count[lanes]
        self._observation[place, lanes] = question.observation.data[lanes]
        self._legal[place, lanes] = question.legal.data[lanes]
        self._action[place, lanes] = action[lanes]
        self._reward[place, lanes] = 0
        self._count[lanes] += 1
        return found

    def add_feedback(self, feedback: Feedback) -> Transitions:
        """Add rewards to the latest decisions; return all steps of the lanes that ended."""
        in_time = self._tick <= feedback.tick
        self._count[in_time & (feedback.episode != self._episode) & (self._count > 0)] = 0
        lanes = np.flatnonzero(in_time & (self._count > 0))
        self._reward[self._count[lanes] - 1, lanes] += feedback.reward[lanes]
        self._correct(feedback, in_time)
        ended = [self._end(in_time & feedback.terminated, is_end=True)]
        ended.append(self._end(in_time & feedback.truncated, is_end=False))
        self._count[in_time & feedback.is_over] = 0
        return join(ended)

    def to_tree(self) -> dict[str, Any]:
        """Return everything, to be restored later."""
        return {
            name: getattr(self, f'_{name}').copy()
            for name in ('observation', 'legal', 'action', 'reward', 'count', 'episode', 'tick')
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        for name, array in tree.items():
            setattr(self, f'_{name}', array.copy())

    def _correct(self, feedback: Feedback, in_time: NDArray[np.bool_]) -> None:
        """Note what was really played where the answer came too late.

        An illegal choice stays: it is what the reward, or the end of the game, is about.
        """
        if len(feedback.action) != len(self._count):
            return
        late = (feedback.origin == Origin.LATE) & (feedback.action >= 0) & (self._count > 0)
        lanes = np.flatnonzero(in_time & late)
        self._action[self._count[lanes] - 1, lanes] = feedback.action[lanes]

    def _end(self, over: NDArray[np.bool_], *, is_end: bool) -> Transitions:
        """Return the steps of lanes that are over, each from its decision to the last.

        An episode that was broken off has no end to learn from: its steps reach as far as the
        last decision, whose own consequence is unknown.
        """
        found = []
        for place in range(self.n):
            lanes = np.flatnonzero(over & (self._count > place + (not is_end)))
            last = self._count[lanes] - 1
            after = self._observation[last, lanes], self._legal[last, lanes]
            if is_end:
                found.append(self._step(lanes, place, self.n, *after, 0.0))
                continue
            power = self._gamma ** (last - place)
            # The reward of the last decision came after the observation the steps reach.
            self._reward[last, lanes] = 0
            found.append(self._step(lanes, place, self.n, *after, power))
        return join(found)

    def _step(
        self,
        lanes: NDArray[np.int64],
        start: int,
        stop: int,
        next_observation: NDArray[np.uint8],
        next_legal: NDArray[np.uint8],
        discount: float | NDArray[np.floating[Any]],
    ) -> Transitions:
        """Return steps that begin at a place, with the rewards up to another one."""
        total = np.zeros(len(lanes), np.float32)
        for place in range(stop - 1, start - 1, -1):
            held = self._count[lanes] > place
            total = np.where(held, self._reward[place, lanes], 0) + np.float32(self._gamma) * total
        return Transitions(
            self._observation[start, lanes],
            self._action[start, lanes],
            total.astype(np.float32),
            next_observation,
            next_legal,
            np.broadcast_to(np.asarray(discount, np.float32), (len(lanes),)),
        )


def join(parts: list[Transitions]) -> Transitions:
    """Return all transitions in one."""
    names = ('observation', 'action', 'reward', 'next_observation', 'next_legal', 'discount')
    return Transitions(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))
