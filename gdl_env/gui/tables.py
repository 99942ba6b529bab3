"""Tables that pages open: an environment and agents, as processes of our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
import sys

from gdl_env.agent_catalog import agent_names
from gdl_env.code_names import starts_program
from gdl_env.errors import GdlError
from gdl_env.gui.child_processes import Child, ChildProcesses
from gdl_env.gui.errors import GuiError
from gdl_env.gui.gallery.offered_games import read_offered_game
from gdl_env.gui.texts import TextError
from gdl_env.gui.training.runs import require_run
from gdl_env.language.game import Game
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.players import AGENT_NODE, HUMAN, NOBODY, parse_player
from gdl_env.ros.launch.topology import NATURE, TOPOLOGIES
from gdl_env.ros.parameters import ParameterValue
from gdl_env.ros.transport.names import topic_part

# A person at this server, and the environment itself, as players.
ME = 'me'
ENVIRONMENT = 'environment'
# A person has the page, and a learner is started where its training can be seen.
_NOT_OFFERED = {HUMAN, 'learning', 'robot', 'hand'}
# Ticks that can be taken back at a table.
UNDO = 500


@dataclass(frozen=True)
class OpenTable:
    """A match that was opened here."""

    namespace: str
    game: str
    players: Mapping[str, str]
    clock: float = 0.0
    spectator: str = 'public'
    # For all moves of a role, and added to it with each [s]; 0: as long as it takes.
    total: float = 0.0
    increment: float = 0.0

    def role_in_rematch(self, role: str) -> str:
        """Return what the player of a role plays once sides are changed."""
        roles = list(self.players)
        return roles[roles.index(role) - 1] if role in roles else ''

    @property
    def own_roles(self) -> list[str]:
        """Return the roles that are played on pages."""
        return [role for role, player in self.players.items() if player == ME]


class Tables:
    """Opens tables and closes them, and starts single agents."""

    def __init__(
        self, processes: ChildProcesses, prefix: str, *, allows_programs: bool = False
    ) -> None:
        self._processes = processes
        self.allows_programs = allows_programs
        self._prefix = prefix
        self._numbers = count(1)
        self.tables: dict[str, OpenTable] = {}
        # Where the players of a table that was closed play again, by its name.
        self.rematches: dict[str, OpenTable] = {}

    def open(
        self,
        game: str,
        players: Mapping[str, str],
        clock: float = 0.0,
        spectator: str = 'public',
        *,
        total: float = 0.0,
        increment: float = 0.0,
        is_from_page: bool = True,
    ) -> OpenTable:
        """Start an environment and agents. Raises GdlError if that is not possible.

        What a page asks for may be no program, unless the server was started to allow that.
        """
        if is_from_page:
            # A page must not have the server read whatever file it names, as a level.
            read_offered_game(game)
            for player in players.values():
                self._check(player)
        namespace = f'{self._prefix}_{next(self._numbers)}'
        given = {
            **{role: NOBODY if player == ME else player for role, player in players.items()},
            'game': game,
            'namespace': namespace.strip('/'),
            'play_clock': str(clock),
            'total_clock': str(total),
            # Without a total there is nothing to add to.
            'increment': str(increment if total else 0.0),
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
                    # People may close their page for a while: no agent plays in their place.
                    own = {**node.parameters, 'missing_clock': 0.0, 'undo': UNDO}
                    node = replace(node, parameters=own)
                if node.executable != 'match_node':
                    self._processes.start_node(node, namespace)
        except GdlError:
            # A table is whole, or it is not there.
            self._processes.stop_group(namespace)
            raise
        table = OpenTable(namespace, game, dict(players), clock, spectator, total, increment)
        self.tables[namespace] = table
        return table

    def open_rematch(self, table: OpenTable) -> OpenTable:
        """Open a table for the same players with sides changed. Raises GdlError."""
        names = list(table.players.values())
        players = dict(zip(table.players, [*names[1:], names[0]], strict=True))
        again = self.open(
            table.game,
            players,
            table.clock,
            table.spectator,
            total=table.total,
            increment=table.increment,
            is_from_page=False,
        )
        self.rematches[table.namespace] = again
        return again

    def open_again(self, namespace: str) -> OpenTable:
        """Close a table, and open one like it. Raises GdlError."""
        old = self.tables[namespace]
        table = self.open(
            old.game,
            old.players,
            old.clock,
            old.spectator,
            total=old.total,
            increment=old.increment,
            is_from_page=False,
        )
        self.close(namespace)
        return table

    def close(self, namespace: str) -> None:
        """End everything at a table."""
        self.tables.pop(namespace, None)
        self._processes.stop_group(namespace)

    def start_agent(self, namespace: str, role: str, player: str) -> Child:
        """Start an agent for a role of any match. Raises GdlError if there is no such agent."""
        self._check(player)
        agent = parse_player(player)
        if agent is None:
            raise TextError('trouble.no_agent')
        parameters: dict[str, ParameterValue] = {'agent': str(agent), 'role': role}
        name = f'{topic_part(role)}_{topic_part(agent.label)}_{next(self._numbers)}'
        spec = NodeSpec(
            AGENT_NODE, name, namespace.strip('/'), parameters=parameters, agents=(agent,)
        )
        return self._processes.start_node(spec, namespace)

    def _check(self, player: str) -> None:
        require_run(player)
        if starts_program(player) and not self.allows_programs:
            raise GuiError(explain_programs(player))


def explain_programs(text: str) -> str:
    """Return why a page may not start something, and how it may."""
    return (
        f'{text!r} starts a program or code of its own on this machine. Pages may do that only if'
        ' the server allows it: gdl gui --allow-programs'
    )


def playable_agents(*, allows_programs: bool = False) -> list[str]:
    """Return the agents that can be started from a page; a person has the page itself."""
    names = [name for name in _installed_agents(tuple(sys.path)) if name not in _NOT_OFFERED]
    return [name for name in names if allows_programs or not starts_program(name)]


@cache
def _installed_agents(_path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the agents of all packages; their metadata is read once for each search path."""
    return agent_names()


def roles_of(game: Game) -> list[str]:
    """Return the roles of a game that agents play."""
    return [role for role in map(str, game.roles) if role != NATURE]
