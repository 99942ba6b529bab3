"""Turn a game into a standalone Prolog program that SWI-Prolog runs without gdl.

`swipl FILE` starts a prompt with the commands roles, state, legal, do, next, goal, terminal, undo,
reset, random and help, and in a typed game types, vector, index and action. `swipl FILE
--playouts N` plays N random games. In the program each rule is one clause, below a comment with
its source line.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
import sys

from gdl_env.cli.files import write_atomically
from gdl_env.cli.game_options import add_game, load
from gdl_env.cli.verb import Group, Verb


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FILE', help='the file to write (default: print it)'
    )


def run(options: Namespace) -> int:
    """Write the program."""
    from gdl_env.engine.prolog.transpile import transpile

    program = transpile(load(options.game))
    if options.output is None:
        sys.stdout.write(program)
    else:
        write_atomically(options.output, program)
        print(f'wrote {options.output}; run it with: swipl {options.output}', file=sys.stderr)
    return 0


VERB = Verb(
    name='prolog',
    group=Group.WRITE,
    summary='turn a game into a Prolog program that runs on its own',
    description=__doc__,
    examples="""
    gdl prolog tictactoe -o tictactoe.pl    write the program
    swipl tictactoe.pl                      play on its command line
    swipl tictactoe.pl --playouts 100       play 100 random games
    """,
    configure=configure,
    run=run,
)
