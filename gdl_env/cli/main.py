"""Entry point of `gdl`: finds the verb, runs it, turns errors into words and exit codes.

0: all is well. 1: something is wrong with a game or a recording, or the output cannot be written.
2: wrong usage. 130: stopped with ctrl-C. 141: the reader of a pipe went away.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from contextlib import suppress
import difflib
import errno
from importlib import import_module
import os
from pathlib import Path
import pkgutil
import sys
from typing import TYPE_CHECKING, NoReturn

from gdl_env.cli import verbs
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.errors import GdlError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

OK, FAILURE, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141

DESCRIPTION = 'Write, check and play games in the Game Description Language (GDL).'
FOOTER = """\
A GAME is a rule file or the name of a known game: tictactoe, games/tictactoe.gdl, ./my.kif.
`gdl VERB --help` describes a verb and shows examples.
In a source checkout, `./gdl test` runs all tests, `./gdl docs` builds the documentation."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    _replace_closed_streams()
    if sys.stdout is None:
        _complain('standard output is closed')
        return FAILURE
    _accept_any_character()
    try:
        code = _run(arguments)
        # Here, where a failure can still be reported; Python itself does it after the last line.
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        _complain('stopped')
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return BROKEN_PIPE
    except OSError as error:
        # With a name it is about a file, where its reader or writer should have said so.
        if error.errno == errno.ENAMETOOLONG:
            _complain(f'the name of a file is too long: {error.filename}')
            return FAILURE
        if error.filename is not None:
            raise
        _drop_output()
        _complain(f'cannot write to standard output: {error.strerror or error}')
        return FAILURE


def _run(arguments: list[str]) -> int:
    """Run the verb; return the exit code. Lets errors of the output and ctrl-C through."""
    try:
        parser = build_parser(find_verbs())
        if not arguments:
            parser.print_help(sys.stderr)
            return USAGE
        options = parser.parse_args(arguments)
        verb: Verb = options.verb
        return verb.run(options)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else OK
    except UsageError as error:
        _complain(str(error))
        return USAGE
    except GdlError as error:
        _complain(str(error))
        return FAILURE
    except RecursionError:
        _complain('the rules or terms are nested too deeply')
        return FAILURE


def find_verbs() -> list[Verb]:
    """Return all verbs, in the order of their groups and then by name."""
    found = []
    for info in pkgutil.walk_packages(verbs.__path__, f'{verbs.__name__}.'):
        if not info.ispkg:
            verb = import_module(info.name).VERB
            assert isinstance(verb, Verb)
            found.append(verb)
    groups = list(Group)
    return sorted(found, key=lambda verb: (groups.index(verb.group), verb.name))


class _Parser(argparse.ArgumentParser):
    """Complains in the same form as everything else, and suggests a verb that is alike."""

    verb_names: tuple[str, ...] = ()

    def parse_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Parse; an unknown verb is answered with the one that was probably meant."""
        first = next((a for a in args or () if not a.startswith('-')), None)
        if self.verb_names and first is not None and first not in self.verb_names:
            similar = difflib.get_close_matches(first, self.verb_names, n=1)
            hint = f'did you mean {similar[0]}?' if similar else 'see gdl --help'
            self.error(f'there is no verb {first!r}; {hint}')
        return super().parse_args(args, namespace)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; the inherited method is silent where that fails."""
        (file or sys.stdout).write(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Print usage and message; exit with 2."""
        self.print_usage(sys.stderr)
        _complain(message)
        raise SystemExit(USAGE)


class _VerbParser(_Parser):
    """Takes options and words in any order, such as `GAME --seed 7 x=random`."""

    _is_sorting = False

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Parse options first, then all words together; a verb with parts leaves it to them."""
        if self._is_sorting or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._is_sorting = True
        try:
            return super().parse_known_intermixed_args(args, namespace)
        finally:
            self._is_sorting = False


class _Version(argparse.Action):
    def __call__(self, *_: object) -> None:
        print(f'gdl {version()}')
        raise SystemExit(OK)


def build_parser(found: list[Verb]) -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(
        prog='gdl',
        usage='gdl VERB [options]',
        description=DESCRIPTION,
        epilog=f'{_overview(found)}\n{FOOTER}',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.verb_names = tuple(verb.name for verb in found)
    parser.add_argument('--version', action=_Version, nargs=0, help='print the version and exit')
    choices = parser.add_subparsers(
        prog='gdl', metavar='VERB', help=argparse.SUPPRESS, parser_class=_VerbParser
    )
    for verb in found:
        inner = choices.add_parser(
            verb.name,
            description=verb.description,
            epilog=f'examples:\n{_indent(verb.examples)}',
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        inner.set_defaults(verb=verb)
        verb.configure(inner)
    return parser


def _overview(found: Iterable[Verb]) -> str:
    text = ''
    group = None
    found = list(found)
    width = max(len(verb.name) for verb in found)
    for verb in found:
        if verb.group is not group:
            group = verb.group
            text += f'{group.value}:\n'
        text += f'  {verb.name:{width}}  {verb.summary}\n'
        if verb is found[-1] or found[found.index(verb) + 1].group is not group:
            text += '\n'
    return text.rstrip('\n') + '\n'


def _indent(text: str) -> str:
    return ''.join(f'  {line.strip()}\n' for line in text.strip().splitlines())


def version() -> str:
    """Return the version of this package."""
    manifest = Path(__file__).resolve().parents[2] / 'package.xml'
    if manifest.is_file():
        from xml.etree import ElementTree

        return ElementTree.parse(manifest).getroot().findtext('version') or 'unknown'
    from importlib import metadata

    try:
        return metadata.version('gdl_env')
    except metadata.PackageNotFoundError:
        return 'unknown'


def _complain(message: str) -> None:
    # Standard error cannot be written either: there is no way left to report it.
    with suppress(OSError):
        print(f'gdl: {message}', file=sys.stderr)


def _drop_output() -> None:
    """Let what is still to be written vanish: Python would complain once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _replace_closed_streams() -> None:
    """Let a closed standard input be empty, and a closed standard error take everything."""
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding='utf-8')  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open('w', encoding='utf-8')  # noqa: SIM115


def _accept_any_character() -> None:
    """Print a replacement for what the terminal cannot show, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, 'reconfigure', None)
        if reconfigure is not None:
            reconfigure(errors='replace')


if __name__ == '__main__':
    sys.exit(main())
