"""Learns from what others do: what a match tells its agents is experience for whoever listens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from gdl_msgs.msg import GameInfo, Reward, State
import numpy as np

from gdl_agents.learning.learner import Learner
from gdl_agents.learning.model import digest
from gdl_env.environment.exchange import NO_ACTION, Feedback, MatchInfo, Question
from gdl_env.errors import GdlError
from gdl_env.ros.names import topic_part
from gdl_env.ros.qos import info_qos, reward_qos
from gdl_env.ros.wire import from_game_info, from_reward, from_state

# Questions of a role whose feedback has not come.
_MOST = 100


class WatchedMatch:
    """Listens to roles of one match, here or in another namespace, on whatever machine.

    The match does not wait for who only watches. Where ticks were missed, what was pending is
    dropped: its consequence is not known.
    """

    def __init__(
        self,
        node: Any,
        namespace: str,
        roles: tuple[str, ...],
        begin: Callable[[MatchInfo, int], None],
        find: Callable[[str], Learner | None],
        learned: Callable[[Feedback, str], None],
    ) -> None:
        """Listen to some roles, or to all if none are named.

        `begin` is called when the match is known, `find` for who learns from matches with these
        tables, `learned` with what was taken in and the role as the match calls it.
        """
        self._node = node
        self._prefix = f'{namespace}/' if namespace else ''
        self._begin = begin
        self._find = find
        self._learned = learned
        self._info: MatchInfo | None = None
        self._tables = ''
        # By role: questions by their tick, and the tick of the last feedback.
        self._open: dict[str, dict[int, Question]] = {}
        self._last: dict[str, int] = {}
        node.create_subscription(GameInfo, f'{self._prefix}info', self._on_info, info_qos())
        for role in roles:
            self._attach(role)
        self._all = not roles

    def _attach(self, role: str) -> None:
        if role in self._open:
            return
        self._open[role] = {}
        topic = f'{self._prefix}{topic_part(role)}'
        # Deeper than an agent's: who watches is not waited for.
        self._node.create_subscription(
            State, f'{topic}/state', partial(self._on_state, role), reward_qos()
        )
        self._node.create_subscription(
            Reward, f'{topic}/reward', partial(self._on_reward, role), reward_qos()
        )

    def _on_info(self, message: GameInfo) -> None:
        try:
            self._info = from_game_info(message)
            self._tables = digest(self._info)
            self._begin(self._info, message.seed)
        except GdlError as error:
            self._node.get_logger().error(f'{self._prefix}info: {error}')
            return
        for role in self._info.roles if self._all else ():
            self._attach(role)

    def _on_state(self, role: str, message: State) -> None:
        if self._info is None or not any(message.to_move):
            return
        try:
            question = from_state(message, self._info)
        except GdlError as error:
            self._node.get_logger().warning(str(error))
            return
        held = self._open[role]
        held[question.tick] = question
        if len(held) > _MOST:
            del held[min(held)]

    def _on_reward(self, role: str, message: Reward) -> None:
        learner = self._find(self._tables)
        if self._info is None or learner is None:
            return
        try:
            # Roles of several matches have the same names; what is pending is kept apart.
            name = f'{self._prefix}{role}'
            feedback = replace(from_reward(message, self._info), role=name)
            self._take(learner, role, feedback)
            self._learned(feedback, role)
        except GdlError as error:
            self._node.get_logger().warning(str(error))

    def _take(self, learner: Learner, role: str, feedback: Feedback) -> None:
        held, tick = self._open[role], feedback.tick
        question = held.pop(tick, None)
        for old in [number for number in held if number < tick]:
            del held[old]
        has_decided = bool((feedback.action >= 0).any()) if question is None else False
        if self._last.get(role, tick - 1) != tick - 1 or has_decided:
            learner.learn(unheard(feedback))
        self._last[role] = tick
        if question is not None:
            action = np.where(question.to_move, feedback.action, NO_ACTION).astype(np.int32)
            learner.watch(replace(question, role=feedback.role), action)
        learner.learn(feedback)


def unheard(feedback: Feedback) -> Feedback:
    """Return feedback of no episode: whatever is pending from another one is dropped by it."""
    lanes = len(feedback.reward)
    none = np.zeros(lanes, np.bool_)
    return replace(
        feedback,
        episode=np.zeros(lanes, np.uint64),
        reward=np.zeros(lanes, np.float32),
        terminated=none,
        truncated=none,
        action=np.empty(0, np.int32),
        final_observation=None,
    )
