"""Create a new game: small, complete files that you change step by step.

The rules have types, options and comments, pass `gdl check`, and can be played at once. Kinds:
board (stones on a grid), race (along a track), dice (a race with weighted chance), cards (hidden
cards, dealt by chance), together (all players move at the same time), puzzle (one player),
cooperation (one aim for all), teams (two teams of players), economy (money, streets, a die).

Beside NAME.gdl are written: NAME.view.yaml, how the web interface draws it; NAME.recording.jsonl,
two random games that `gdl replay` checks; NAME.training.yaml, options for `gdl train`; and
NAME_agent.py, a player of your own. With --rules-only, only NAME.gdl is.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
import re
import tempfile

from gdl_env.cli.files import write_atomically
from gdl_env.cli.program import program_name
from gdl_env.cli.scaffold import (
    NAMES,
    agent,
    kinds,
    numbers_of_players,
    scaffold,
    training,
    view,
)
from gdl_env.cli.verb import Group, UsageError, Verb

_NAME = re.compile(r'[a-z][a-z0-9_]*')
# Of the games that are recorded.
_GAMES, _SEED, _LONGEST = 2, 1, 1000


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        'name', metavar='NAME', help='the name of the game: lower-case letters, digits and _'
    )
    parser.add_argument(
        '--kind', choices=kinds(), default='board', help='the kind of game (default: board)'
    )
    parser.add_argument(
        '--players',
        type=int,
        choices=range(1, len(NAMES) + 1),
        metavar='N',
        help=f'2 to {len(NAMES)} (default: 2); a puzzle has 1 player, a game of teams 4 or 6',
    )
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FILE', help='the rule file (default: NAME.gdl)'
    )
    parser.add_argument('--rules-only', action='store_true', help='write no other files')


def run(options: Namespace) -> int:
    """Write the files, and say what can be done with them."""
    if not _NAME.fullmatch(options.name):
        raise UsageError(
            f'{options.name!r} cannot be the name of a game: use lower-case letters, digits and _'
        )
    numbers = numbers_of_players(options.kind)
    players = options.players or numbers[0]
    if players not in numbers:
        allowed = ' or '.join(map(str, numbers)) if len(numbers) < 3 else f'2 to {numbers[-1]}'
        raise UsageError(f'--players {players}: a game of kind {options.kind} has {allowed}')
    path = options.output or Path(f'{options.name}.gdl')
    title = options.name.replace('_', ' ').title()
    stem = path.name.removesuffix('.gdl')
    rules = scaffold(title, options.kind, players)
    words = {
        'title': title,
        'rules': str(path),
        'training': str(path.with_name(f'{stem}.training.yaml')),
        'agent': str(path.with_name(f'{stem}_agent.py')),
        'class': ''.join(map(str.capitalize, options.name.split('_'))) + 'Player',
        'program': program_name(),
    }
    makers: dict[Path, Callable[[], str]] = {path: lambda: rules}
    if not options.rules_only:
        makers |= {
            path.with_name(f'{stem}.view.yaml'): lambda: view(title, options.kind),
            path.with_name(f'{stem}.recording.jsonl'): lambda: _record(rules, stem),
            Path(words['training']): lambda: training(words),
            Path(words['agent']): lambda: agent(words),
        }
    for each in makers:
        if each.exists():
            raise UsageError(f'{each} exists already')
    # All are made before the first is written.
    texts = {each: make() for each, make in makers.items()}
    for each, text in texts.items():
        write_atomically(each, text)
    print(f'wrote {", ".join(map(str, texts))}; check, play and train it:')
    for command in (f'check {path}', f'play {path}', f'train {_training_words(words, options)}'):
        print(f'  {program_name()} {command}')
    return 0


def _training_words(words: Mapping[str, str], options: Namespace) -> str:
    rules = words['rules']
    return rules if options.rules_only else f'{rules} --config {words["training"]}'


def _record(rules: str, name: str) -> str:
    """Return a recording of some random games."""
    from gdl_env.engine.recordings.random_games import record_random_games
    from gdl_env.engine.recordings.recording import RecordingWriter
    from gdl_env.engine.registry import open_engine
    from gdl_env.language.load import game_from_text

    with (
        tempfile.TemporaryDirectory() as folder,
        open_engine(game_from_text(rules, name)) as engine,
    ):
        path = Path(folder) / name
        with RecordingWriter(path) as writer:
            games = range(_GAMES)
            if record_random_games(engine, writer, games, _SEED, _LONGEST)[0] < _GAMES:
                raise KeyboardInterrupt
        return path.read_text('utf-8')


VERB = Verb(
    name='new',
    group=Group.WRITE,
    summary='create a new game from a small complete one',
    description=__doc__,
    examples="""
    gdl new my_game                          stones on a board, two players
    gdl new my_game --kind cards --players 3 hidden cards, three players
    """,
    configure=configure,
    run=run,
)
