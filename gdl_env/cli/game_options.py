"""The arguments that several verbs share, and what they stand for."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from pathlib import Path
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl_env.engine.contract import Engine
    from gdl_env.language.game import Game


GAME_HELP = "a rule file or the name of a known game; with options: 'hex(size=7)'"


def add_game(parser: ArgumentParser) -> None:
    """Add the argument GAME."""
    parser.add_argument('game', metavar='GAME', help=GAME_HELP)


def add_rule_files(parser: ArgumentParser) -> None:
    """Add the arguments FILE …: rule files, folders or names."""
    parser.add_argument(
        'files',
        metavar='FILE',
        nargs='+',
        help='a rule file, a folder (all its .gdl and .kif files) or the name of a game',
    )


def add_engine(parser: ArgumentParser) -> None:
    """Add the options that choose and limit an engine."""
    parser.add_argument(
        '--engine', default='auto', metavar='NAME', help='the engine to use (default: auto)'
    )
    parser.add_argument(
        '--time-limit',
        type=positive_number,
        default=30.0,
        metavar='SECONDS',
        help='the longest time one question to the rules may take (default: 30)',
    )


def add_seed(parser: ArgumentParser) -> None:
    """Add the option --seed."""
    parser.add_argument(
        '--seed',
        type=int,
        metavar='NUMBER',
        help='the same number gives the same moves (default: a new one each time, printed)',
    )


def add_mapping(parser: ArgumentParser, default: str | None = 'auto') -> None:
    """Add the option --mapping."""
    parser.add_argument(
        '--mapping',
        default=default,
        metavar='NAME',
        help='from facts to vectors: auto, typed, inferred, or a class of yours as module:Class or'
        ' file.py:Class (default: auto)',
    )


def add_random_games(parser: ArgumentParser, number: int) -> None:
    """Add the options -n and --max-steps, of verbs that play games of random moves."""
    parser.add_argument(
        '-n',
        '--number',
        type=positive_count,
        default=number,
        metavar='N',
        help=f'the number of games (default: {number})',
    )
    parser.add_argument(
        '--max-steps',
        type=positive_count,
        default=10_000,
        metavar='STEPS',
        help='stop a game that has not ended by then (default: 10000)',
    )


def load(name: str) -> Game:
    """Load a game by path or name, with or without options.

    Raises GameNotFoundError, OptionError, SourceError or GameError.
    """
    from gdl_env.language.load import open_game

    return open_game(name)


def open_engine_for(game: Game, options: Namespace) -> Engine:
    """Open the engine that the options ask for. Raises EngineUnavailableError."""
    from gdl_env.engine.registry import open_engine

    return open_engine(game, options.engine, time_limit=options.time_limit)


def seed_from(options: Namespace) -> int:
    """Return the seed asked for, or a fresh one, printed so that the run can be repeated."""
    if isinstance(options.seed, int):
        return options.seed
    from random import SystemRandom

    seed = SystemRandom().randrange(1_000_000)
    print(f'seed {seed}', file=sys.stderr)
    return seed


def expand(names: Iterable[str]) -> list[Path]:
    """Return the rule files that names, paths and folders stand for, each once.

    Raises GameNotFoundError or OptionError.
    """
    return list(dict.fromkeys(path for name in names for path in expand_one(name)))


def expand_one(name: str) -> list[Path]:
    """Return the rule files that a name, a path or a folder stands for; a folder may have none.

    Raises GameNotFoundError or OptionError.
    """
    from gdl_env.language.families.designation import Designation
    from gdl_env.language.library import rule_files
    from gdl_env.language.paths import is_folder

    path = Path(name)
    return rule_files(path, is_deep=True) if is_folder(path) else [Designation.read(name).path()]


def positive_number(text: str) -> float:
    """Read a number above 0. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float('inf'):
        raise ArgumentTypeError(f'expected a number above 0, got {text!r}')
    return value


def count_from_zero(text: str) -> int:
    """Read a whole number that is not below 0. Raises ArgumentTypeError."""
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f'expected a whole number from 0 on, got {text!r}')
    return int(text)


def positive_count(text: str) -> int:
    """Read a whole number above 0. Raises ArgumentTypeError."""
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise ArgumentTypeError(f'expected a whole number above 0, got {text!r}')
    return int(text)


def positive_time(text: str) -> float:
    """Read a time in seconds, above 0. Raises ArgumentTypeError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float('inf'):
        raise ArgumentTypeError(f'expected a time above 0 in seconds, got {text!r}')
    return seconds
