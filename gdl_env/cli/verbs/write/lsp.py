"""Serve an editor: the Language Server Protocol on standard input and output.

Your editor starts this command. It then shows the findings of `gdl check` as you type, explains
names, finds definitions and references, renames, completes, formats as `gdl fmt` does, lists an
outline and offers quick fixes. doc/editor.md shows how to set up VS Code, Neovim, Emacs and Helix.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdl_env.cli.verb import Group, UsageError, Verb


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        '--stdio',
        action='store_true',
        help='the default and only transport; accepted because some editors pass it',
    )


def run(options: Namespace) -> int:
    """Serve until the editor ends it."""
    import sys

    from gdl_env.requirements import PYGLS, require

    require('gdl lsp', PYGLS)
    if sys.stdin.isatty():
        raise UsageError(
            'gdl lsp is started by an editor, see doc/editor.md; for people there is gdl check'
        )
    from gdl_env.cli.main import version
    from gdl_env.editor.server import run_server

    run_server(version())
    return 0


VERB = Verb(
    name='lsp',
    group=Group.WRITE,
    summary='serve an editor: findings as you type, completion, rename, and more',
    description=__doc__,
    examples="""
    gdl lsp            what an editor starts, see doc/editor.md
    """,
    configure=configure,
    run=run,
)
