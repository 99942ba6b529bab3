"""Play agents against each other and print how often each one wins.

Every agent plays N games in every role against every other agent. In games with more than two
roles, the opponent plays all remaining roles. A single agent plays against random players. Every
share comes with its 95 % confidence interval.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from itertools import permutations
import json
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import (
    add_game,
    add_mapping,
    add_seed,
    load,
    positive_count,
    seed_from,
)
from gdl_env.cli.learning import SCORE_HEADERS, score_cells
from gdl_env.cli.tables import print_table
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_agents.agent import Agent
    from gdl_env.environment.score import Score


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        'agents',
        metavar='AGENT',
        nargs='+',
        help='name[:detail] or file.py:Class[:detail]; see gdl agents',
    )
    parser.add_argument(
        '-n',
        '--number',
        type=positive_count,
        default=1000,
        metavar='N',
        help='games per role and opponent (default: 1000)',
    )
    parser.add_argument(
        '--lanes',
        type=positive_count,
        default=128,
        metavar='N',
        help='games played at the same time (default: 128)',
    )
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    add_mapping(parser)
    add_seed(parser)


def run(options: Namespace) -> int:
    """Play the matches and print a table."""
    from gdl_agents.learning.training.evaluation import Arena
    from gdl_env.environment.score import Score

    seed = seed_from(options)
    names: list[str] = options.agents
    players = [_open(name) for name in names]
    if len(players) == 1:
        names, players = [*names, 'random'], [*players, _open('random')]
    game = load(options.game)
    lanes = min(options.lanes, options.number)
    if any(player.wants_text for player in players):
        lanes = 1
    arena = Arena(game, lanes, mapping=options.mapping)
    if len(arena.roles) < 2:
        raise UsageError(f'{game.name} has one role only: there is no opponent to play against')
    rows: list[tuple[str, str, str, Score]] = []
    for one, two in permutations(range(len(players)), 2):
        if len(options.agents) == 1 and one == 1:
            continue
        scores = arena.seat_in_turn(
            partial(_seat, players[one]),
            options.number,
            seed,
            make_other=partial(_seat, players[two]),
        )
        total = Score()
        for role, score in scores.items():
            rows.append((names[one], names[two], role, score))
            total += score
        rows.append((names[one], names[two], 'all', total))
    arena.close()
    if options.json:
        print(json.dumps([_to_dict(*row) for row in rows], indent=2))
        return 0
    print_table(
        ('agent', 'against', 'seat', *SCORE_HEADERS),
        ((agent, other, role, *score_cells(score)) for agent, other, role, score in rows),
    )
    return 0


def _open(name: str) -> Agent:
    from gdl_agents.registry import open_agent

    return open_agent(name)


def _seat(agent: Agent, role: str) -> Agent:
    return agent


def _to_dict(agent: str, other: str, role: str, score: Score) -> dict[str, object]:
    return {'agent': agent, 'against': other, 'seat': role, **vars(score)}


VERB = Verb(
    name='eval',
    group=Group.TRAIN,
    summary='play agents against each other and compare them',
    description=__doc__,
    examples="""
    gdl eval tictactoe rainbow:runs/tictactoe/rainbow-selfplay-1     against random players
    gdl eval tictactoe rainbow:runs/tictactoe/rainbow-gate-1@3 legal   at difficulty level 3
    gdl eval tictactoe mine.py:LastMove                  an agent of your own
    """,
    configure=configure,
    run=run,
)
