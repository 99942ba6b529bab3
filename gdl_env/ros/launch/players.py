"""Who plays: agents as they are written in launches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
import shlex

from gdl_env.agent_catalog import ChosenAgent, choose_agent
from gdl_env.ros.launch.arguments import LaunchError, suggest

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


def parse_agents_by_role(text: str, roles: Collection[str]) -> dict[str, str]:
    """Return who plays which role, from `role=agent` words. Raises LaunchError for other words."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LaunchError(f'agents:={text}: {error}') from None
    found: dict[str, str] = {}
    for word in words:
        role, equals, agent = word.partition('=')
        if not equals or not agent:
            raise LaunchError(f'agents:= expects role=agent, got {word!r}')
        if role not in roles:
            raise LaunchError(f'agents:={word}: {role} is not a role{suggest(role, roles)}')
        if role in found:
            raise LaunchError(f'agents:= names {role} twice')
        found[role] = agent
    return found
