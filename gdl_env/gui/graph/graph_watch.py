"""What is on the graph: matches, and the nodes that belong to them. Looked at once a second."""

from __future__ import annotations

from functools import partial

from gdl_msgs.msg import GameInfo

from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.names import (
    INFO,
    SET_LEVEL,
    action_topic,
    private_name,
)
from gdl_env.ros.transport.publishers import list_publishers
from gdl_env.ros.transport.sources import InfoSubscription

_PERIOD = 1.0
_INFO = 'gdl_msgs/msg/GameInfo'
_ACTION = 'gdl_msgs/msg/Action'
_LEVELS = 'gdl_msgs/srv/SetLevel'


class GraphWatch:
    """Lives in the thread of ROS; what it found is replaced as a whole, so anybody may read."""

    def __init__(self, node: GraphNode) -> None:
        self._node = node
        # Namespaces of matches: '' is the root.
        self.matches: tuple[str, ...] = ()
        self.nodes: tuple[str, ...] = ()
        # Nodes whose difficulty can be set.
        self.levelled: frozenset[str] = frozenset()
        self._environments: dict[str, str] = {}
        # What each match plays, as soon as it has said so.
        self.games: dict[str, str] = {}
        self._infos: dict[str, InfoSubscription] = {}
        self._services: frozenset[str] = frozenset()
        # Who could answer for a role, by the topic of its answers; who publishes and listens.
        self.answering: dict[str, tuple[str, ...]] = {}
        self.version = 0
        self._timer = create_timer(node, _PERIOD, self.read_graph)
        self.read_graph()

    def environment(self, namespace: str) -> str:
        """Return the full name of the node that runs a match; '' if it is not there."""
        return self._environments.get(namespace, '')

    def offers(self, service: str) -> bool:
        """Tell whether there is a service."""
        return service in self._services

    def players(self, namespace: str, role: str) -> tuple[str, ...]:
        """Return the nodes that could answer for a role."""
        return self.answering.get(f'{namespace}/{action_topic(role)}', ())

    def read_graph(self) -> None:
        """Read which nodes, topics and services the graph has."""
        node = self._node
        topics = node.get_topic_names_and_types()
        environments: dict[str, str] = {}
        answering: dict[str, tuple[str, ...]] = {}
        for topic, kinds in topics:
            if _INFO in kinds and topic.endswith(f'/{INFO}'):
                publishers = list(list_publishers(node, topic).values())
                if publishers:
                    environments[topic.removesuffix(f'/{INFO}')] = publishers[0]
            elif _ACTION in kinds:
                answering[topic] = tuple(sorted(set(list_publishers(node, topic).values())))
        self._environments = environments
        self._follow_games()
        self.answering = answering
        self.matches = tuple(sorted(environments))
        found = node.get_node_names_and_namespaces()
        self.nodes = tuple(
            sorted(
                f'{space.rstrip("/")}/{name}' for name, space in found if not name.startswith('_')
            )
        )
        services = node.get_service_names_and_types()
        self._services = frozenset(name for name, _ in services)
        self.levelled = frozenset(
            name.removesuffix(private_name('', SET_LEVEL))
            for name, kinds in services
            if _LEVELS in kinds
        )
        self.version += 1

    def _follow_games(self) -> None:
        """Listen to what matches play, as long as they are there."""
        for namespace in [name for name in self._infos if name not in self._environments]:
            self._infos.pop(namespace).close()
            self.games.pop(namespace, None)
        for namespace in self._environments:
            if namespace not in self._infos:
                on_info = partial(self._on_info, namespace)
                topic = f'{namespace}/{INFO}'
                self._infos[namespace] = InfoSubscription(self._node, topic, on_info)

    def _on_info(self, namespace: str, info: GameInfo) -> None:
        self.games[namespace] = str(info.name)
