"""What a launch starts, as data: the nodes of every launch file, from its arguments.

Launch files and `gdl launch` both ask here, so that they cannot differ. Everything that can be
wrong with the arguments is reported here, before anything is started.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gdl_env.language.families.designation import Designation
from gdl_env.language.load import load_game
from gdl_env.ros.launch import launch_arguments as args
from gdl_env.ros.launch.arguments import Argument, LaunchError, Value, read_values, suggest
from gdl_env.ros.launch.executables import list_executables
from gdl_env.ros.launch.learning_specs import actor_nodes, learning_nodes
from gdl_env.ros.launch.match_specs import (
    LaunchSettings,
    agent_nodes,
    board_node,
    env_node,
    gui_node,
    match_node,
    perception_node,
    recorder_node,
    robot_node,
    shared_agent_nodes,
)
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.parameter_files import load
from gdl_env.ros.launch.players import (
    AGENT_NODE,
    HUMAN,
    assign,
    parse_agents_by_role,
    parse_player,
)
from gdl_env.ros.tournament.pairings import pairings, parse_agents

# The role by this name is chance itself, which the environment plays.
NATURE = 'random'


_SIMULATED = {'use_sim_time': True}


@dataclass(frozen=True)
class Inclusion:
    """The launch file that includes one of ours: it has arguments of its own."""

    # The namespace it puts its nodes into. Empty: none.
    namespace: str = ''


@dataclass(frozen=True)
class Topology:
    """A kind of launch: its arguments, and which nodes they call for."""

    name: str
    summary: str
    arguments: tuple[Argument, ...]
    build: Callable[[LaunchSettings], list[NodeSpec]]
    # Whether the roles of the game are arguments, too, such as x:=random.
    has_roles: bool = True

    def nodes(
        self,
        given: Mapping[str, str],
        executables: Collection[str] | None = None,
        inclusion: Inclusion | None = None,
    ) -> list[NodeSpec]:
        """Return what to start. Raises GdlError for whatever is wrong with the arguments.

        The executables are those that are installed, unless given. Within another launch file,
        names that are unknown here are that file's own.
        """
        settings = self._settings(given, executables, inclusion)
        nodes = self.build(settings)
        if settings.values['use_sim_time']:
            nodes = [replace(n, parameters={**n.parameters, **_SIMULATED}) for n in nodes]
        for node in nodes:
            if node.executable not in settings.executables:
                raise LaunchError(f'this needs {node.executable}, which is not installed')
        return nodes

    def _settings(
        self,
        given: Mapping[str, str],
        executables: Collection[str] | None,
        inclusion: Inclusion | None,
    ) -> LaunchSettings:
        named = Designation.read(str(given.get('game', args.GAME.default)))
        # As a path: nodes may look for games elsewhere.
        chosen = Designation(str(named.path().resolve()), named.options)
        game = load_game(chosen.path(), chosen.options)
        roles = tuple(str(role) for role in game.roles if str(role) != NATURE)
        if not roles:
            raise LaunchError(f'{chosen} has no role that an agent could play')
        names = [argument.name for argument in self.arguments]
        if inclusion is None:
            self._check_names(given, names, roles, game.name)
        values = read_values(self.arguments, given)
        players = {role: given[role] for role in roles if role in given and role not in names}
        if self.has_roles and values['agents']:
            if players and inclusion is None:
                raise LaunchError(f'{next(iter(players))} is given both by name and in agents:=')
            players = parse_agents_by_role(str(values['agents']), roles)
        file = Path(str(values['params'])).expanduser().resolve() if values['params'] else None
        return LaunchSettings(
            values=values,
            defaulted=frozenset(a.name for a in self.arguments if _is_default(a, given)),
            game=chosen,
            roles=roles,
            players=players,
            executables=frozenset(list_executables() if executables is None else executables),
            parameter_file=file,
            file_parameters=load(file) if file else {},
            outer_namespace=inclusion.namespace.strip('/') if inclusion else '',
        )

    def _check_names(
        self, given: Mapping[str, str], names: list[str], roles: tuple[str, ...], game: str
    ) -> None:
        for name in given:
            if name in names or (self.has_roles and name in roles):
                continue
            if self.has_roles:
                raise LaunchError(
                    f'{self.name} has no argument {name!r}, and {game} no such role'
                    f'{suggest(name, (*roles, *names))}'
                )
            raise LaunchError(f'{self.name} has no argument {name!r}{suggest(name, names)}')


def find_topology(name: str) -> Topology:
    """Return the topology of a launch file, by its name or path. Raises LaunchError."""
    path = Path(name)
    stem = path.name.removesuffix('.py').removesuffix('.launch')
    is_ours = path.name == name or (
        path.is_file() and 'describe_launch' in path.read_text('utf-8')
    )
    if stem not in TOPOLOGIES or not is_ours:
        raise LaunchError(
            f'there is no launch file {name!r} of this package{suggest(stem, TOPOLOGIES)}; '
            'files of others are run by ros2 launch'
        )
    return TOPOLOGIES[stem]


def _match(settings: LaunchSettings) -> list[NodeSpec]:
    players = assign(settings.roles, settings.players, settings.text('players'))
    environment = env_node(settings)
    return [
        environment,
        *agent_nodes(settings, players),
        *_watchers(settings, environment),
        match_node(settings),
    ]


def _human(settings: LaunchSettings) -> list[NodeSpec]:
    role = settings.text('role') or settings.roles[0]
    if role not in settings.roles:
        raise LaunchError(f'role:={role} is unknown{suggest(role, settings.roles)}')
    given = {role: HUMAN, **settings.players}
    players = assign(settings.roles, given, settings.text('opponent'))
    environment = env_node(settings)
    return [
        environment,
        *agent_nodes(settings, players),
        *_watchers(settings, environment),
        # Lines about progress would only disturb who plays.
        match_node(settings, progress_period=0.0),
    ]


def _selfplay(settings: LaunchSettings) -> list[NodeSpec]:
    if settings.values['actors']:
        if settings.players or 'players' not in settings.defaulted:
            raise LaunchError('with actors, all roles are played by the policy: name no players')
        if settings.values['record']:
            raise LaunchError(
                'a recorder follows one match, not several actors: set record:=false'
            )
        actors = actor_nodes(settings)
        return [*actors, *_watchers(settings, actors[0])]
    chosen = {
        role: settings.players.get(role, settings.text('players')) for role in settings.roles
    }
    learned = tuple(role for role, text in chosen.items() if text == args.LEARNER)
    copied = tuple(role for role, text in chosen.items() if text == args.COPY)
    if copied and not learned:
        raise LaunchError(f'{copied[0]}:=copy: there is no learner to copy')
    others = [role for role in settings.roles if role not in learned + copied]
    players = assign(others, settings.players, settings.text('players'))
    agents = shared_agent_nodes if settings.values['shared'] else agent_nodes
    match = match_node(settings)
    if learned:
        # The learner ends it all: it still has work to do when the last episode is played.
        match = replace(match, is_leader=False)
    environment = env_node(settings)
    return [
        environment,
        *(learning_nodes(settings, learned, copied) if learned else ()),
        *agents(settings, players),
        *_watchers(settings, environment),
        match,
    ]


def _robot(settings: LaunchSettings) -> list[NodeSpec]:
    players = assign(settings.roles, settings.players, settings.text('players'))
    hands = tuple(role for role, player in players.items() if player.name == args.HAND)
    environment = env_node(settings)
    return [
        environment,
        robot_node(settings, hands),
        *([perception_node(settings)] if hands else ()),
        *agent_nodes(settings, players),
        *_watchers(settings, environment, has_table=True),
        match_node(settings),
    ]


def _tournament(settings: LaunchSettings) -> list[NodeSpec]:
    chosen = []
    for text in parse_agents(settings.text('agents')):
        player = parse_player(text)
        if player is None:
            raise LaunchError(f'{text!r} cannot take part: a tournament starts its agents')
        chosen.append(player)
    agents = [str(player) for player in chosen]
    # To complain now, and not in the node.
    pairings(agents, len(settings.roles), has_self_play=bool(settings.values['self_play']))
    parameters: dict[str, Value | list[str]] = {
        'game': str(settings.game),
        'agents': agents,
        'out': str(Path(settings.text('out')).expanduser().resolve()),
        **{name: settings.values[name] for name in args.TOURNAMENT_PARAMETERS},
        'params': str(settings.parameter_file or ''),
    }
    node = NodeSpec(
        'tournament_node',
        'tournament_node',
        is_leader=True,
        parameters=parameters,
        starts=('env_node', 'match_node', AGENT_NODE),
        agents=tuple(chosen),
    )
    return [replace(node, namespace=settings.namespace, log_level=settings.text('log_level'))]


def _watchers(
    settings: LaunchSettings, environment: NodeSpec, *, has_table: bool = False
) -> list[NodeSpec]:
    """Return the nodes that look on, as far as they are wanted."""
    recorder = []
    if settings.values['record']:
        recorder = [recorder_node(settings, environment, has_table=has_table)]
    wanted = {'rviz': board_node, 'gui': gui_node}
    return recorder + [make(settings) for name, make in wanted.items() if settings.values[name]]


def _is_default(argument: Argument, given: Mapping[str, str]) -> bool:
    # ros2 launch gives defaults as if they had been typed.
    return given.get(argument.name, argument.default) == argument.default


TOPOLOGIES: dict[str, Topology] = {
    topology.name: topology
    for topology in (
        Topology('match', 'Agents play a game against each other.', args.MATCH, _match),
        Topology('selfplay', 'An agent learns a game by playing it.', args.SELFPLAY, _selfplay),
        Topology(
            'robot',
            'An arm plays with real pieces, or simulated ones, against agents or a person.',
            args.ROBOT,
            _robot,
        ),
        Topology('human', 'A person plays at the terminal, against agents.', args.HUMAN, _human),
        Topology(
            'tournament',
            'Every agent plays every other one, in every role.',
            args.TOURNAMENT,
            _tournament,
            has_roles=False,
        ),
    )
}
