"""A role that a person plays: on the graph it is an agent like any other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from gdl_msgs.msg import Action, GameInfo, Reward, State

from gdl_env.gui.frames import Frames, final_frame
from gdl_env.gui.texts import TextError
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.cdr import read_stamp
from gdl_env.ros.transport.messages import to_time
from gdl_env.ros.transport.names import action_topic, reward_topic, state_topic, view_topic
from gdl_env.ros.transport.passing_topics import (
    create_passing_publisher,
    create_passing_subscription,
)
from gdl_env.ros.transport.qos import action_qos, reward_qos, state_qos
from gdl_env.ros.transport.sources import guard

# How often sending an answer is tried [s], and how many times: the environment's publisher may
# be discovered before its subscription.
_POLL_PERIOD = 0.05
_MOST_POLLS = 60


class Seat:
    """Listens to what one role sees, and answers for it."""

    def __init__(self, node: GraphNode, namespace: str, role: str) -> None:
        self.role = role
        self.frames = Frames(lead=1)
        self._node = node
        self._info: GameInfo | None = None
        # The tick that was answered last, and how.
        self.answered = 0
        self._answer = Action()
        # What was answered, by tick.
        self._moves: dict[int, str] = {}
        # Of the newest question.
        self._stamp = 0
        self._sending: _Sending | None = None
        self._publisher = create_passing_publisher(
            node, Action, f'{namespace}/{action_topic(role)}', action_qos()
        )
        self._subscriptions = [
            create_passing_subscription(node, kind, name, guard(node, name, listen), qos, raw=raw)
            for kind, name, listen, qos, raw in (
                (State, f'{namespace}/{state_topic(role)}', self._on_question, state_qos(), True),
                (State, f'{namespace}/{view_topic(role)}', self._on_view, state_qos(), True),
                (
                    Reward,
                    f'{namespace}/{reward_topic(role)}',
                    self._on_reward,
                    reward_qos(),
                    False,
                ),
            )
        ]
        # Feedback of the last episode that ended: reward and goal.
        self.goal: int | None = None
        self.last_move = ''
        self.last_origin = 0

    @property
    def agent(self) -> str:
        """Return what answers are signed with."""
        return f'{self._node.get_fully_qualified_name()}'

    def begin(self, info: GameInfo, *, is_new: bool) -> None:
        """Start again: the match did, and may be another one."""
        self._info = info
        self.answered = 0
        if is_new:
            self.frames.forget()
            self._moves.clear()

    def move_before(self, tick: int) -> str:
        """Return what was answered just before a tick; '' if another role decided then."""
        return self._moves.get(tick - 1, '')

    def play(self, tick: int, move: str) -> Future[None]:
        """Answer the question of a tick; the future fails with GuiError if it cannot be sent."""
        self._give_up()
        self.answered = tick
        self._moves[tick] = move
        self._answer = Action(tick=tick, role=self.role, agent=self.agent, move=[move])
        self._answer.header.stamp = to_time(self._stamp)
        self._sending = _Sending(self._node, self._publisher, self._answer, self._on_lost)
        return self._sending.done

    def close(self) -> None:
        """Leave the role."""
        self._give_up()
        self._node.destroy_publisher(self._publisher)
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _on_question(self, data: bytes) -> None:
        self._stamp = read_stamp(data)
        if self.frames.add(State, data) == self.answered:
            # The answer went to an environment that was there no more, or not yet.
            self._publisher.publish(self._answer)

    def _on_view(self, data: bytes) -> None:
        self.frames.add(State, data, is_view=True)

    def _give_up(self) -> None:
        if self._sending is not None:
            self._sending.give_up()

    def _on_lost(self) -> None:
        # The question is open again.
        self.answered = 0

    def _on_reward(self, message: Reward) -> None:
        if message.lanes != 1:
            return
        self.last_move, self.last_origin = message.move, int(message.origin[0])
        goal = int(message.goal[0])
        if goal != Reward.GOAL_NONE:
            self.goal = goal
        if self._info is not None:
            goals = {} if goal == Reward.GOAL_NONE else {self.role: goal}
            frame = final_frame(message, self._info, goals)
            if frame is not None:
                self.frames.add_final(frame)


class _Sending:
    """One answer: sent as soon as an environment listens."""

    def __init__(
        self, node: GraphNode, publisher: Any, answer: Action, on_lost: Callable[[], None]
    ) -> None:
        self.done: Future[None] = Future()
        self.done.set_running_or_notify_cancel()
        self._node = node
        self._publisher = publisher
        self._answer = answer
        self._on_lost = on_lost
        self._polls = 0
        self._timer: Any = None
        self._poll()
        if not self.done.done():
            self._timer = create_timer(node, _POLL_PERIOD, self._poll)

    def give_up(self) -> None:
        """Send it no more, if it was not sent."""
        if not self.done.done():
            self._end()
            self._on_lost()
            self.done.set_exception(TextError('trouble.unreachable'))

    def _poll(self) -> None:
        if self.done.done():
            return
        self._polls += 1
        if self._publisher.get_subscription_count():
            self._end()
            self._publisher.publish(self._answer)
            self.done.set_result(None)
        elif self._polls > _MOST_POLLS:
            self.give_up()

    def _end(self) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
