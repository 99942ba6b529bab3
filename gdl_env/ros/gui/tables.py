"""Tables that pages open: an environment and agents, as processes of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count

from gdl_env.errors import GdlError
from gdl_env.language.load import open_game
from gdl_env.ros.executables import list_executables
from gdl_env.ros.gui.crew import Child, Crew
from gdl_env.ros.gui.errors import GuiError
from gdl_env.ros.names import topic_part
from gdl_env.ros.node_spec import NodeSpec, ParameterValue
from gdl_env.ros.players import NOBODY, agent_names, parse_player
from gdl_env.ros.topology import NATURE, TOPOLOGIES

# A person at this server, and the environment itself, as players.
ME = 'me'
ENVIRONMENT = 'environment'
# Ticks that can be taken back at a table.
UNDO = 500


@dataclass(frozen=True)
class Table:
    """A match that was opened here."""

    namespace: str
    game: str
    players: Mapping[str, str]


class Tables:
    """Opens tables and closes them, and starts single agents."""

    def __init__(self, crew: Crew, prefix: str) -> None:
        self._crew = crew
        self._prefix = prefix
        self._numbers = count(1)
        self.tables: dict[str, Table] = {}

    def open(
        self, game: str, players: Mapping[str, str], clock: float = 0.0, spectator: str = 'public'
    ) -> Table:
        """Start an environment and agents. Raises GdlError if that is not possible."""
        namespace = f'{self._prefix}_{next(self._numbers)}'
        given = {
            **{role: NOBODY if player == ME else player for role, player in players.items()},
            'game': game,
            'namespace': namespace.strip('/'),
            'move_clock': str(clock),
            'start_clock': '0',
            'journal': 'off',
            'spectator': spectator,
            'players': NOBODY,
        }
        nodes = TOPOLOGIES['match'].nodes(given)
        # Games are asked for by the page, not by a node that ends the match when it is over.
        try:
            for node in nodes:
                if node.executable == 'env_node':
                    # People may close their page for a while: nobody plays in their place.
                    own = {**node.parameters, 'missing_clock': 0.0, 'undo': UNDO}
                    node = replace(node, parameters=own)
                if node.executable != 'match_node':
                    self._crew.start_node(node, namespace)
        except GdlError:
            # A table is whole, or it is not there.
            self._crew.stop_group(namespace)
            raise
        table = Table(namespace, game, dict(players))
        self.tables[namespace] = table
        return table

    def close(self, namespace: str) -> None:
        """End everything at a table."""
        self.tables.pop(namespace, None)
        self._crew.stop_group(namespace)

    def start_agent(self, namespace: str, role: str, player: str) -> Child:
        """Start an agent for a role of any match. Raises GdlError if there is no such agent."""
        agent = parse_player(player, list_executables())
        if agent is None:
            raise GuiError('nobody cannot be started')
        parameters: dict[str, ParameterValue] = {'role': role}
        if agent.detail:
            parameters['detail'] = agent.detail
        name = f'{topic_part(role)}_{topic_part(agent.name)}_{next(self._numbers)}'
        spec = NodeSpec(agent.executable, name, namespace.strip('/'), parameters=parameters)
        return self._crew.start_node(spec, namespace)


def playable_agents() -> list[str]:
    """Return the agents that can be started from a page; a person has the page itself."""
    return [name for name in agent_names(list_executables()) if name not in {'human', 'learning'}]


def roles_of(game: str) -> list[str]:
    """Return the roles of a game that somebody plays. Raises GdlError."""
    roles = [str(role) for role in open_game(game).roles]
    return [role for role in roles if role != NATURE]
