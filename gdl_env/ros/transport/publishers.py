"""Who publishes on a topic, by the names of nodes.

The name of a node travels apart from its publishers, and only once: where two processes lost sight
of each other, because one of them stood still for longer than its lease, a publisher comes back
without its name. It is the same publisher, and what it was called is remembered here.
"""

from __future__ import annotations

from collections import OrderedDict

from gdl_env.ros.node_protocol import RosNode

# What `rclpy` calls a node whose name has not arrived.
UNKNOWN = '_NODE_NAMESPACE_UNKNOWN_/_NODE_NAME_UNKNOWN_'

# The full names of nodes by their publishers, whose identities are unique on the graph; and how
# many of them are remembered, those that were seen last.
_NAMES: OrderedDict[bytes, str] = OrderedDict()
_MOST_NAMES = 10_000


def list_publishers(node: RosNode, topic: str) -> dict[bytes, str]:
    """Return the full names of the nodes that publish on a topic, by their publishers."""
    found = {}
    for one in node.get_publishers_info_by_topic(node.resolve_topic_name(topic)):
        publisher = bytes(one.endpoint_gid)
        name = f'{one.node_namespace.rstrip("/")}/{one.node_name}'
        found[publisher] = remember(publisher, name)
    return found


def remember(publisher: bytes, name: str) -> str:
    """Return the name of a publisher's node; one that is unknown now may have been known."""
    if name == UNKNOWN:
        return _NAMES.get(publisher, UNKNOWN)
    _NAMES[publisher] = name
    _NAMES.move_to_end(publisher)
    if len(_NAMES) > _MOST_NAMES:
        _NAMES.popitem(last=False)
    return name
