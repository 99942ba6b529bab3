"""Who publishes what to whom in one match, and how often.

Answers of agents are counted, and what spectators are sent. Other topics are not listened to for
their rate: an environment waits for whoever listens to its records, and sends views to whoever
listens to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Any

from gdl_msgs.msg import Action

from gdl_env.gui.match_link import MatchLink
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.names import SPECTATOR, action_topic
from gdl_env.ros.transport.passing_topics import create_passing_subscription
from gdl_env.ros.transport.qos import action_qos

_PERIOD = 2.0


@dataclass(frozen=True)
class Flow:
    """One topic from one node to another."""

    source: str
    target: str
    # Without the namespace of the match.
    topic: str
    # Messages a second; None where they are not counted.
    rate: float | None = None


class TopicWatch:
    """Follows the topics of a match. Lives in the thread of ROS."""

    def __init__(self, node: GraphNode, link: MatchLink) -> None:
        self._node = node
        self._link = link
        self._counts: dict[str, int] = {}
        self._before: dict[str, int] = {}
        self._since = monotonic()
        self._subscriptions: dict[str, Any] = {}
        self.flows: tuple[Flow, ...] = ()
        self._timer = create_timer(node, _PERIOD, self.read)
        self.read()

    def close(self) -> None:
        """Stop counting."""
        self._node.destroy_timer(self._timer)
        for subscription in self._subscriptions.values():
            self._node.destroy_subscription(subscription)

    def read(self) -> None:
        """Read who is connected to whom."""
        self._subscribe()
        rates = self._measure()
        prefix = f'{self._link.namespace}/'
        found = []
        for topic, _ in self._node.get_topic_names_and_types():
            name = topic.removeprefix(prefix)
            if name == topic or '/_' in topic:
                continue
            sources = self._node.get_publishers_info_by_topic(topic)
            targets = self._node.get_subscriptions_info_by_topic(topic)
            pairs = {(_name(a), _name(b)) for a in sources for b in targets}
            # This node listens to answers in order to count them, while a page shows this.
            own = self._node.get_fully_qualified_name() if topic in self._subscriptions else ''
            found += [
                Flow(source, target, name, rates.get(topic))
                for source, target in sorted(pairs)
                if source != target and target != own
            ]
        self.flows = tuple(found)

    def _subscribe(self) -> None:
        for role in self._link.info.roles if self._link.info is not None else ():
            topic = self._link.name(action_topic(role))
            if topic not in self._subscriptions:

                def count(_: bytes, topic: str = topic) -> None:
                    self._counts[topic] = self._counts.get(topic, 0) + 1

                self._subscriptions[topic] = create_passing_subscription(
                    self._node, Action, topic, count, action_qos(), raw=True
                )

    def _measure(self) -> dict[str, float]:
        now = monotonic()
        seconds, self._since = now - self._since, now
        counts = {topic: self._counts.get(topic, 0) for topic in self._subscriptions}
        counts[self._link.name(SPECTATOR)] = self._link.frames.version
        before, self._before = self._before, counts
        if seconds <= 0:
            return {}
        return {
            topic: max(0, number - before[topic]) / seconds
            for topic, number in counts.items()
            if topic in before
        }


def _name(endpoint: Any) -> str:
    return f'{endpoint.node_namespace.rstrip("/")}/{endpoint.node_name}'
