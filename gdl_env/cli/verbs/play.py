"""Play a game at the terminal, against random players or another person, or watch.

Each ROLE=PLAYER says who plays a role: human or random. If no person is named, you play the first
role that is left; all other roles play at random. `random`, where a game has it, is chance itself.
You see what your role may see. Type help while you play.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from pathlib import Path
from random import Random
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import (
    add_engine,
    add_game,
    add_seed,
    load,
    open_engine_for,
    positive_number,
    seed_from,
)
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_env.cli.session import Player
    from gdl_env.engine.contract import Role
    from gdl_env.language.game import Game

PLAYERS = ('human', 'random')


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        'players', metavar='ROLE=PLAYER', nargs='*', help='who plays a role: human or random'
    )
    parser.add_argument(
        '--record', type=Path, metavar='FILE', help='add the match to a recording (JSON lines)'
    )
    parser.add_argument(
        '--delay',
        type=positive_number,
        default=0.0,
        metavar='SECONDS',
        help='wait after each step when nobody but the computer plays (default: not at all)',
    )
    add_seed(parser)
    add_engine(parser)


def run(options: Namespace) -> int:
    """Play one match."""
    from gdl_env.cli.session import Session
    from gdl_env.engine.interpreter import Interpreter
    from gdl_env.engine.recording import RecordingWriter

    game = load(options.game)
    kinds = assign(game, options.players)
    seed = seed_from(options)
    writer = RecordingWriter(options.record) if options.record else None
    if sys.stdin.isatty() and 'human' in kinds.values():
        # Gives the prompt a history and the arrow keys.
        import readline  # noqa: F401
    with open_engine_for(game, options) as engine, writer or nullcontext():
        match = Interpreter(engine, seed)
        if writer is not None:
            writer.start(match, seed)
        print(', '.join(f'{role}: {kind}' for role, kind in kinds.items()))
        players = {role: _make(kind, role, game, seed) for role, kind in kinds.items()}
        random = Random(f'{seed} turns')
        Session(match, players, random, writer=writer, delay=options.delay).run()
    return 0


def assign(game: Game, wanted: list[str]) -> dict[Role, str]:
    """Return who plays each role. Raises UsageError for unknown roles or players."""
    from gdl_env.engine.contract import NATURE

    roles = {str(role): role for role in game.roles if role != NATURE}
    kinds: dict[Role, str] = {}
    for text in wanted:
        name, equals, kind = text.lower().partition('=')
        if not equals:
            raise UsageError(
                f'expected ROLE=PLAYER, such as {next(iter(roles), "x")}=human, got {text!r}'
            )
        if name == str(NATURE) and NATURE in game.roles:
            raise UsageError('random is played by chance; nobody else can play it')
        if name not in roles:
            raise UsageError(f'{game.name} has no role {name!r}; its roles: {", ".join(roles)}')
        if kind not in PLAYERS:
            raise UsageError(f'no player {kind!r}; players: {", ".join(PLAYERS)}')
        if roles[name] in kinds:
            raise UsageError(f'role {name} is given twice')
        kinds[roles[name]] = kind
    left = [role for role in roles.values() if role not in kinds]
    if left and 'human' not in kinds.values():
        kinds[left[0]] = 'human'
    return {role: kinds.get(role, 'random') for role in roles.values()}


def _make(kind: str, role: Role, game: Game, seed: int) -> Player:
    from gdl_env.cli.human import Human
    from gdl_env.cli.session import RandomPlayer
    from gdl_env.engine.board import Board

    if kind == 'human':
        return Human(Board(game))
    return RandomPlayer(Random(f'{seed} {role}'))


VERB = Verb(
    name='play',
    group=Group.PLAY,
    summary='play a game at the terminal, or watch one',
    description=__doc__,
    examples="""
    gdl play tictactoe                            you play x, o plays at random
    gdl play tictactoe x=random                   you play o
    gdl play tictactoe x=human o=human            two people at one keyboard
    gdl play tictactoe x=random o=random          watch
    gdl play tictactoe --record matches.jsonl     keep the match; see gdl replay
    """,
    configure=configure,
    run=run,
)
