"""Explain why a move is illegal: the rules that could allow it, and the literals that fail.

The state is the initial one, or the one after the moves of --after. Each of these is one step:
a move as in `gdl play`, or `role=move` where several roles move. The exit code is 0 if the move is
legal, else 1.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import add_engine, add_game, load, open_engine_for
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_env.engine.contract import Move, Role
    from gdl_env.engine.interpreter import Interpreter


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument('move', metavar='MOVE', help="a move: '(mark 1 1)'")
    parser.add_argument(
        '--role', metavar='ROLE', help='the role that moves (default: the role whose turn it is)'
    )
    parser.add_argument(
        '--after',
        nargs='*',
        default=[],
        metavar='MOVE',
        help="the steps before: '(mark 2 2)', or 'x=(mark 2 2)' for each role that moves",
    )
    add_engine(parser)


def run(options: Namespace) -> int:
    """Print the explanation; return 1 if the move is illegal."""
    from gdl_env.engine.explanation.explain import explain_move
    from gdl_env.engine.interpreter import Interpreter
    from gdl_env.language.reader import read_term

    game = load(options.game)
    with open_engine_for(game, options) as engine:
        match = Interpreter(engine, seed=0)
        for step in options.after:
            match.step(_read_step(match, step))
        actors = match.actors() or match.roles
        named = {str(role): role for role in match.roles}
        if options.role and options.role not in named:
            raise UsageError(f'no role {options.role!r}; roles: {", ".join(named)}')
        role = named[options.role] if options.role else actors[0]
        try:
            move = read_term(options.move)
        except ValueError as error:
            raise UsageError(f'{options.move!r} is no move: {error}') from error
        found = explain_move(game, match.state, role, move)
    print('\n'.join(found.lines()))
    return 0 if found.is_legal else 1


def _read_step(match: Interpreter, text: str) -> dict[Role, Move]:
    """Return the moves of a step: of the role whose turn it is, or of those that are named."""
    from gdl_env.language.reader import read_term

    actors = {str(role): role for role in match.actors()}
    given = dict(word.split('=', 1) for word in text.split(',') if '=' in word)
    if not given:
        if len(actors) != 1:
            raise UsageError(f'{text!r}: {", ".join(actors)} move; write ROLE={text},ROLE=…')
        given = {next(iter(actors)): text}
    try:
        return {actors[role]: read_term(move) for role, move in given.items()}
    except KeyError as error:
        raise UsageError(f'{text!r}: {error.args[0]} has no move there') from error
    except ValueError as error:
        raise UsageError(f'{text!r} is no move: {error}') from error


VERB = Verb(
    name='why',
    group=Group.WRITE,
    summary='explain from the rules why a move is illegal',
    description=__doc__,
    examples="""
    gdl why tictactoe '(mark 4 4)'                                    at the beginning
    gdl why tictactoe '(mark 2 2)' --after '(mark 2 2)'               after a move
    gdl why othello pass --role white                                 for another role
    """,
    configure=configure,
    run=run,
)
