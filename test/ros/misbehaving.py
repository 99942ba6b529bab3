"""An agent that does what it should not: `misbehaving.py KIND ROLE OTHER [RATE TOPIC]`.

It plays the first legal move of ROLE, except for what its kind says; OTHER is whom it bothers.
"""

from __future__ import annotations

import array
from collections.abc import Callable
import random
import sys
import time

from gdl_msgs.msg import Action, GameInfo, State
import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.serialization import serialize_message

from gdl_env.ros.run_node import run
from gdl_env.ros.transport.names import topic_part
from gdl_env.ros.transport.qos import action_qos, info_qos, state_qos

FAR = 2**40


class Misbehaving(Node):  # type: ignore[misc]
    """Answers every question, in its own way."""

    def __init__(self, kind: str, role: str, other: str) -> None:
        super().__init__('misbehaving')
        self._role = role
        self._other = other
        self._answer: Callable[[Action], None] = getattr(self, kind)
        self._random = random.Random(7)
        self._own = self._publisher(role)
        self._others = self._publisher(other)
        # What is not even a message holds up those after it, of the same publisher.
        self._rubbish = self._publisher(role)
        self._action_size = 1
        self._last: Action | None = None
        self.create_subscription(GameInfo, 'info', self._on_info, info_qos())
        self.create_subscription(State, f'{topic_part(role)}/state', self._on_state, state_qos())
        if kind == 'out_of_turn':
            self.create_subscription(
                State, f'{topic_part(other)}/state', self._on_others_state, state_qos()
            )

    # ---- kinds

    def late(self, answer: Action) -> None:
        """Answer after the clock of one question in a few ran out."""
        if answer.tick % 10 == 0:
            time.sleep(3.4)
        self._own.publish(answer)

    def twice(self, answer: Action) -> None:
        """Answer every question three times over, each time otherwise."""
        self._own.publish(answer)
        for action in (1, 2):
            answer.action = array.array('i', [action] * len(answer.action))
            self._own.publish(answer)

    def out_of_turn(self, answer: Action) -> None:
        """Answer when asked; _on_others_state answers when not asked, too."""
        self._last = answer
        self._own.publish(answer)

    def wrong_tick(self, answer: Action) -> None:
        """Answer for ticks that are over, that are to come, and that never come."""
        right = answer.tick
        for tick in (0, right - 1, right + 1, right + FAR, 2**64 - 1):
            answer.tick = max(0, tick)
            self._own.publish(answer)
        answer.tick = right
        self._own.publish(answer)

    def out_of_range(self, answer: Action) -> None:
        """Answer with numbers that stand for no move."""
        number = self._random.choice([self._action_size, -2, 2**31 - 1, -(2**31)])
        answer.action = array.array('i', [number] * len(answer.action))
        self._own.publish(answer)

    def wrong_length(self, answer: Action) -> None:
        """Answer for too many lanes, for none, and with preferences for none, then rightly."""
        right = answer.action
        for wrong in ([0] * 1000, [], [0, 0]):
            answer.action = array.array('i', wrong)
            self._own.publish(answer)
        answer.action = right
        answer.preference = array.array('f', [1.0] * 5)
        self._own.publish(answer)
        answer.preference = array.array('f')
        answer.agent = ''
        self._own.publish(answer)
        answer.agent = 'n' * 100_000
        self._own.publish(answer)
        answer.agent = self.get_fully_qualified_name()
        self._own.publish(answer)

    def garbage(self, answer: Action) -> None:
        """Send bytes that are no message, on both topics, then answer rightly."""
        good = serialize_message(answer)
        for _ in range(5):
            length = self._random.choice([0, 1, 4, 11, 12, 13, 40, 300])
            self._rubbish.publish(self._random.randbytes(length))
            # One that is right up to some point, and claims to be huge.
            cut = bytearray(good)
            place = self._random.randrange(12, len(cut))
            cut[place] = 0xFF
            self._rubbish.publish(bytes(cut[: self._random.randrange(4, len(cut))]))
            self._others.publish(self._random.randbytes(length))
        self._own.publish(good)

    def wrong_role(self, answer: Action) -> None:
        """Answer for the other role on the own topic, and for both on the other's."""
        right = answer.role
        answer.role = self._other
        self._own.publish(answer)
        self._others.publish(answer)
        answer.role = right
        self._others.publish(answer)
        self._own.publish(answer)

    def spam(self, answer: Action) -> None:
        """Answer nothing: see `flood`."""

    # ---- inside

    def _publisher(self, role: str) -> rclpy.publisher.Publisher:
        return self.create_publisher(Action, f'{topic_part(role)}/action', action_qos())

    def _on_info(self, info: GameInfo) -> None:
        self._action_size = info.action_size

    def _on_state(self, state: State) -> None:
        legal = np.frombuffer(state.legal, np.uint8).reshape(state.lanes, -1)
        if not legal.any():
            return
        first = np.unpackbits(legal, axis=1, bitorder='little').argmax(axis=1)
        answer = Action(tick=state.tick, role=self._role, agent=self.get_fully_qualified_name())
        answer.action = array.array('i', first.astype(np.int32).tobytes())
        self._answer(answer)

    def _on_others_state(self, state: State) -> None:
        if self._last is not None and any(state.to_move):
            self._last.tick = state.tick
            self._own.publish(self._last)


def flood(topics: list[str], rate: float, seconds: float) -> None:
    """Publish illegal answers, so many a second in all, evenly over the topics."""
    rclpy.init()
    node = rclpy.create_node('spammer')
    publishers = [node.create_publisher(Action, topic, action_qos()) for topic in topics]
    kinds = [
        serialize_message(Action(tick=tick, role='x', agent='/spammer', action=[action]))
        for tick, action in ((0, 0), (1, -7), (FAR, 3), (2**64 - 1, 10**6))
    ]
    began = now = time.monotonic()
    sent = 0
    while now - began < seconds:
        due = min(int((now - began) * rate), sent + 1000)
        while sent < due:
            publishers[sent % len(publishers)].publish(kinds[sent // len(publishers) % 4])
            sent += 1
        time.sleep(0.001)
        now = time.monotonic()
    node.destroy_node()
    rclpy.shutdown()


class Sink(Node):  # type: ignore[misc]
    """Listens to topics like an environment, and does nothing."""

    def __init__(self, topics: list[str]) -> None:
        super().__init__('sink')
        for topic in topics:
            self.create_subscription(Action, topic, lambda data: None, action_qos(), raw=True)


def main() -> None:
    """Misbehave until told to stop."""
    kind, *rest = sys.argv[1 : sys.argv.index('--ros-args')]
    if kind == 'flood':
        flood(rest[2:], float(rest[0]), float(rest[1]))
        return
    if kind == 'sink':
        run(lambda: Sink(rest))
        return
    run(lambda: Misbehaving(kind, rest[0], rest[1]))


if __name__ == '__main__':
    main()
