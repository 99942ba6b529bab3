"""Record games of random moves as JSON lines, to test rules and engines with `gdl replay`.

FILE is written once all games have ended; after ctrl-C it holds the games that ended before. With
--append, each line is added to FILE at once. `gdl play --record FILE` records games that people
play.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from pathlib import Path
import sys

from gdl_env.cli.files import replacing
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
from gdl_env.cli.verb import Group, Verb
from gdl_env.errors import DeadEndError


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        '-o', '--output', type=Path, required=True, metavar='FILE', help='the file to write'
    )
    add_random_games(parser, 1)
    parser.add_argument(
        '--append', action='store_true', help='add to FILE instead of replacing it'
    )
    parser.add_argument(
        '--short',
        action='store_true',
        help='write the changes of each step instead of whole states',
    )
    add_seed(parser)
    add_engine(parser)


def run(options: Namespace) -> int:
    """Play and record the games."""
    from gdl_env.engine.recordings.random_games import record_random_games
    from gdl_env.engine.recordings.recording import RecordingWriter

    game = load(options.game)
    seed = seed_from(options)
    target = nullcontext(options.output) if options.append else replacing(options.output)
    with (
        open_engine_for(game, options) as engine,
        target as path,
        RecordingWriter(path, is_short=options.short, final_path=options.output) as writer,
    ):
        games = track(range(options.number), options.number, engine.game.name)
        count, dead_end = record_random_games(engine, writer, games, seed, options.max_steps)
    print(f'recorded {count} of {options.number} games in {options.output}', file=sys.stderr)
    if dead_end is not None:
        raise DeadEndError(f'{game.name}: {dead_end}')
    return 0 if count == options.number else 130


VERB = Verb(
    name='record',
    group=Group.PLAY,
    summary='record random games as JSON lines',
    description=__doc__,
    examples="""
    gdl record tictactoe -n 20 -o tictactoe.jsonl             20 games
    gdl record tictactoe -n 5 -o tictactoe.jsonl --append     5 more
    gdl replay tictactoe.jsonl                                check them against the rules
    """,
    configure=configure,
    run=run,
)
