"""The arguments of every launch file. What several have in common is written once."""

from __future__ import annotations

from dataclasses import replace

from gdl_env.ros.launch.arguments import Argument, ArgumentKind

# Seconds.
DAY = 86_400

GAME = Argument('game', 'The game: its name or a rule file. See: gdl games.', 'tictactoe')
PLAYERS = Argument(
    'players',
    'Who plays the roles that are not named: an agent, as name[:detail] or file.py:Class[:detail] '
    '(see: gdl agents). Every role of the game is an argument, too: x:=random o:=legal. none: its '
    'agent is started elsewhere.',
    'random',
)
EPISODES = Argument(
    'episodes',
    'Games to play, over all lanes.',
    '1',
    kind=ArgumentKind.WHOLE,
    minimum=1,
    maximum=2**63,
)
LANES = Argument(
    'lanes',
    'Games played side by side.',
    '1',
    kind=ArgumentKind.WHOLE,
    minimum=1,
    maximum=1_000_000,
)
SEED = Argument(
    'seed',
    'Decides all chance; the same seed and agents give the same games. -1: another one each time.',
    '-1',
    kind=ArgumentKind.WHOLE,
    minimum=-1,
    maximum=2**31 - 1,
)
MOVE_CLOCK = Argument(
    'move_clock',
    'Time for a move [s]; then a random one is played. 0: as long as it takes.',
    '10',
    kind=ArgumentKind.NUMBER,
    minimum=0,
    maximum=DAY,
)
START_CLOCK = Argument(
    'start_clock',
    'Time for agents to get ready [s]; then the match begins. 0: as long as it takes.',
    '60',
    kind=ArgumentKind.NUMBER,
    minimum=0,
    maximum=DAY,
)
SPECTATOR = Argument(
    'spectator',
    'What those see who look on: what is public; all, hidden facts and moves too; or nothing.',
    'public',
    choices=('public', 'all', 'none'),
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
    'File in which the environment writes what it needs to resume after a crash. If it holds an '
    'unfinished match, that is resumed, with its seed. auto: a file that is removed at the '
    'end. off: none; games start again then.',
    'auto',
)
PARAMS = Argument(
    'params', 'YAML file with parameters of nodes. Arguments that are given win. Empty: none.'
)
NAMESPACE = Argument('namespace', 'Namespace of all nodes: the name of the match. Empty: none.')
LOG_LEVEL = Argument(
    'log_level',
    'How much nodes tell.',
    'info',
    choices=('debug', 'info', 'warn', 'error', 'fatal'),
)
ROLE = Argument('role', 'The role you play. Empty: the first one of the game.')
OPPONENT = replace(
    PLAYERS, name='opponent', description=PLAYERS.description.replace('that are not named', 'left')
)
SHARED = Argument(
    'shared',
    'Whether roles played by the same agent share one process, and so what it learns.',
    'true',
    kind=ArgumentKind.FLAG,
)
ALGORITHM = Argument('algorithm', 'How the learner learns.', 'rainbow', choices=('rainbow', 'dqn'))
OPTIONS = Argument(
    'options',
    'Options of learning, separated by commas: n_step=3,batch=64. They are those of gdl train.',
)
TRAINING = Argument(
    'training',
    'YAML file with options of learning, as for gdl train. Empty: that of the game in '
    'config/training, or their defaults.',
)
TRUST = Argument(
    'trust',
    'Whether code is run that the file of `training` names, such as reward: file.py:name.',
    'false',
    kind=ArgumentKind.FLAG,
)
RUN = Argument(
    'run',
    'Folder for what is learned; one that exists is gone on with. Empty: the next one in runs/.',
)
PUBLISH_EVERY = Argument(
    'publish_every',
    'Updates of the network between two publications of the policy.',
    '500',
    kind=ArgumentKind.WHOLE,
    minimum=1,
    maximum=2**31,
)
ACTORS = Argument(
    'actors',
    'Matches side by side that feed one learner, each with an environment and an agent of its own '
    'that plays all roles by the policy. 0: the learner plays itself.',
    '0',
    kind=ArgumentKind.WHOLE,
    minimum=0,
    maximum=64,
)
EVALUATE = Argument(
    'evaluate',
    'Games on each seat by which a published policy is evaluated. 0: no evaluator.',
    '200',
    kind=ArgumentKind.WHOLE,
    minimum=0,
    maximum=1_000_000,
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
    *(SEED, MOVE_CLOCK, START_CLOCK, SPECTATOR, RECORD, RECORD_TO, GUI, RVIZ, RESULT_FILE),
    *(JOURNAL, PARAMS, NAMESPACE, LOG_LEVEL),
)


def _with(arguments: tuple[Argument, ...], **defaults: str) -> tuple[Argument, ...]:
    """Return the same arguments, some with other defaults."""
    return tuple(replace(a, default=defaults.get(a.name, a.default)) for a in arguments)


MATCH = (GAME, PLAYERS, EPISODES, LANES, *_COMMON)
# One game at a time: a person has one board.
HUMAN = (
    *(GAME, ROLE, OPPONENT, EPISODES),
    *_with(_COMMON, move_clock='0', start_clock='0', log_level='warn'),
)
# The learner, and a copy of it that follows what it learns: players of selfplay alone.
LEARNER = 'learner'
COPY = 'copy'
LEARNING_PLAYERS = replace(
    PLAYERS,
    default=LEARNER,
    description='Who plays the roles that are not named: learner, copy (of the learner, as it was '
    'published last), or any agent, as name[:detail] or file.py:Class[:detail]. Every '
    'role of the game is an argument, too: o:=copy. none: its agent is started elsewhere.',
)
# More than it takes in tic-tac-toe to be proved never to lose, where training ends.
SELFPLAY = (
    *_with((GAME, LEARNING_PLAYERS, SHARED, EPISODES, LANES), episodes='20000', lanes='16'),
    *(ALGORITHM, OPTIONS, TRAINING, TRUST, RUN, PUBLISH_EVERY, EVALUATE, ACTORS),
    # A learner takes its time. Training may start again; its journal would grow for ever.
    *_with(_COMMON, move_clock='0', start_clock='0', journal='off'),
)
TOURNAMENT = (
    *_with((GAME, AGENTS, SELF_PLAY, EPISODES, LANES), episodes='100'),
    *(SEED, MOVE_CLOCK, START_CLOCK, OUT, PARAMS, NAMESPACE),
    *_with((LOG_LEVEL,), log_level='warn'),
)
# Arguments that tournament_node passes on to its matches unchanged.
TOURNAMENT_PARAMETERS = (
    *('self_play', 'episodes', 'lanes', 'seed', 'move_clock', 'start_clock', 'log_level'),
)
