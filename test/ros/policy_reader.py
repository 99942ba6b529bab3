"""Reads policy files of SROS 2 as `ros2 security` does, and compares them with a real graph."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from graph import Graph

# What an action is made of: topics and services.
_TOPICS = ('feedback', 'status')
_SERVICES = ('send_goal', 'cancel_goal', 'get_result')


@dataclass
class Allowed:
    """What an enclave allows: full names, in which * stands for anything."""

    publish: set[str] = field(default_factory=set)
    subscribe: set[str] = field(default_factory=set)
    reply: set[str] = field(default_factory=set)
    request: set[str] = field(default_factory=set)

    @property
    def everything(self) -> set[str]:
        return self.publish | self.subscribe | self.reply | self.request

    def add(self, permission: str, name: str) -> None:
        if permission in {'execute', 'call'}:
            is_server = permission == 'execute'
            topics = self.publish if is_server else self.subscribe
            topics.update(f'{name}/_action/{part}' for part in _TOPICS)
            services = self.reply if is_server else self.request
            services.update(f'{name}/_action/{part}' for part in _SERVICES)
        else:
            getattr(self, permission).add(name)


def read_policy(text: str) -> dict[str, Allowed]:
    """Return what each enclave allows, by its path."""
    found: dict[str, Allowed] = {}
    for enclave in ElementTree.fromstring(text.encode()).iter('enclave'):
        allowed = found[enclave.attrib['path']] = Allowed()
        for profile in enclave.iter('profile'):
            space, node = profile.attrib['ns'].rstrip('/'), profile.attrib['node']
            for listed in profile:
                for permission, verdict in listed.attrib.items():
                    assert verdict == 'ALLOW'
                    for item in listed:
                        assert item.text
                        allowed.add(permission, _full_name(item.text, space, node))
    return found


def _full_name(name: str, space: str, node: str) -> str:
    if name.startswith('/'):
        return name
    return f'{space}/{node}{name[1:]}' if name.startswith('~') else f'{space}/{name}'


def find_refused(
    graph: Graph, allowed: Allowed, node: str, namespace: str, below: str = ''
) -> dict[str, set[str]]:
    """Return what a real node has on the graph, below a name, and an enclave does not allow."""
    ask = graph.node
    used = {
        'publish': ask.get_publisher_names_and_types_by_node(node, namespace),
        'subscribe': ask.get_subscriber_names_and_types_by_node(node, namespace),
        'reply': ask.get_service_names_and_types_by_node(node, namespace),
        'request': ask.get_client_names_and_types_by_node(node, namespace),
    }
    assert used['publish'] and used['reply'], f'{namespace}/{node} is not on the graph'
    return {
        permission: refused
        for permission, found in used.items()
        if (
            refused := {
                name
                for name, _ in found
                if name.startswith(below)
                and not any(fnmatchcase(name, rule) for rule in getattr(allowed, permission))
            }
        )
    }
