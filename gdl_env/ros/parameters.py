"""The parameters of every node, in one table: defaults, meaning, range, and what may change.

Plain data, without ROS. Made from it: descriptors (`declaring.py`), arguments of launches
(`launch/launch_arguments.py`), the page doc/parameters.md and the files in config/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi

ParameterValue = str | int | float | bool | list[str]

_LARGEST = 2**31 - 1
_DAY = 86_400.0
# Where a board may stand [m], and how it may be turned [rad].
_FAR = 1e6
_TURN = 2 * pi
# Angles, and the axes they turn about.
_TURNS = {'roll': 'x', 'pitch': 'y', 'yaw': 'z'}
# An empty list has no type that ROS could tell.
_NONE = ('',)


@dataclass(frozen=True)
class Parameter:
    """One parameter: its type is that of its default."""

    default: str | int | float | bool | tuple[str, ...]
    # What it is, with unit and special values in brackets; no full stop at the end.
    description: str
    low: float | None = None
    high: float | None = None
    # All values there are. Empty: any.
    choices: tuple[str, ...] = ()
    # The form of values that cannot be listed, in words.
    form: str = ''
    # Whether a change takes effect while the node runs. All others are read-only.
    is_live: bool = False

    @property
    def value(self) -> ParameterValue:
        """Return the default as ROS takes it."""
        return list(self.default) if isinstance(self.default, tuple) else self.default

    @property
    def values(self) -> str:
        """Return, for people, which values there are."""
        if self.low is not None and self.high is not None:
            if self.high >= _LARGEST:
                return f'{self.low:,.10g} or more'
            return f'{self.low:,.10g} to {self.high:,.10g}'
        return ', '.join(self.choices) or self.form


Table = Mapping[str, Parameter]


def _whole(default: int, description: str, low: int, high: int = _LARGEST) -> Parameter:
    return Parameter(default, description, low, high)


def _seconds(default: float, description: str, *, is_live: bool = False) -> Parameter:
    return Parameter(default, description, 0.0, _DAY, is_live=is_live)


def _coordinate(axis: str) -> Parameter:
    text = f'Where the board stands in the parent frame: {axis} of its origin [m]'
    return Parameter(0.0, text, -_FAR, _FAR, is_live=True)


def _share(default: float, description: str) -> Parameter:
    return Parameter(default, description, 0.0, 1.0)


def _angle(name: str, axis: str) -> Parameter:
    text = f'How the board is turned in the parent frame: {name}, about {axis} [rad]'
    return Parameter(0.0, text, -_TURN, _TURN, is_live=True)


_GAME = 'Name of a game, or path of a rule file'

_MAPPING = Parameter(
    'auto',
    'Mapping from facts to vectors',
    form='auto, typed, inferred, module:Class, file.py:Class',
)

ENVIRONMENT: Table = {
    'game': Parameter('tictactoe', _GAME),
    'engine': Parameter(
        'auto',
        'Engine that runs the rules (auto: the fastest that can)',
        choices=('auto', 'circuit', 'firstorder', 'prolog'),
    ),
    'mapping': _MAPPING,
    'lanes': _whole(1, 'Independent copies of the game, played in parallel', 1, 1_000_000),
    'cohorts': _whole(
        1,
        'Parts of the lanes that are played in turn: one is decided while another is played, which'
        ' hides the latency of agents on other machines',
        1,
        64,
    ),
    'seed': _whole(0, 'Seed of all random draws of the environment', 0),
    'episodes': _whole(
        0,
        'Episodes to play as soon as the node is active [0: wait for a play_matches goal; -1: no'
        ' limit]',
        -1,
    ),
    'max_steps': _whole(0, 'Steps after which an episode is cut off [0: never]', 0),
    'illegal': Parameter(
        'random',
        'What follows an illegal answer: the game ends with a penalty (end), a random legal move'
        ' is played (random), or the legal move the agent prefers (best)',
        choices=('end', 'random', 'best'),
    ),
    'reward': Parameter('goal', 'Reward of a step', form='goal, module:name, file.py:name'),
    'turn': Parameter(
        'rotate',
        'Which role moves where several could, one at a time (first: the first to answer)',
        form='rotate, priority, random, first, module:name',
    ),
    'teams': Parameter(
        _NONE, 'Teams: one entry per team, with its name and its roles', form='team: role role …'
    ),
    'play_clock': _seconds(
        10.0,
        'Time to answer; then a random legal move is played [s; 0: unlimited]',
        is_live=True,
    ),
    'total_clock': _seconds(
        0.0,
        'Time of each role for all its answers in a game; then random legal moves are played'
        ' [s; 0: unlimited]; for one lane only',
    ),
    'increment': _seconds(0.0, 'Time added to the total clock with each answer [s]'),
    'missing_clock': _seconds(
        1.0,
        'Time to wait for a role without an agent, if there is a play clock [s; 0: as long as the'
        ' play clock]',
        is_live=True,
    ),
    'start_clock': _seconds(
        60.0, 'Time to wait for agents before the first tick [s; 0: unlimited]', is_live=True
    ),
    'spectator': Parameter('public', 'What spectators may see', choices=('public', 'all', 'none')),
    'text': Parameter(
        'auto',
        'Whether states also contain text (auto: with one lane)',
        choices=('auto', 'on', 'off'),
    ),
    'record_lanes': _whole(
        0, 'Lanes whose every step is published on `record`, including hidden information', 0, 1024
    ),
    'require_recorder': Parameter(
        False,
        'Whether a match without a recorder fails; one that has joined is always waited for',
    ),
    'record_clock': _seconds(
        30.0,
        'Time to wait for a recorder that writes nothing, in a match and at its end [s]',
    ),
    'publish_rules': Parameter(True, 'Whether `info` contains the rules'),
    'journal': Parameter(
        '', 'File for the answers of every tick, from which a killed match resumes [empty: none]'
    ),
    'undo': _whole(
        0,
        'Ticks that the services `<role>/undo` can take back [0: no such services]',
        0,
        100_000,
    ),
    'learner_lead': _whole(
        0,
        'Ticks by which the match may be ahead of a learner that watches it; then it waits, so'
        ' that no experience is lost [0: learners are not waited for]',
        0,
        100,
    ),
    'busy_wait': Parameter(
        True, 'Whether to busy-wait for the answers of fast agents: faster, but keeps a core busy'
    ),
    'autostart': Parameter(
        True, 'Whether to configure and activate at start, without a lifecycle manager'
    ),
}

MATCH: Table = {
    'episodes': Parameter(1, 'Episodes to play, over all lanes', 1, 2**62),
    'seed': _whole(-1, "Seed of all random draws [-1: the environment's own]", -1),
    'result_file': Parameter('', 'File for the result, as JSON [empty: none]'),
    'wait_timeout': _seconds(
        600.0,
        'Time to wait for an environment that is silent or not there; not while one compiles'
        ' [s; 0: unlimited]',
        is_live=True,
    ),
    'allow_programs': Parameter(
        False,
        'Whether the service `swap` may run programs and code from files: external, file.py',
    ),
    'progress_period': _seconds(
        5.0, 'Time between two progress messages [s; 0: none]', is_live=True
    ),
}

TOURNAMENT: Table = {
    'game': Parameter('tictactoe', _GAME),
    'agents': Parameter(
        ('random', 'legal'), 'Agents that take part', form='name[:detail], file.py:Class[:detail]'
    ),
    'self_play': Parameter(False, 'Whether agents also play against themselves'),
    'episodes': _whole(100, 'Episodes of each match', 1),
    'lanes': _whole(1, 'Games played in parallel', 1, 1_000_000),
    'seed': _whole(-1, 'Seed of all random draws [-1: another one each time]', -1),
    'play_clock': _seconds(10.0, 'Time for a move [s; 0: unlimited]'),
    'start_clock': _seconds(60.0, 'Time for agents to get ready [s; 0: unlimited]'),
    'params': Parameter('', 'Parameter file for all nodes of the matches [empty: none]'),
    'out': Parameter('tournament', 'Folder for tables, plots and results'),
    'log_level': Parameter(
        'warn',
        'How much the nodes of the matches log',
        choices=('debug', 'info', 'warn', 'error', 'fatal'),
    ),
}

RECORDER: Table = {
    'folder': Parameter('recordings/match', 'Folder to write into'),
    'session': Parameter(
        '', 'Identifies the recorder; the same session continues after a crash [empty: none]'
    ),
    'table': Parameter(False, 'Whether to record the arm and the camera of a real board, too'),
}

BOARD: Table = {
    'square_size': Parameter(0.1, 'Side of a square [m]', 0.001, 100.0, is_live=True),
    'frame_id': Parameter('board', 'Frame of the markers; its origin is a corner of the board'),
    'parent_frame_id': Parameter(
        'map',
        'Frame in which the board stands, for /tf_static [empty: another node publishes where the'
        ' frame of the board is]',
    ),
    **{axis: _coordinate(axis) for axis in 'xyz'},
    **{turn: _angle(turn, axis) for turn, axis in _TURNS.items()},
}

ROBOT: Table = {
    'setup': Parameter(
        '', 'YAML file of the set-up: poses, sizes, trays, grasps [empty: as the board suggests]'
    ),
    'executor': Parameter(
        'simulated',
        'What moves pieces (simulated: a table without physics; mujoco: an arm and a table with'
        ' physics; both have a camera)',
        form='simulated, mujoco, module:Class, file.py:Class',
    ),
    'motion_seconds': _seconds(0.5, 'Time the simulated arm takes for a piece [s]'),
    'hands': Parameter(_NONE, 'Roles whose pieces a simulated person moves [empty: none]'),
    'slips': _share(0.0, 'Share of motions in which a simulated piece falls beside its square'),
    'blunders': _share(0.0, 'Share of turns that the simulated person begins with a wrong move'),
    'camera_period': Parameter(0.2, 'Time between two simulated pictures [s]', 0.01, 60.0),
    'camera_blind': _share(0.0, 'Share of squares that a simulated picture does not show'),
    'camera_wrong': _share(0.0, 'Share of squares that a simulated picture shows wrongly'),
    'camera_confidence': Parameter(0.9, 'Least confidence of a simulated picture', 0.5, 1.0),
    'picture_width': _whole(960, 'Width of the pictures of mujoco [pixels]', 160, 4096),
    'picture_height': _whole(720, 'Height of the pictures of mujoco [pixels]', 120, 4096),
    'picture_noise': Parameter(
        4.0, 'Noise of the pictures of mujoco, standard deviation of 255 levels', 0.0, 100.0
    ),
    'speed': Parameter(
        1.0, 'How many times real time mujoco runs at [0: as fast as it can]', 0.0, 1000.0
    ),
    'seed': _whole(0, 'Seed of all that is simulated', 0),
}

PERCEPTION: Table = {
    'pictures': _whole(2, 'Pictures in a row that have to mean the same', 1, 1_000),
}

GUI: Table = {
    'host': Parameter('127.0.0.1', 'Address to serve at; one that others can reach needs a token'),
    'port': _whole(8080, 'Port to serve at [0: any that is free]', 0, 65535),
    'token_file': Parameter(
        '', 'File that holds the token; made if it is not there [empty: no token]'
    ),
    'folder': Parameter('.', 'Folder with runs/, recordings/, tournaments/ and drafts/'),
    'game': Parameter('', 'Game to open a table for [empty: none]'),
    'players': Parameter(_NONE, 'Who plays at that table', form='role=agent, such as x=me'),
    'allow_programs': Parameter(
        False, 'Whether pages may start agents that are programs or code of their own'
    ),
    'spares': _whole(
        1,
        'Environments and agents that are started ahead, so that a table opens sooner;'
        ' a pair takes about 250 MB [0: none]',
        0,
        8,
    ),
    'browser': Parameter(
        False, 'Whether to open a browser, where there is a display and no token is needed'
    ),
}

AGENT: Table = {
    'agent': Parameter(
        '',
        'The agent that plays [empty: the one the executable is named after]',
        form='name[:detail], file.py:Class[:detail], module:Class[:detail]',
    ),
    'detail': Parameter(
        '', 'The detail of the agent, such as a command line, if `agent` does not hold it'
    ),
    'role': Parameter(
        '', 'The role to play [empty: those of `roles`, or the only one of the game]'
    ),
    'roles': Parameter(_NONE, 'Several roles to play'),
    'agent_name': Parameter('', 'What answers are signed with [empty: the full name of the node]'),
    'seed': _whole(
        -1, "Seed of the agent's random draws [-1: derived from the seed of the match]", -1, 2**62
    ),
    'delay_ms': Parameter(0, 'Longest random delay of an answer [ms]', 0, 60_000, is_live=True),
}

# Of agents that play by what was learned, beside those of every agent.
FOLLOWER: Table = {
    'follow': Parameter('', 'Topic of the policy to follow [empty: play what `detail` names]'),
    'wait': Parameter(False, 'Whether to give no answers before the first policy arrives'),
    'epsilon': Parameter(
        0.0, 'Share of random moves while following a policy', 0.0, 1.0, is_live=True
    ),
}

# Beside those of every agent.
LEARNER: Table = {
    'config': Parameter(
        '', 'YAML file with options of learning, as for gdl train [empty: defaults]'
    ),
    'trust': Parameter(False, 'Whether to run code that the file of options names'),
    'run': Parameter(
        '', 'Folder for what is learned; one that exists is resumed [empty: nothing is kept]'
    ),
    'policy': Parameter('policy', 'Topic on which the policy is published'),
    'publish_every': Parameter(
        500, 'Updates between two publications of the policy', 1, _LARGEST, is_live=True
    ),
    'end_with_match': Parameter(False, 'Whether the node ends once all episodes have been played'),
    'watch': Parameter(_NONE, 'Roles of other agents from which it also learns'),
    'matches': Parameter(
        _NONE,
        'Namespaces of other matches, to learn from all of their roles; a learner without a role'
        ' of its own does not play',
    ),
}

EVALUATOR: Table = {
    'folder': Parameter('', 'Folder for the table and the learning curve [empty: none]'),
    'policy': Parameter('policy', 'Topic of the policy to follow'),
    'info': Parameter('info', 'Topic with the rules of the game'),
    'every': Parameter(1, 'Evaluate every n-th policy that arrives', 1, _LARGEST, is_live=True),
    'games': Parameter(
        200,
        'Games of an evaluation on each seat, against random players',
        1,
        _LARGEST,
        is_live=True,
    ),
    'lanes': _whole(64, 'Games played in parallel', 1),
    'mapping': _MAPPING,
    'seed': _whole(0, 'Seed of all random draws', 0),
}

# Every node, by the name that it has on the graph unless another one is given; agents are called
# by role and agent in launches.
NODES: dict[str, Table] = {
    'env_node': ENVIRONMENT,
    'match_node': MATCH,
    'agent_node': AGENT,
    'learner_node': {**AGENT, **LEARNER},
    'evaluator_node': EVALUATOR,
    'recorder_node': RECORDER,
    'tournament_node': TOURNAMENT,
    'board_node': BOARD,
    'robot_node': ROBOT,
    'perception_node': PERCEPTION,
    'gui_node': GUI,
}
