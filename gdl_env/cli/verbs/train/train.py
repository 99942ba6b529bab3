"""Train players of a game by reinforcement learning.

The mode chooses the opponents: `random`; `fixed:AGENT`, any agent or checkpoint; `selfplay`, a
copy of the learner that is updated from time to time; `gate`, a copy that is updated whenever the
learner beats its best score against random players; `league`, past snapshots; `together`, other
learners.

Options that are not given, the algorithm among them, are derived from the game: random games are
played first, and what they show is printed with the choices and their reasons, and kept as
training.yaml in the run, to be edited and given to --config.

The run is saved in runs/GAME/NAME: options, metrics (CSV and TensorBoard), snapshots, learning
curve and a summary of results. --resume continues a run that was stopped or killed; the result is
the same as without the interruption.

If a file names code (`reward: file.py:name`, an agent that runs a program), that code runs only if
you have used it with this file before, or with --trust. See doc/security.md.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path
import signal
from typing import TYPE_CHECKING, Any

from gdl_env.cli.game_options import GAME_HELP, add_mapping, load, positive_count, positive_time
from gdl_env.cli.learning import SCORE_HEADERS, score_cells
from gdl_env.cli.pool_options import add_pool, enter_pool
from gdl_env.cli.program import commands_of_player, program_name
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.requirements import PYTORCH, TENSORBOARD, require

if TYPE_CHECKING:
    from gdl_agents.cluster.job_pool import JobPool
    from gdl_agents.learning.networks.search import Candidate
    from gdl_agents.learning.training.config import TrainingConfig
    from gdl_agents.learning.training.derived_options import Derivation
    from gdl_agents.learning.training.run_folder import RunFolder
    from gdl_agents.learning.training.training_run import TrainingRun
    from gdl_env.language.game import Game

# Options of the command line that are options of training by the same name.
_SAME = (
    'algorithm',
    'mode',
    'role',
    'shared',
    'episodes',
    'seconds',
    'lanes',
    'actors',
    'seed',
    'name',
    'network',
    'mapping',
)


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('game', metavar='GAME', nargs='?', help=GAME_HELP)
    parser.add_argument('--resume', metavar='RUN', help='the folder of a run to resume')
    parser.add_argument(
        '--config',
        type=Path,
        metavar='FILE',
        help='a YAML file of options, such as the training.yaml of a run',
    )
    parser.add_argument(
        '--algorithm',
        metavar='NAME',
        help='rainbow, dqn, alphazero, mmd or sequence (default: what suits the game)',
    )
    parser.add_argument(
        '--data',
        type=Path,
        metavar='FOLDER',
        help='the data set to learn from (gdl data), for --algorithm sequence',
    )
    parser.add_argument('--mode', metavar='MODE', help='the opponents (default: selfplay)')
    parser.add_argument('--role', metavar='ROLE', help='the role to learn (default: all)')
    parser.add_argument(
        '--shared', metavar='WHEN', help='one network for all roles: auto, yes or no'
    )
    parser.add_argument('--episodes', type=positive_count, metavar='N', help='number of episodes')
    parser.add_argument(
        '--seconds', type=positive_time, metavar='S', help='end after this time of training'
    )
    parser.add_argument(
        '--lanes', type=positive_count, metavar='N', help='games played at the same time'
    )
    parser.add_argument(
        '--actors',
        type=positive_count,
        metavar='N',
        help='let N workers play the games, each its part of the lanes, while the learner learns',
    )
    add_pool(parser)
    parser.add_argument('--seed', type=int, metavar='NUMBER', help='seed of all random choices')
    parser.add_argument(
        '--name', metavar='NAME', help='name of the run (default: algorithm, mode and a number)'
    )
    parser.add_argument(
        '--network', metavar='NAME', help='a generator, a file, or `search` to find one'
    )
    parser.add_argument(
        '--set',
        action='append',
        default=[],
        metavar='KEY=VALUE',
        help='set any other option, such as n_step=3; may be repeated',
    )
    add_mapping(parser, default=None)
    parser.add_argument(
        '--probe', action='store_true', help='print the options for GAME, with reasons, and stop'
    )
    parser.add_argument(
        '--trust',
        action='store_true',
        help='run code that the file of --config, or the run of --resume, names',
    )
    parser.add_argument(
        '--runs',
        type=Path,
        default=Path('runs'),
        metavar='DIR',
        help='folder of all runs (default: runs)',
    )


def run(options: Namespace) -> int:
    """Train; print the results."""
    if (options.game is None) == (options.resume is None):
        raise UsageError('name a GAME to train, or a run to resume: --resume RUN')
    if options.trust and not (options.config or options.resume):
        raise UsageError('--trust is for code that a file names: --config or --resume')
    require('train', PYTORCH, TENSORBOARD)
    if options.probe:
        if options.resume:
            raise UsageError('--probe is about a GAME, not about a run')
        _, derivation = _derive(options)
        print(derivation.to_yaml(), end='')
        return 0
    with ExitStack() as stack:
        training = _resume(options, stack) if options.resume else _begin(options, stack)
        is_done = _train(training)
    path = training.folder.path
    if not is_done:
        print(f'stopped; resume with: {program_name()} train --resume {path}')
        return 130
    print(f'{path}: {training.trainer.episodes} episodes in {training.seconds:.0f} s')
    print()
    print_table(
        ('seat', *SCORE_HEADERS),
        ((role, *score_cells(score)) for role, score in training.results.items()),
        title=f'The strongest snapshot against {training.config.judge} players:',
    )
    for sentence in training.findings.sentences:
        print(sentence)
    word, player = training.config.game, f'{training.config.algorithm}:{path}'
    print('\nUse it:')
    for command in commands_of_player(load(word), word, player, list(training.results)):
        print(f'  {command}')
    return 0


def _begin(options: Namespace, stack: ExitStack) -> TrainingRun[Any]:
    from gdl_agents.learning.training.run_folder import RunFolder
    from gdl_agents.learning.training_runs import begin_run, resume_run

    config, derivation = _derive(options)
    print(derivation.explain(), flush=True)
    game = load(config.game)
    pool = enter_pool(options, config.actors, stack)
    if config.network != 'search':
        return begin_run(game, config, options.runs, derivation.to_yaml(), pool)
    folder = RunFolder.create(config, options.runs)
    folder.write_training(derivation.to_yaml())
    _search(game, folder, pool)
    return resume_run(game, folder, is_trusted=options.trust, pool=pool)


def _derive(options: Namespace) -> tuple[TrainingConfig, Derivation]:
    """Return the options of a run, and what was derived from the game."""
    from gdl_agents.learning.training.config_file import (
        make_config,
        make_fitting_config,
        read_config,
        read_settings,
    )
    from gdl_agents.learning.training.derived_options import derive_options, describe_given
    from gdl_agents.learning.training.device import open_device
    from gdl_agents.learning.training.trust import check_code
    from gdl_agents.registry import open_agent
    from gdl_env.language.families.designation import Designation

    told: dict[str, Any] = {
        name: getattr(options, name) for name in _SAME if getattr(options, name) is not None
    }
    if options.data:
        # Found again from any folder.
        told['learner'] = {'data': str(options.data.resolve())}
    from_file = read_config(options.config) if options.config else {}
    if options.config:
        check_code(options.config, make_fitting_config(from_file), is_trusted=options.trust)
    # A file is found again from any folder.
    chosen = load(options.game)
    is_file = Path(Designation.read(options.game).game).is_file()
    game_name = chosen.address if is_file else chosen.name
    sources = from_file, {'game': game_name}, told, read_settings(options.set)
    # For its errors: probing takes a while.
    wanted = make_fitting_config(*sources)
    open_device(wanted.device)
    open_agent(wanted.judge)
    given = describe_given(*sources)
    derivation = derive_options(load(given['game']), given)
    return make_config(derivation.options(), *sources), derivation


def _search(game: Game, folder: RunFolder, pool: JobPool | None) -> None:
    """Find the network of a run; print what was tried."""
    from gdl_agents.learning.networks.network_search import search_network

    def report(candidate: Candidate) -> None:
        score = f'{candidate.score:.2f}'
        if candidate.error:
            score += f' ± {candidate.interval:.2f}'
        print(f'round {candidate.round}: {candidate.spec}: {score}', flush=True)

    found = search_network(game, folder, report, pool=pool)
    print(f'continues with {found.spec} ({found.reason})', flush=True)


def _resume(options: Namespace, stack: ExitStack) -> TrainingRun[Any]:
    from gdl_agents.learning.training.run_folder import RunFolder
    from gdl_agents.learning.training_runs import resume_run

    changed = [name for name in (*_SAME, 'config', 'data') if getattr(options, name) is not None]
    if changed or options.set:
        raise UsageError(f'a run resumes with its own options: --{(changed or ["set"])[0]}')
    folder = RunFolder.open(options.resume)
    config = folder.trusted_config(is_trusted=options.trust)
    game = load(config.game)
    pool = enter_pool(options, config.actors, stack)
    if config.network == 'search':
        # It was stopped before a network was found: the search begins again.
        _search(game, folder, pool)
    return resume_run(game, folder, is_trusted=options.trust, pool=pool)


def _train(training: TrainingRun[Any]) -> bool:
    """Train until the end, or until ctrl-C or SIGTERM; return whether the end was reached."""
    from gdl_env.cli.training_progress import show_training

    handlers = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        handlers[number] = signal.signal(number, lambda *_: training.stop())
    trainer = training.trainer
    try:
        with show_training(training) as watch:
            return training.run(watch)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        trainer.close()


VERB = Verb(
    name='train',
    group=Group.TRAIN,
    summary='train players of a game',
    description=__doc__,
    examples="""
    gdl train tictactoe                                  against copies of itself
    gdl train connect_four --seconds 300                 five minutes, by what suits the game
    gdl train tictactoe --mode gate --episodes 3000      as in the toolchain of 2022
    gdl train connect_four --mode league --lanes 64      against past snapshots
    gdl train tictactoe --algorithm dqn --set n_step=3   DQN, with one part of Rainbow
    gdl train tictactoe --network search                 grow a network, then train it
    gdl train kuhn_poker --algorithm mmd                 a player that mixes and remembers
    gdl train nim --algorithm sequence --data FOLDER     from a data set of `gdl data`
    gdl train connect_four --actors 4                    games on four cores
    gdl train connect_four --actors 64 --on ray          games on a Ray cluster
    gdl train --resume runs/tictactoe/rainbow-selfplay-1
    """,
    configure=configure,
    run=run,
)
