"""From questions and feedback to transitions between the decisions of all roles, in turn.

In a game of two in which what one wins the other loses, the next decision need not be one's own:
what it is worth to the other, it costs oneself. A step so runs from one decision to the next one,
whoever makes it, which is half as far as to one's own; and it says nothing about how the other
plays, so that what anybody does can be learned from.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.collector import join
from gdl_agents.learning.dqn.replay import Transitions
from gdl_env.environment.protocol import NO_ACTION, Feedback, Origin, Question

_KEPT = ('observation', 'legal', 'action', 'role', 'open', 'reward', 'tick', 'count', 'episode')


class TurnCollector:
    """The last n decisions of each lane, of whatever role, still without their consequences.

    The discount of a transition is negative where its next decision is the other role's.
    """

    def __init__(
        self, lanes: int, observation_bytes: int, action_bytes: int, n: int, gamma: float
    ) -> None:
        self.n = n
        self._gamma = gamma
        self._roles: list[str] = []
        # Place 0 is the oldest decision of a lane; `_count` of them are in use.
        self._observation = np.zeros((n, lanes, observation_bytes), np.uint8)
        self._legal = np.zeros((n, lanes, action_bytes), np.uint8)
        self._action = np.zeros((n, lanes), np.int32)
        # Who decided, by the order of their first decisions; the results are not yet known.
        self._role = np.zeros((n, lanes), np.int32)
        self._open = np.zeros((n, lanes), np.bool_)
        self._reward = np.zeros((n, lanes), np.float32)
        self._tick = np.zeros((n, lanes), np.int64)
        self._count = np.zeros(lanes, np.int64)
        self._episode = np.zeros(lanes, np.uint64)

    def decide(self, question: Question, action: NDArray[np.int32]) -> Transitions:
        """Note decisions; return the steps that reach this far: n decisions back."""
        assert question.observation is not None and question.legal is not None
        role = self._number(question.role)
        # What is heard of too late has been passed over.
        mine = (action != NO_ACTION) & ~self._is_after(question)
        # The end of an episode went unheard, or is settled.
        self._count[mine & (question.episode != self._episode)] = 0
        self._episode[mine] = question.episode[mine]
        full = np.flatnonzero(mine & (self._count == self.n))
        sign = np.where(self._role[0, full] == role, 1.0, -1.0)
        after = question.observation.data[full], question.legal.data[full]
        found = self._step(full, 0, *after, sign * self._gamma**self.n)
        for name in _KEPT[:7]:
            array = getattr(self, f'_{name}')
            array[:-1, full] = array[1:, full]
        self._count[full] -= 1
        lanes = np.flatnonzero(mine)
        place = self._count[lanes]
        self._observation[place, lanes] = question.observation.data[lanes]
        self._legal[place, lanes] = question.legal.data[lanes]
        self._action[place, lanes] = action[lanes]
        self._role[place, lanes] = role
        self._open[place, lanes] = True
        self._reward[place, lanes] = 0
        self._tick[place, lanes] = question.tick
        self._count[lanes] += 1
        return found

    def add_feedback(self, feedback: Feedback) -> Transitions:
        """Add rewards to the decisions of a role; return its steps in the lanes that ended."""
        role = self._number(feedback.role)
        current = feedback.episode == self._episode
        found = []
        for place in range(self.n):
            held = current & (place < self._count) & self._open[place]
            # Feedback on earlier ticks is not about a decision.
            held &= (self._role[place] == role) & (self._tick[place] <= feedback.tick)
            self._correct(place, held & (place == self._count - 1), feedback)
            lanes = np.flatnonzero(held)
            power = np.float32(self._gamma) ** (self._count[lanes] - 1 - place)
            self._reward[place, lanes] += power * feedback.reward[lanes]
            found.append(self._end(place, np.flatnonzero(held & feedback.terminated)))
            found.append(self._break_off(place, np.flatnonzero(held & feedback.truncated)))
        return join(found)

    def to_tree(self) -> dict[str, Any]:
        """Return everything, to be restored later."""
        return {
            'roles': list(self._roles),
            **{name: getattr(self, f'_{name}').copy() for name in _KEPT},
        }

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self._roles = list(tree['roles'])
        for name in _KEPT:
            setattr(self, f'_{name}', tree[name].copy())

    def _is_after(self, question: Question) -> NDArray[np.bool_]:
        """Tell in which lanes a later decision of the same episode is known."""
        latest = self._tick.max(axis=0)
        after: NDArray[np.bool_] = (latest >= question.tick) & (self._episode == question.episode)
        return after & (self._count > 0)

    def _number(self, role: str) -> int:
        if role not in self._roles:
            self._roles.append(role)
        return self._roles.index(role)

    def _end(self, place: int, lanes: NDArray[np.int64]) -> Transitions:
        after = self._observation[place, lanes], self._legal[place, lanes]
        found = self._step(lanes, place, *after, np.zeros(len(lanes)))
        self._open[place, lanes] = False
        return found

    def _break_off(self, place: int, lanes: NDArray[np.int64]) -> Transitions:
        """Return steps as far as the last decision, whose own consequence nobody knows."""
        self._open[place, lanes] = False
        last = self._count[lanes] - 1
        lanes, last = lanes[last > place], last[last > place]
        sign = np.where(self._role[last, lanes] == self._role[place, lanes], 1.0, -1.0)
        after = self._observation[last, lanes], self._legal[last, lanes]
        return self._step(lanes, place, *after, sign * self._gamma ** (last - place))

    def _correct(self, place: int, latest: NDArray[np.bool_], feedback: Feedback) -> None:
        """Note what was really played where the answer came too late."""
        if len(feedback.action) == len(latest):
            late = latest & (feedback.origin == Origin.LATE) & (feedback.action >= 0)
            self._action[place, late] = feedback.action[late]

    def _step(
        self,
        lanes: NDArray[np.int64],
        place: int,
        next_observation: NDArray[np.uint8],
        next_legal: NDArray[np.uint8],
        discount: NDArray[np.floating[Any]],
    ) -> Transitions:
        return Transitions(
            self._observation[place, lanes],
            self._action[place, lanes],
            self._reward[place, lanes],
            next_observation,
            next_legal,
            discount.astype(np.float32),
        )
