"""Check rule files and show every problem with its place and what is allowed there.

Errors keep a game from being loaded; warnings and notes do not. Where a value may leave the range
that its rule declares, the game is played for a moment to see whether it does. The exit code is 1
if there is an error (with --strict: or a warning) or nothing to check by one of the names, else 0.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
import json
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import add_rule_files, expand_one
from gdl_env.cli.verb import Group, Verb
from gdl_env.errors import GameNotFoundError, OptionError, SourceError

if TYPE_CHECKING:
    from gdl_env.language.diagnostics import Diagnostic
    from gdl_env.language.source import Source


# A rule file, and the options to check it with.
_File = tuple[Path, tuple[tuple[str, str], ...]]


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_rule_files(parser)
    parser.add_argument(
        '--json', action='store_true', help='print all findings as one JSON object'
    )
    parser.add_argument(
        '-q', '--quiet', action='store_true', help='show errors only, and no summary'
    )
    parser.add_argument('--strict', action='store_true', help='warnings count as errors')


def run(options: Namespace) -> int:
    """Check the files; return 1 if one has errors."""
    from gdl_env.language.load import without_collection

    with without_collection():
        return _check_all(options)


def _check_all(options: Namespace) -> int:
    files, missing = _find(options.files)
    counts = Counter(error=len(missing))
    findings = [_complaint(name, 'not-found', message) for name, message in missing.items()]
    if not options.json:
        for message in missing.values():
            print(f'gdl: {message}', file=sys.stderr)
    for path, chosen in files:
        try:
            source, diagnostics = _check(path, dict(chosen))
        except (SourceError, OptionError) as error:
            counts['error'] += 1
            code = 'option' if isinstance(error, OptionError) else 'unreadable'
            findings.append(_complaint(str(path), code, str(error)))
            if not options.json:
                print(f'{error}', file=sys.stderr)
            continue
        for finding in diagnostics:
            severity = finding.severity.value
            counts[severity] += 1
            findings.append(finding.to_dict(source))
            if not options.json and not (options.quiet and severity != 'error'):
                print(finding.render(source))
    if options.json:
        _print_json(len(files), counts, findings)
    elif not options.quiet:
        print(_summary(len(files), counts))
    return int(counts['error'] > 0 or (options.strict and counts['warning'] > 0))


def _find(names: list[str]) -> tuple[list[_File], dict[str, str]]:
    """Return the rule files that names stand for, and for each name without one what is wrong."""
    from gdl_env.language.families.designation import Designation
    from gdl_env.language.paths import is_folder

    found: list[_File] = []
    missing: dict[str, str] = {}
    for name in names:
        try:
            paths = expand_one(name)
            chosen = () if is_folder(Path(name)) else tuple(Designation.read(name).options.items())
        except (GameNotFoundError, OptionError) as error:
            missing[name] = str(error)
            continue
        if not paths:
            missing[name] = f'there is no rule file (.gdl or .kif) in the folder {name}'
        found += [(path, chosen) for path in paths]
    return list(dict.fromkeys(found)), missing


def _complaint(file: str, code: str, message: str) -> dict[str, object]:
    """Return a finding that has no place in its file."""
    return {'file': file, 'severity': 'error', 'code': code, 'message': message}


def _check(path: Path, chosen: dict[str, str]) -> tuple[Source, list[Diagnostic]]:
    from gdl_env.language.diagnostics import has_errors
    from gdl_env.language.load import read_game
    from gdl_env.language.source import Source

    source = Source.from_file(path)
    game, diagnostics = read_game(source, chosen)
    if game.is_typed and not has_errors(diagnostics):
        from gdl_env.engine.range_probe import probe_ranges, probe_types

        diagnostics = (*diagnostics, *probe_ranges(game), *probe_types(game))
    return source, sorted(diagnostics, key=lambda finding: finding.span.start)


def _print_json(files: int, counts: Counter[str], findings: list[dict[str, object]]) -> None:
    result = {
        'files': files,
        'errors': counts['error'],
        'warnings': counts['warning'],
        'notes': counts['note'],
        'findings': findings,
    }
    print(json.dumps(result, indent=2, ensure_ascii=False))


def _summary(files: int, counts: Counter[str]) -> str:
    found = [_number(counts[kind], kind) for kind in ('error', 'warning', 'note') if counts[kind]]
    return f'{_number(files, "file")}: {", ".join(found) or "no problems"}'


def _number(count: int, noun: str) -> str:
    return f'{count} {noun}' if count == 1 else f'{count} {noun}s'


VERB = Verb(
    name='check',
    group=Group.WRITE,
    summary='show every problem of rule files, with its place and what is allowed',
    description=__doc__,
    examples="""
    gdl check my_game.gdl           one file
    gdl check 'hex(size=5)'         a game of a family
    gdl check games --strict        all rule files of a folder; warnings fail too
    gdl check my_game.gdl --json    for editors and scripts
    """,
    configure=configure,
    run=run,
)
