"""Train a player as ROS 2 nodes: an environment, a learner, opponents, an evaluator.

Tic-tac-toe takes a few minutes on two cores, from no knowledge to a player that does not lose. The
run is saved in runs/GAME: checkpoint, snapshots, metrics, learning curve and a summary of results.

By default one learner plays all roles. `o:=copy` lets a copy of the learner play a role, updated
as the learner improves; `o:=random` gives the role to that agent. `gdl launch selfplay
--show-args` lists all arguments. ctrl-C stops the training and keeps what was learned. See
doc/selfplay.md.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import add_mapping, load, positive_count
from gdl_env.cli.program import commands_of_player
from gdl_env.cli.verb import Group, Verb

if TYPE_CHECKING:
    from gdl_env.ros.launch.node_spec import NodeSpec

# Options that are arguments of the launch by the same name.
_SAME = ('algorithm', 'episodes', 'lanes', 'seed', 'run', 'mapping')


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        'words',
        metavar='GAME NAME:=VALUE',
        nargs='*',
        help='a game (default: tictactoe); arguments of the launch, such as o:=copy',
    )
    parser.add_argument(
        '--algorithm', metavar='NAME', help='rainbow, dqn or alphazero (default: rainbow)'
    )
    parser.add_argument('--episodes', type=positive_count, metavar='N', help='number of episodes')
    parser.add_argument(
        '--lanes', type=positive_count, metavar='N', help='games played at the same time'
    )
    parser.add_argument('--seed', type=int, metavar='NUMBER', help='seed of all random choices')
    parser.add_argument(
        '--run', metavar='FOLDER', help='folder for a new run, or of a run to resume'
    )
    add_mapping(parser, default=None)
    parser.add_argument(
        '--set',
        action='append',
        default=[],
        metavar='KEY=VALUE',
        help='set any training option, such as n_step=3; may be repeated',
    )


def run(options: Namespace) -> int:
    """Start the nodes; return the exit code of the launch."""
    from gdl_env.ros.launch.arguments import parse_pairs
    from gdl_env.ros.launch.launch_arguments import GAME
    from gdl_env.ros.launch.learning_specs import LEARNER_NODE
    from gdl_env.ros.launch.supervisor import Supervisor
    from gdl_env.ros.launch.topology import TOPOLOGIES

    words = [word for word in options.words if ':=' in word]
    games = [f'game:={word}' for word in options.words if ':=' not in word]
    told = [f'{name}:={value}' for name in _SAME if (value := getattr(options, name)) is not None]
    if options.set:
        told.append(f'options:={",".join(options.set)}')
    given = parse_pairs([*games, *words, *told])
    nodes = TOPOLOGIES['selfplay'].nodes(given)
    code = Supervisor(nodes).run()
    learner = next((node for node in nodes if node.executable == LEARNER_NODE), None)
    if learner is not None:
        _print_next_steps(given.get('game', str(GAME.default)), learner)
    return code


def _print_next_steps(word: str, learner: NodeSpec) -> None:
    """Print where the run is, and commands that use it."""
    path = Path(str(learner.parameters['run']))
    if not path.is_dir():
        return
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    detail = str(learner.parameters['detail'])
    told = dict(part.split('=', 1) for part in detail.split(',') if '=' in part)
    card = path / 'README.md'
    if card.is_file():
        print('\n' + '\n'.join(_read_result(card.read_text('utf-8'))))
    print(f'\nThe run is in {path}: README.md, learning_curve.png, metrics.csv, snapshots')
    learned = learner.parameters.get('roles')
    roles = [str(role) for role in learned] if isinstance(learned, list) else []
    player = f'{told["algorithm"]}:{path}'
    for command in commands_of_player(load(word), word, player, roles):
        print(f'  {command}')


def _read_result(card: str) -> list[str]:
    """Return the lines of a card that tell how well the player plays."""
    lines = card.splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('| seat')), len(lines))
    last = lines.index('', first) if '' in lines[first:] else len(lines)
    rows = [line for line in lines[first:last] if not line.startswith('|---')]
    return [*rows, *(line for line in lines if line.startswith('- '))]


VERB = Verb(
    name='selfplay',
    group=Group.TRAIN,
    summary='train a player as ROS 2 nodes',
    description=__doc__,
    examples="""
    gdl selfplay                                         tic-tac-toe, one learner for all roles
    gdl selfplay connect_four --episodes 20000 --lanes 64
    gdl selfplay tictactoe o:=copy                       learn as x, against copies of itself
    gdl selfplay tictactoe o:=random --algorithm dqn --set n_step=3
    """,
    configure=configure,
    run=run,
)
