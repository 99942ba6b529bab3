"""Serve an editor: the Language Server Protocol on standard input and output.

Editors start this themselves. They get every finding of `gdl check` as you type, explanations,
definitions and references, renaming, completion, the layout of `gdl fmt`, an outline, and quick
fixes. doc/editor.md shows how to set up VS Code, Neovim, Emacs and Helix.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from gdl_env.cli.verb import Group, UsageError, Verb


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        '--stdio', action='store_true', help='accepted for editors that pass it; the only way'
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
