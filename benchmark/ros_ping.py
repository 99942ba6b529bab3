"""Bare ping-pong between two processes: what rclpy reaches with messages of the same size.

`ros_ping.py serve LANES` asks as an environment would, `ros_ping.py return LANES` answers as an
agent would, both without thinking. The server prints round trips a second when told to stop.
"""

from __future__ import annotations

import sys
from time import monotonic
from typing import Any

from gdl_msgs.msg import Action, State
import numpy as np
from rclpy.node import Node

from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.language.load import open_game
from gdl_env.ros.run_node import run
from gdl_env.ros.transport.messages import to_action, to_state
from gdl_env.ros.transport.qos import action_qos, state_qos


def sample_messages(game: str, lanes: int) -> tuple[State, Action]:
    """Return a question and an answer as they really travel."""
    environment = Environment.open(open_game(game), Options(lanes=lanes))
    question = environment.questions(with_text=lanes == 1, only_decisions=True)[0]
    answer = Answer(question.tick, question.role, '/role_random', np.zeros(lanes, np.int32))
    environment.close()
    return to_state(question), to_action(answer)


class Server(Node):  # type: ignore[misc]
    """Asks again as soon as it is answered."""

    def __init__(self, question: State, seconds: float) -> None:
        super().__init__('ping')
        self._question = question
        self._seconds = seconds
        self._count = 0
        self._start = 0.0
        self.rate = 0.0
        self._publisher = self.create_publisher(State, 'ping', state_qos())
        self.create_subscription(Action, 'pong', self._on_answer, action_qos())
        self.create_timer(0.2, self._begin)

    def _begin(self) -> None:
        is_heard = self._publisher.get_subscription_count() and self.count_publishers('pong')
        if is_heard and not self._start:
            self._start = monotonic()
            self._publisher.publish(self._question)

    def _on_answer(self, answer: Action) -> None:
        self._count += 1
        passed = monotonic() - self._start
        if passed >= self._seconds:
            self.rate = self._count / passed
        else:
            self._publisher.publish(self._question)


class Returner(Node):  # type: ignore[misc]
    """Answers at once."""

    def __init__(self, answer: Action) -> None:
        super().__init__('pong')
        self._answer = answer
        self._publisher = self.create_publisher(Action, 'pong', action_qos())
        self.create_subscription(State, 'ping', self._on_question, state_qos())

    def _on_question(self, question: State) -> None:
        self._publisher.publish(self._answer)


def main() -> None:
    """Run one of the two."""
    kind, game, lanes, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    question, answer = sample_messages(game, lanes)
    if kind == 'return':
        run(lambda: Returner(answer))
        return
    node: Any = run(lambda: Server(question, seconds), lambda node: node.rate > 0)
    print(f'{node.rate:.1f}')


if __name__ == '__main__':
    main()
