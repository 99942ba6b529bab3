"""The arguments of every launch file. What several have in common is written once."""

from __future__ import annotations

from dataclasses import replace

from gdl_env.ros import parameters
from gdl_env.ros.launch.arguments import Argument, ArgumentKind
from gdl_env.ros.parameters import Parameter

_KINDS = {
    bool: ArgumentKind.FLAG,
    int: ArgumentKind.WHOLE,
    float: ArgumentKind.NUMBER,
    str: ArgumentKind.TEXT,
}


def _from(parameter: Parameter, name: str, default: str | None = None) -> Argument:
    """Return an argument that sets a parameter of a node, by another name or default perhaps."""
    kind = _KINDS.get(type(parameter.default), ArgumentKind.TEXT)
    argument = Argument(
        name,
        f'{parameter.description}.' + (f' {parameter.form}.' if parameter.form else ''),
        f'{parameter.default:g}' if kind is ArgumentKind.NUMBER else str(parameter.default),
        parameter.choices,
        kind,
    )
    if parameter.low is not None and parameter.high is not None:
        argument = replace(argument, minimum=parameter.low, maximum=parameter.high)
    return argument if default is None else replace(argument, default=default)


GAME = Argument('game', 'The game: its name or a rule file. See: gdl games.', 'tictactoe')
PLAYERS = Argument(
    'players',
    'Who plays the roles that are not named: an agent, as name[:detail] or file.py:Class[:detail] '
    '(see: gdl agents). Every role of the game is also an argument: x:=random o:=legal. none: you '
    'start the agent elsewhere.',
    'random',
)
AGENTS_BY_ROLE = Argument(
    'agents',
    'Who plays which role, in one argument: "x=random o=mcts:playouts=500". Quote details with '
    'blanks. Arguments named after roles are then ignored, so that a launch file that includes '
    'this one may have its own argument x.',
)
EPISODES = _from(parameters.MATCH['episodes'], 'episodes')
LANES = _from(parameters.ENVIRONMENT['lanes'], 'lanes')
COHORTS = _from(parameters.ENVIRONMENT['cohorts'], 'cohorts')
SEED = replace(
    _from(parameters.MATCH['seed'], 'seed'),
    description='Seed of all random draws; the same seed and agents give the same games. -1: '
    'another one each time.',
)
PLAY_CLOCK = _from(parameters.ENVIRONMENT['play_clock'], 'play_clock')
TOTAL_CLOCK = _from(parameters.ENVIRONMENT['total_clock'], 'total_clock')
INCREMENT = _from(parameters.ENVIRONMENT['increment'], 'increment')
START_CLOCK = _from(parameters.ENVIRONMENT['start_clock'], 'start_clock')
SPECTATOR = _from(parameters.ENVIRONMENT['spectator'], 'spectator')
TURN = _from(parameters.ENVIRONMENT['turn'], 'turn')
ILLEGAL = _from(parameters.ENVIRONMENT['illegal'], 'illegal')
MAPPING = _from(parameters.ENVIRONMENT['mapping'], 'mapping')
TEAMS = Argument('teams', 'Teams, separated by semicolons: "red: a b; blue: c d". Empty: none.')
USE_SIM_TIME = Argument(
    'use_sim_time',
    'Whether stamps use the time of /clock. The clocks of a match always use wall-clock time.',
    'false',
    kind=ArgumentKind.FLAG,
)
RECORD = Argument('record', 'Whether to record the match.', 'false', kind=ArgumentKind.FLAG)
RECORD_TO = Argument('record_to', 'Folder for recordings.', 'recordings')
GUI = Argument('gui', 'Whether to start the web interface.', 'false', kind=ArgumentKind.FLAG)
RVIZ = Argument(
    'rviz', 'Whether to publish the board as RViz markers.', 'false', kind=ArgumentKind.FLAG
)
RESULT_FILE = Argument('result_file', 'File for the result, as JSON. Empty: none.')
JOURNAL = Argument(
    'journal',
    'File from which the environment resumes after a crash. If it holds an unfinished match, that '
    'match is resumed, with its seed. auto: a temporary file, removed at the end. off: none; '
    'after a crash games start again.',
    'auto',
)
PARAMS = Argument(
    'params', 'YAML file with parameters of nodes. Arguments take precedence over it. Empty: none.'
)
NAMESPACE = Argument('namespace', 'Namespace of all nodes: the name of the match. Empty: none.')
LOG_LEVEL = Argument(
    'log_level',
    'Lowest level of the log messages.',
    'info',
    choices=('debug', 'info', 'warn', 'error', 'fatal'),
)
ROLE = Argument('role', 'The role you play. Empty: the first one of the game.')
OPPONENT = replace(
    PLAYERS, name='opponent', description=PLAYERS.description.replace('that are not named', 'left')
)
SHARED = Argument(
    'shared',
    'Whether roles played by the same agent share one process, and therefore what it learns.',
    'true',
    kind=ArgumentKind.FLAG,
)
ALGORITHM = Argument(
    'algorithm', 'How the learner learns.', 'rainbow', choices=('rainbow', 'dqn', 'alphazero')
)
OPTIONS = Argument(
    'options',
    'Options of learning, separated by commas: n_step=3,batch=64. They are those of gdl train.',
)
TRAINING = Argument(
    'training',
    'YAML file with options of learning, as for gdl train, such as the training.yaml of a run. '
    'Options that are not given are derived from the game.',
)
TRUST = Argument(
    'trust',
    'Whether to run code that the file of `training` names, such as reward: file.py:name.',
    'false',
    kind=ArgumentKind.FLAG,
)
RUN = Argument(
    'run',
    'Folder for what is learned; one that exists is resumed. Empty: the next one in runs/.',
)
PUBLISH_EVERY = _from(parameters.LEARNER['publish_every'], 'publish_every')
ACTORS = Argument(
    'actors',
    'Parallel matches that feed one learner, each with its own environment and an agent that '
    'plays all roles by the policy. 0: the learner itself plays.',
    '0',
    kind=ArgumentKind.WHOLE,
    minimum=0,
    maximum=64,
)
EVALUATE = replace(
    _from(parameters.EVALUATOR['games'], 'evaluate'),
    description='Games on each seat by which a published policy is evaluated. 0: no evaluator.',
    minimum=0,
)
AGENTS = Argument(
    'agents',
    'The agents, separated by commas, each name[:detail] or file.py:Class[:detail]. '
    'Quote details with blanks.',
    'random legal',
)
SELF_PLAY = Argument(
    'self_play', 'Whether agents also play against themselves.', 'false', kind=ArgumentKind.FLAG
)
OUT = Argument('out', 'Folder for tables, plots and results.', 'tournament')

