"""The parameters of every agent's node."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_env.ros.declaring import declare
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.parameters import AGENT


@dataclass(frozen=True)
class AgentParameters:
    """The parameters of an agent's node."""

    agent: str
    detail: str
    roles: tuple[str, ...]
    agent_name: str
    seed: int
    delay_ms: int

    @classmethod
    def declare(cls, node: RosNode) -> AgentParameters:
        """Declare the parameters on a node, and read them."""
        values = declare(node, AGENT)
        roles = (values.pop('role'), *values.pop('roles'))
        return cls(roles=tuple(dict.fromkeys(filter(None, roles))), **values)
