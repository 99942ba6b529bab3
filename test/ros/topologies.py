"""The nodes that a launch would start."""

from __future__ import annotations

from gdl_env.ros.launch.arguments import parse_pairs
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.topology import TOPOLOGIES

INSTALLED = frozenset(
    (
        *('env_node', 'match_node', 'recorder_node', 'board_node', 'tournament_node'),
        *('agent_node', 'learner_node', 'evaluator_node'),
        *('robot_node', 'perception_node'),
    )
)


def nodes(launch: str, *words: str, installed: frozenset[str] = INSTALLED) -> list[NodeSpec]:
    return TOPOLOGIES[launch].nodes(parse_pairs(words), installed)


def by_name(launch: str, *words: str) -> dict[str, NodeSpec]:
    return {node.full_name: node for node in nodes(launch, *words)}