_COMMON = (
    *(SEED, PLAY_CLOCK, TOTAL_CLOCK, INCREMENT, START_CLOCK),
    *(TURN, TEAMS, ILLEGAL, MAPPING, SPECTATOR),
    *(RECORD, RECORD_TO, GUI, RVIZ, RESULT_FILE, JOURNAL),
    *(PARAMS, NAMESPACE, USE_SIM_TIME, LOG_LEVEL),
)


# Parameters of robot_node that are arguments of launches, by the same name.
ROBOT_PARAMETERS = (
    *('setup', 'executor', 'motion_seconds', 'slips', 'blunders'),
    *('camera_period', 'camera_blind', 'camera_wrong', 'camera_confidence'),
    *('picture_width', 'picture_height', 'picture_noise', 'speed'),
)


def _with(arguments: tuple[Argument, ...], **defaults: str) -> tuple[Argument, ...]:
    """Return the same arguments, some with other defaults."""
    return tuple(replace(a, default=defaults.get(a.name, a.default)) for a in arguments)


MATCH = (GAME, PLAYERS, AGENTS_BY_ROLE, EPISODES, LANES, COHORTS, *_COMMON)
# One game at a time: a person has one board.
HUMAN = (
    *(GAME, ROLE, OPPONENT, AGENTS_BY_ROLE, EPISODES),
    *_with(_COMMON, play_clock='0', start_clock='0', log_level='warn'),
)
# The learner, and a copy of it that follows what it learns: players of selfplay alone.
LEARNER = 'learner'
COPY = 'copy'
LEARNING_PLAYERS = replace(
    PLAYERS,
    default=LEARNER,
    description='Who plays the roles that are not named: learner, copy (of the learner, as it was '
    'last published), or any agent, as name[:detail] or file.py:Class[:detail]. Every role '
    'of the game is also an argument: o:=copy. none: you start the agent elsewhere.',
)
# More than it takes in tic-tac-toe to be proved never to lose, where training ends.
SELFPLAY = (
    *(GAME, LEARNING_PLAYERS, AGENTS_BY_ROLE, SHARED),
    *_with((EPISODES, LANES, COHORTS), episodes='20000', lanes='16'),
    *(ALGORITHM, OPTIONS, TRAINING, TRUST, RUN, PUBLISH_EVERY, EVALUATE, ACTORS),
    # A learner takes its time. Training may start again; its journal would grow for ever.
    *_with(_COMMON, play_clock='0', start_clock='0', journal='off'),
)
# Real pieces take their time.
HAND = 'hand'
ROBOT = (
    *(GAME, replace(PLAYERS, default='robot:mcts'), AGENTS_BY_ROLE, EPISODES),
    *(_from(parameters.ROBOT[name], name) for name in ROBOT_PARAMETERS),
    *_with(_COMMON, play_clock='0', start_clock='0'),
)
TOURNAMENT = (
    *_with((GAME, AGENTS, SELF_PLAY, EPISODES, LANES), episodes='100'),
    *(SEED, PLAY_CLOCK, START_CLOCK, OUT, PARAMS, NAMESPACE, USE_SIM_TIME),
    *_with((LOG_LEVEL,), log_level='warn'),
)
# Arguments that tournament_node passes on to its matches unchanged.
TOURNAMENT_PARAMETERS = (
    *('self_play', 'episodes', 'lanes', 'seed', 'play_clock', 'start_clock', 'log_level'),
)
