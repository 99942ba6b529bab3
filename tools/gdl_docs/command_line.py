"""The command line as a page, made from what the verbs print as their help."""

from __future__ import annotations

from contextlib import redirect_stdout, suppress
import io
import os
from unittest.mock import patch

from gdl_env.cli.main import build_parser, find_verbs

_COLUMNS = '100'


def describe_verbs() -> str:
    """Return Markdown about every verb: what it does, its options, examples."""
    lines: list[str] = []
    verbs = find_verbs()
    parser = build_parser(verbs)
    group = None
    for verb in verbs:
        if verb.group is not group:
            group = verb.group
            lines += [f'## {group.value}', '']
        lines += [f'### gdl {verb.name}', '', f'{verb.summary[:1].upper()}{verb.summary[1:]}.', '']
        # The width of lines comes from the terminal otherwise.
        with (
            patch.dict(os.environ, {'COLUMNS': _COLUMNS}),
            redirect_stdout(io.StringIO()) as printed,
            suppress(SystemExit),
        ):
            parser.parse_args([verb.name, '--help'])
        lines += ['```text', printed.getvalue().rstrip(), '```', '']
    return '\n'.join(lines)
