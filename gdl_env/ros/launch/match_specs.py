"""The nodes of a match, each made from the settings of a launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import hashlib
import os
from pathlib import Path
import secrets
import tempfile
import time

from gdl_env.agent_catalog import ChosenAgent
from gdl_env.language.families.designation import Designation
from gdl_env.ros.launch.arguments import LaunchError, Value
from gdl_env.ros.launch.launch_arguments import ROBOT_PARAMETERS
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.parameter_files import keys_for
from gdl_env.ros.launch.players import AGENT_NODE, HUMAN
from gdl_env.ros.parameters import NODES, ROBOT, ParameterValue
from gdl_env.ros.recording.checkpoint import Checkpoint
from gdl_env.ros.transport.names import topic_part

# Nodes that are killed come back; those that cannot even start do not try for ever. Restarts of
# the last minutes count (NodeSpec.respawn_window).
AGENT_RESPAWNS = 3
ENV_RESPAWNS = 5

# At most this number of lanes is recorded step by step.
RECORDED_LANES = 16

# Parameters of env_node that are arguments of launches, by the same name.
ENV_PARAMETERS = (
    *('lanes', 'cohorts', 'seed', 'play_clock', 'total_clock', 'increment', 'start_clock'),
    *('spectator', 'turn', 'illegal', 'mapping'),
)


# Executors that also simulate people.
SIMULATED_EXECUTORS = (str(ROBOT['executor'].default), 'mujoco')


@dataclass(frozen=True)
class LaunchSettings:
    """All arguments of a launch, checked."""

    values: Mapping[str, Value]
    # Arguments that have their default value, so that a parameter file may say otherwise.
    defaulted: frozenset[str]
    game: Designation
    roles: tuple[str, ...]
    # Who plays the roles that were named.
    players: Mapping[str, str]
    executables: frozenset[str]
    parameter_file: Path | None
    file_parameters: Mapping[str, Mapping[str, object]]
    # That of the launch file that includes this one.
    outer_namespace: str = ''

    def text(self, name: str) -> str:
        """Return the value of an argument that is text."""
        return str(self.values[name])

    @property
    def namespace(self) -> str:
        """Return the namespace without slashes around it."""
        return self.text('namespace').strip('/')

    def node(self, executable: str, name: str, **fields: object) -> NodeSpec:
        """Return a node with what all nodes of a launch have in common."""
        files = (self.parameter_file,) if self.parameter_file else ()
        return NodeSpec(
            executable,
            name,
            self.namespace,
            parameter_files=files,
            log_level=self.text('log_level'),
            **fields,  # type: ignore[arg-type]
        )

    def parameters(self, node_name: str, *names: str, **renamed: str) -> dict[str, ParameterValue]:
        """Return parameters from arguments: of the same name, or `parameter='argument'`.

        Not among them are defaults that the node has itself, or that the parameter file replaces.
        """
        in_file = keys_for(node_name, self.file_parameters)
        own = NODES[node_name]
        sources = {name: name for name in names} | renamed
        return {
            parameter: self.values[argument]
            for parameter, argument in sources.items()
            if argument in self.values
            and not (
                argument in self.defaulted
                and (parameter in in_file or own[parameter].value == self.values[argument])
            )
        }


def env_node(settings: LaunchSettings) -> NodeSpec:
    """Return the environment. It is restarted if it is killed, and resumes from its journal."""
    parameters: dict[str, ParameterValue] = {
        'game': str(settings.game),
        **settings.parameters('env_node', *ENV_PARAMETERS),
    }
    if settings.text('teams'):
        parameters['teams'] = [team.strip() for team in settings.text('teams').split(';')]
    if settings.values.get('record'):
        parameters['record_lanes'] = RECORDED_LANES
        parameters['require_recorder'] = True
    journal = settings.text('journal')
    temporary: tuple[Path, ...] = ()
    if journal == 'auto':
        temporary = (fresh_path(f'{settings.game.file_name}.journal'),)
        parameters['journal'] = str(temporary[0])
    elif journal != 'off':
        parameters['journal'] = str(Path(journal).expanduser().resolve())
    if parameters.get('seed') == -1:
        # Here, and not in the node: one that is started again must have the same.
        parameters['seed'] = _draw_seed(parameters.get('journal'))
    return settings.node(
        'env_node',
        'env_node',
        parameters=parameters,
        respawn=True,
        max_respawns=ENV_RESPAWNS,
        temporary_files=temporary,
    )


def _draw_seed(journal: ParameterValue | None) -> int:
    """Return the seed of the match that a journal can resume, or else a random one."""
    # Imported here: it brings the engines with it, which most launches do not need.
    from gdl_env.environment.journal import find_seed

    seed = find_seed(Path(str(journal))) if journal else None
    return secrets.randbelow(2**31) if seed is None else seed


def agent_nodes(settings: LaunchSettings, players: Mapping[str, ChosenAgent]) -> list[NodeSpec]:
    """Return one agent a role; but a person has one terminal only, for all roles."""
    human = {role: player for role, player in players.items() if player.name == HUMAN}
    return [
        *(
            _agent_node(settings, player, (role,))
            for role, player in players.items()
            if role not in human
        ),
        *shared_agent_nodes(settings, human),
    ]


def shared_agent_nodes(
    settings: LaunchSettings, players: Mapping[str, ChosenAgent]
) -> list[NodeSpec]:
    """Return one agent for all the roles that the same player has."""
    return [
        _agent_node(settings, player, tuple(r for r, other in players.items() if other == player))
        for player in dict.fromkeys(players.values())
    ]


def _agent_node(settings: LaunchSettings, player: ChosenAgent, roles: tuple[str, ...]) -> NodeSpec:
    parameters: dict[str, ParameterValue] = {
        'agent': str(player),
        **({'role': roles[0]} if len(roles) == 1 else {'roles': list(roles)}),
    }
    is_human = player.name == HUMAN
    return settings.node(
        AGENT_NODE,
        '_'.join([*map(topic_part, roles), topic_part(player.label)]),
        parameters=parameters,
        agents=(player,),
        respawn=not is_human,
        max_respawns=AGENT_RESPAWNS,
        # People do not want to see the rest of a game that they left.
        is_leader=is_human,
        needs_terminal=is_human,
    )


def match_node(settings: LaunchSettings, progress_period: float | None = None) -> NodeSpec:
    """Return the node that asks for the games, tells the result and ends the launch."""
    parameters = settings.parameters('match_node', 'episodes')
    if settings.text('result_file'):
        path = Path(settings.text('result_file')).expanduser().resolve()
        parameters['result_file'] = str(path)
    if progress_period is not None:
        parameters['progress_period'] = progress_period
    return settings.node('match_node', 'match_node', parameters=parameters, is_leader=True)


def recorder_node(
    settings: LaunchSettings, environment: NodeSpec, *, has_table: bool = False
) -> NodeSpec:
    """Return the node that records the match. Raises LaunchError if its folder is taken.

    A launch that resumes a match from its journal continues the recording, too; and so does one
    that was killed before its first tick.
    """
    folder = Path(settings.text('record_to')).expanduser().resolve()
    session, is_resumed = _name_session(settings, environment)
    if any(folder.glob('bag*')):
        known = Checkpoint.load(folder)
        is_own = known is not None and known.session == session
        if known is None or not is_own or not (is_resumed or known.sequence == 0):
            raise LaunchError(f'{folder} holds a recording already; name another with record_to:=')
    return settings.node(
        'recorder_node',
        'recorder_node',
        # By the session it knows, when it is restarted, that the recording is its own.
        parameters={
            'folder': str(folder),
            'session': session,
            **({'table': True} if has_table else {}),
        },
        respawn=True,
        max_respawns=AGENT_RESPAWNS,
    )


def _name_session(settings: LaunchSettings, environment: NodeSpec) -> tuple[str, bool]:
    """Return who records: the same again if a match is resumed; and whether one is."""
    if settings.text('journal') in {'auto', 'off'}:
        return secrets.token_hex(8), False
    from gdl_env.environment.journal import find_seed

    journal, seed = environment.parameters['journal'], environment.parameters.get('seed')
    digest = hashlib.sha256(f'{journal} {seed}'.encode()).hexdigest()[:16]
    return digest, find_seed(Path(str(journal))) is not None


def board_node(settings: LaunchSettings) -> NodeSpec:
    """Return the node that draws the board for RViz."""
    return settings.node('board_node', 'board_node', respawn=True, max_respawns=AGENT_RESPAWNS)


def robot_node(settings: LaunchSettings, hands: tuple[str, ...]) -> NodeSpec:
    """Return the node with the arm; where it is simulated, so are the hands of people."""
    parameters = settings.parameters('robot_node', *ROBOT_PARAMETERS)
    if settings.text('setup'):
        parameters['setup'] = str(Path(settings.text('setup')).expanduser().resolve())
    if hands and settings.text('executor') in SIMULATED_EXECUTORS:
        parameters['hands'] = list(hands)
    if settings.values['seed'] != -1:
        parameters |= settings.parameters('robot_node', 'seed')
    return settings.node('robot_node', 'robot_node', parameters=parameters)


def perception_node(settings: LaunchSettings) -> NodeSpec:
    """Return the node that recognises what people have moved."""
    return settings.node('perception_node', 'perception_node')


def gui_node(settings: LaunchSettings) -> NodeSpec:
    """Return the web interface."""
    return settings.node('gui_node', 'gui_node', respawn=True, max_respawns=AGENT_RESPAWNS)


def fresh_path(name: str) -> Path:
    """Return a path for a temporary file that no other launch has."""
    stamp = f'{os.getpid()}_{time.time_ns()}'
    return Path(tempfile.gettempdir()) / f'gdl_{stamp}_{name}'
