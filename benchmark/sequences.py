"""Sequence players beside those of Rouneau (2017): trained from data sets, and played.

    python benchmark/sequences.py connect_four --games 100000
    python benchmark/sequences.py lazerbike --games 50000 --network transformer
    python benchmark/sequences.py connect_four --player RUN     plays a run that is there already
    python benchmark/sequences.py connect_four --write-doc      puts the table into the page

`--games` are all games that are learned from, made by `gdl data GAME AGENT… --how imitation`. In
matches the player sits on every seat in turn. As in the thesis, players and the random opponent
have the same help (`guard`): in Connect Four a win is taken and a loss is blocked, in Lazerbike no
bike drives to its end if it can avoid that. Rows without a guard show the network alone.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from dataclasses import dataclass
import json
from math import sqrt
from pathlib import Path
import sys
from time import process_time

from doc_parts import write_part
from machine import describe_machine

from gdl_agents.data.data_folder import DataFolder
from gdl_agents.data.job import DataJob
from gdl_agents.data.make import make_data
from gdl_agents.learning.sequence.agent import SequenceAgent
from gdl_agents.learning.training.config_file import make_config, read_settings
from gdl_agents.learning.training.derived_options import derive_options, describe_given
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.learning.training_runs import begin_run
from gdl_agents.registry import open_agent
from gdl_env.cli.game_options import load
from gdl_env.language.game import Game

_SURE = 1.96


@dataclass(frozen=True)
class Case:
    """What the thesis did in a game, and what is done here."""

    # Whose games are learned from, and how likely a random move is tried beside one of theirs.
    agents: tuple[str, ...]
    extra: float
    guard: str
    # By opponent: what the best network of the thesis won, and what is to be reached [%].
    opponents: dict[str, tuple[float, float]]
    # Games that the thesis made.
    games: int


CASES = {
    'connect_four': Case(
        ('tactical',),
        0.1,
        'tactical',
        {'tactical': (70.9, 85.0), 'alphabeta:depth=4': (30.3, 50.0)},
        11_663_347,
    ),
    'lazerbike': Case(
        ('lookahead',),
        0.1,
        'lookahead',
        {'lookahead': (58.7, 58.7), 'alphabeta:depth=4': (48.8, 48.8)},
        1_537_371,
    ),
}


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument('game', choices=CASES)
    parser.add_argument('--games', type=int, default=100_000, help='games that are learned from')
    parser.add_argument('--endings', type=int, default=2, help='of each game')
    parser.add_argument('--agents', nargs='+', help='whose games are learned from')
    parser.add_argument('--network', default='lstm')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--player', default='', metavar='RUN', help='plays; nothing is trained')
    parser.add_argument('--matches', type=int, default=1_000, help='games with each seat')
    parser.add_argument('--opponents', nargs='+', metavar='AGENT')
    parser.add_argument('--folder', type=Path, default=Path('sequences'))
    parser.add_argument('--write-doc', action='store_true', help='write doc/benchmarks.md')
    options = parser.parse_args()
    game, case = load(options.game), CASES[options.game]
    started = process_time()
    player = options.player or _train(game, case, options)
    lines = [
        '| player | opponent | games | won | drawn | lost | won of all, 95 % | thesis | wanted |',
        '|---|---|---:|---:|---:|---:|---|---:|---:|',
    ]
    if not options.player:
        print(f'trained in {process_time() - started:.0f} CPU s', flush=True)
    print('\n'.join(lines), flush=True)
    for opponent in options.opponents or case.opponents:
        for guard in (case.guard, ''):
            lines.append(_play(game, player, guard, opponent, options))
            print(lines[-1], flush=True)
    text = '\n'.join([*lines, '', f'Measured on {json.dumps(describe_machine())}.'])
    if options.write_doc:
        name = options.game
        write_part(
            text,
            f'<!-- sequences {name}: written by benchmark/sequences.py -->',
            f'<!-- sequences {name}: end -->',
        )
    return 0


def _train(game: Game, case: Case, options: Namespace) -> str:
    """Make the data set, unless it is there, and a run; return its folder."""
    agents = tuple(options.agents or case.agents)
    folder = options.folder / f'{options.game}-{options.games}-{options.seed}'
    job = DataJob(
        options.game,
        game.hash,
        'imitation',
        options.seed,
        options.games // options.endings,
        options.endings,
        extra=case.extra if options.endings > 1 else 0.0,
        agents=agents,
    )
    about = make_data(game, job, DataFolder(folder))
    print(f'{about["rows"]} of {about["command"]}', flush=True)
    told = {
        'game': options.game,
        'algorithm': 'sequence',
        'network': options.network,
        'seed': options.seed,
        'levels': 0,
        'snapshots': 1,
        'evaluation_games': 10,
        'final_games': 10,
        'learner': {'data': str(folder.resolve())},
    }
    given = told, read_settings(options.set)
    derived = derive_options(game, describe_given(*given))
    run = begin_run(game, make_config(derived.options(), *given), options.folder / 'runs')
    run.run()
    run.trainer.close()
    return str(run.folder.path)


def _play(game: Game, player: str, guard: str, opponent: str, options: Namespace) -> str:
    """Return a row: the player on every seat in turn."""
    detail = f'{player} guard={guard}' if guard else player
    arena = Arena(game)
    scores = arena.seat_in_turn(
        lambda role: SequenceAgent(detail),
        options.matches,
        options.seed,
        make_other=lambda role: open_agent(opponent),
    )
    arena.close()
    games = sum(score.games for score in scores.values())
    wins = sum(score.wins for score in scores.values())
    draws = sum(score.draws for score in scores.values())
    share = wins / games
    half = _SURE * sqrt(share * (1 - share) / games)
    thesis, wanted = CASES[options.game].opponents.get(opponent, (float('nan'),) * 2)
    shown = f'with `{guard}`' if guard else 'network alone'
    return (
        f'| {shown} | `{opponent}` | {games:,} | {wins:,} | {draws:,} | {games - wins - draws:,} |'
        f' {share:.1%} ({share - half:.1%} to {share + half:.1%}) | {thesis} % | {wanted} % |'
    )


if __name__ == '__main__':
    sys.exit(main())
