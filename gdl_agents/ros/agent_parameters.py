"""The parameters of every agent's node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import IntegerRange, ParameterDescriptor

from gdl_env.ros.node_protocol import RosNode

_TEXTS = {
    'agent': 'The agent that plays: name, file.py:Class or module.path:Class, each perhaps with'
    ' :detail. Empty: the one the executable is named after.',
    'detail': 'The detail of the agent, such as a command line, if `agent` does not hold it.',
    'role': 'The role to play. Empty: those of `roles`, or the only one of the game.',
    'agent_name': 'What answers are signed with. Empty: the full name of the node.',
}
_NUMBERS = {
    'seed': (-1, -1, 2**62, "Decides the agent's chance. Negative: derived from the match's."),
    'delay_ms': (0, 0, 60_000, 'Answers are held back for a random time up to this [ms].'),
}


@dataclass(frozen=True)
class AgentParameters:
    """The parameters of an agent's node; all are fixed from its start."""

    agent: str
    detail: str
    roles: tuple[str, ...]
    agent_name: str
    seed: int
    delay_ms: int

    @classmethod
    def declare(cls, node: RosNode) -> AgentParameters:
        """Declare the parameters on a node, and read them."""
        values: dict[str, Any] = {}
        for name, description in _TEXTS.items():
            descriptor = ParameterDescriptor(description=description, read_only=True)
            values[name] = node.declare_parameter(name, '', descriptor).value
        for name, (default, low, high, description) in _NUMBERS.items():
            span = IntegerRange(from_value=low, to_value=high, step=1)
            descriptor = ParameterDescriptor(
                description=description, read_only=True, integer_range=[span]
            )
            values[name] = node.declare_parameter(name, default, descriptor).value
        descriptor = ParameterDescriptor(description='Several roles to play.', read_only=True)
        # An empty list has no type that ROS could tell.
        several = node.declare_parameter('roles', [''], descriptor).value
        roles = (values.pop('role'), *several)
        return cls(roles=tuple(dict.fromkeys(filter(None, roles))), **values)
