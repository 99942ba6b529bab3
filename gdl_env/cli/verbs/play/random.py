"""Play many games of random moves and summarise how they ended.

A role wins if no role has a higher goal and one has a lower one, alone or together with others; it
draws if all have the same goal, and loses otherwise. Alone in the game, it wins with 100.

Games that give a role no goal do not count for it. Standard errors follow the sign ±.

In a state that is not terminal some role must have a move. If a game reaches a state without
moves, the command shows that state and the moves that led to it, and exits with 1.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import json
from time import perf_counter
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import (
    add_engine,
    add_game,
    add_random_games,
    add_seed,
    load,
    open_engine_for,
    seed_from,
)
from gdl_env.cli.progress import track
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, Verb

if TYPE_CHECKING:
    from gdl_env.cli.statistics import Share, Summary


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    add_random_games(parser, 100)
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    add_seed(parser)
    add_engine(parser)


def run(options: Namespace) -> int:
    """Play the games and print the result."""
    from gdl_env.cli.statistics import summarise

    game = load(options.game)
    seed = seed_from(options)
    start = perf_counter()
    with open_engine_for(game, options) as engine:
        playouts = engine.playouts(options.number, seed, options.max_steps)
        shown = track(playouts, options.number, game.name)
        summary = summarise(shown, engine.roles, options.max_steps)
        seconds = perf_counter() - start
        if options.json:
            print(json.dumps(_to_dict(game.name, seed, seconds, summary), indent=2))
        else:
            _print(game.name, seconds, summary)
        if summary.stuck:
            from gdl_env.engine.dead_ends import report_dead_end

            report_dead_end(engine, seed, options.max_steps)
    return 0


def _print(name: str, seconds: float, summary: Summary) -> None:
    print(f'{summary.games} games of {name}, {summary.steps} steps each, in {seconds:.1f} s')
    if summary.cut:
        print(f'{summary.cut} of them were stopped before their end and do not count below')
    if summary.stuck:
        print(f'{summary.stuck} of them came to a dead end and do not count below')
    for result in summary.roles:
        if result.without_goal:
            games = 'game' if result.without_goal == 1 else 'games'
            print(f'{result.without_goal} {games} gave {result.role} no goal')
    print()
    print_table(
        ('role', 'mean goal#', 'won#', '', 'drawn#', '', 'lost#', ''),
        (
            (
                result.role,
                '-' if result.goal is None else result.goal,
                *_cells(result.wins),
                *_cells(result.draws),
                *_cells(result.losses),
            )
            for result in summary.roles
        ),
    )
    print()
    print_table(
        (*(f'{r.role}#' for r in summary.roles), 'games#', 'share'),
        (
            (*('-' if goal is None else goal for goal in goals), share.count, share)
            for goals, share in summary.outcomes
        ),
        title='Goals at the end:',
    )


def _cells(share: Share) -> tuple[object, object]:
    return share.count if share.total else '-', share


def _to_dict(name: str, seed: int, seconds: float, summary: Summary) -> dict[str, object]:
    roles = [str(result.role) for result in summary.roles]
    return {
        'game': name,
        'seed': seed,
        'games': summary.games,
        'cut': summary.cut,
        'stuck': summary.stuck,
        'seconds': round(seconds, 3),
        'steps': vars(summary.steps),
        'roles': {
            str(result.role): {
                'goal': None if result.goal is None else vars(result.goal),
                'won': result.wins.count,
                'drawn': result.draws.count,
                'lost': result.losses.count,
                'without_goal': result.without_goal,
            }
            for result in summary.roles
        },
        'outcomes': [
            {
                'goals': dict(zip(roles, goals, strict=True)),
                'games': share.count,
                'share': share.value,
                'error': share.error,
            }
            for goals, share in summary.outcomes
        ],
    }


VERB = Verb(
    name='random',
    group=Group.PLAY,
    summary='play many random games and summarise the results',
    description=__doc__,
    examples="""
    gdl random connect_four -n 1000        1,000 games
    gdl random tictactoe -n 50 --seed 7    the same 50 games each time
    gdl random tictactoe --json            for scripts
    """,
    configure=configure,
    run=run,
)
