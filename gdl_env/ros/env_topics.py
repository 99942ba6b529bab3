"""The topics of an environment: what it publishes, and where answers come in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from gdl_msgs.msg import GameInfo, Record, Reward, Spectator, State, Status

from gdl_env.environment.exchange import Question
from gdl_env.environment.referee import Referee
from gdl_env.environment.step import Step
from gdl_env.environment.trace import TracedLine
from gdl_env.ros.inbox import Inbox
from gdl_env.ros.names import topic_part
from gdl_env.ros.packed import pack_question
from gdl_env.ros.qos import (
    info_qos,
    record_qos,
    reward_qos,
    spectator_qos,
    state_qos,
    status_qos,
)
from gdl_env.ros.wire import to_reward


class Topics:
    """Publishers and subscriptions of a match."""

    def __init__(
        self,
        node: Any,
        referee: Referee,
        on_answer: Callable[[str, bytes], bool],
        *,
        lookout: bool,
    ) -> None:
        roles = referee.environment.roles
        self._node = node
        self.info = node.create_publisher(GameInfo, 'info', info_qos())
        self.status = node.create_publisher(Status, 'status', status_qos())
        self.record = node.create_publisher(Record, 'record', record_qos())
        self.spectator = node.create_publisher(Spectator, 'spectator', spectator_qos())
        self._state = {
            role: node.create_publisher(State, f'{topic_part(role)}/state', state_qos())
            for role in roles
        }
        self._view = {
            role: node.create_publisher(State, f'{topic_part(role)}/view', state_qos())
            for role in roles
        }
        self._reward = {
            role: node.create_publisher(Reward, f'{topic_part(role)}/reward', reward_qos())
            for role in roles
        }
        self.inbox = Inbox(node, referee, on_answer, lookout=lookout)

    def ask(self, question: Question, time_left: float = 0.0) -> None:
        """Publish a question, and the time that is left to answer it [s; 0: no limit]."""
        self._state[question.role].publish(pack_question(question, time_left))

    def show(self, question: Question) -> None:
        """Publish what a role sees while others decide."""
        self._view[question.role].publish(pack_question(question))

    def viewers(self) -> list[str]:
        """Return the roles for which somebody listens to what they see while others decide."""
        return [role for role, topic in self._view.items() if topic.get_subscription_count()]

    def tell(self, step: Step) -> None:
        """Publish what came of a tick to those who listen."""
        for role in step.concerned:
            publisher = self._reward[role]
            if publisher.get_subscription_count():
                publisher.publish(to_reward(step.feedback[role]))

    def note(self, tick: int, lines: list[TracedLine]) -> None:
        """Publish what happened, for recorders."""
        for lane, group in groupby(sorted(lines, key=_lane), key=_lane):
            self.record.publish(Record(tick=tick, lane=lane, line=[line.text for line in group]))

    def is_attached(self, role: str) -> bool:
        """Tell whether somebody is there who is asked, and who can answer."""
        return bool(
            self._state[role].get_subscription_count() and self.inbox.count_publishers(role)
        )

    def close(self) -> None:
        """Take everything off the graph."""
        publishers = (self.info, self.status, self.record, self.spectator)
        roles = (self._state, self._view, self._reward)
        for publisher in (*publishers, *(topic for kind in roles for topic in kind.values())):
            self._node.destroy_publisher(publisher)
        self.inbox.close()


def _lane(line: TracedLine) -> int:
    return line.lane
