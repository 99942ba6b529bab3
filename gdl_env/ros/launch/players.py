"""Who plays: agents as they are written in launches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdl_env.agent_catalog import ChosenAgent, choose_agent

# Hosts any agent, of whatever package: its parameter `agent` says which.
AGENT_NODE = 'agent_node'
# Written for a role whose agent is started elsewhere, in another terminal or on another machine.
NOBODY = 'none'
HUMAN = 'human'


def parse_player(text: str) -> ChosenAgent | None:
    """Return the agent of a text, or None for no agent. Raises AgentNameError if unknown."""
    return None if text.strip() == NOBODY else choose_agent(text)


def assign(roles: Sequence[str], given: Mapping[str, str], others: str) -> dict[str, ChosenAgent]:
    """Return who plays each role that an agent plays: as given, or `others`."""
    players = {role: parse_player(given.get(role, others)) for role in roles}
    return {role: player for role, player in players.items() if player is not None}
