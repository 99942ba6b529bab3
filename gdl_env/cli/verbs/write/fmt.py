"""Bring rule files into canonical layout; comments and the spelling of names are kept.

A rule gets its head on the first line and each literal of its body on a line of its own. Files are
written in place, each one whole or not at all. A file with unbalanced parentheses is left alone.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import difflib
from pathlib import Path
import sys

from gdl_env.cli.files import write_atomically
from gdl_env.cli.game_options import add_rule_files, expand
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.errors import GdlError

STDIN = '-'


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_rule_files(parser)
    parser.add_argument(
        '--check', action='store_true', help='write nothing; exit with 1 if a file would change'
    )
    parser.add_argument(
        '--diff', action='store_true', help='write nothing; show what would change'
    )


def run(options: Namespace) -> int:
    """Lay the files out; return 1 if one cannot be parsed or, with --check, would change."""
    if STDIN in options.files:
        if options.files != [STDIN] or options.check or options.diff:
            raise UsageError("'-' (standard input to standard output) stands alone")
        return _format_stdin()
    failures = changes = 0
    for path in expand(options.files):
        try:
            changes += _format_file(path, options)
        except GdlError as error:
            failures += 1
            print(error, file=sys.stderr)
    return int(failures > 0 or (options.check and changes > 0))


def _format_stdin() -> int:
    from gdl_env.language.formatter import format_source
    from gdl_env.language.source import Source

    text = sys.stdin.buffer.read().decode('utf-8-sig', errors='surrogateescape')
    result = format_source(Source(text, '<stdin>'))
    sys.stdout.flush()
    sys.stdout.buffer.write(result.encode('utf-8', errors='surrogateescape'))
    return 0


def _format_file(path: Path, options: Namespace) -> bool:
    """Lay one file out; tell whether its layout is a new one."""
    from gdl_env.language.formatter import format_source
    from gdl_env.language.source import Source

    source = Source.from_file(path)
    result = format_source(source)
    encoding = _encoding(path)
    if result.encode(encoding) == path.read_bytes():
        return False
    if options.diff:
        before, after = source.lines, result.split('\n')
        name = str(path)
        for line in difflib.unified_diff(before, after, name, f'{name} (formatted)', lineterm=''):
            print(line)
    if options.check:
        print(f'would change {path}')
    if not options.diff and not options.check:
        write_atomically(path, result, encoding)
        print(f'formatted {path}')
    return True


def _encoding(path: Path) -> str:
    """Return the encoding that `Source` reads a file with."""
    try:
        path.read_bytes().decode('utf-8')
    except UnicodeDecodeError:
        return 'latin-1'
    return 'utf-8'


VERB = Verb(
    name='fmt',
    group=Group.WRITE,
    summary='lay rule files out in the canonical way, comments kept',
    description=__doc__,
    examples="""
    gdl fmt my_game.gdl            rewrite a file
    gdl fmt games --check          for scripts: exit code 1 if a file would change
    gdl fmt my_game.gdl --diff     show what would change
    gdl fmt - < a.kif > b.gdl      from standard input to standard output
    """,
    configure=configure,
    run=run,
)
