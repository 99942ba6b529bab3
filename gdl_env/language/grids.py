"""Text files as facts: one for each character, with its row and its column from 1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import re

from gdl_env.errors import OptionError
from gdl_env.language.terms import Compound, Number, Symbol

SUFFIX = '.txt'
# Larger ones are no boards.
_MAX_SIDE = 200
# Characters that cannot stand for themselves in a rule.
_WORDS = {' ': 'blank', '(': 'opening', ')': 'closing', ';': 'semicolon', ':': 'colon'}
_WORDS |= {'?': 'question', '[': 'bracket', ']': 'unbracket', ',': 'comma'}


def find_grid(text: str | None, default: str, folder: Path | None) -> Path:
    """Return the file that is meant: a path, or the name of one beside the default file.

    The default itself is a path from the folder of the rules, wherever one works.
    Raises OptionError, with the names there are.
    """
    folder = folder or Path()
    home = folder / Path(default).parent
    wanted = Path(default if text is None else text).expanduser()
    candidates = [folder / wanted]
    if text is not None:
        candidates = [wanted, *candidates, home / wanted]
    for candidate in candidates:
        for path in (candidate, candidate.with_name(f'{candidate.name}{SUFFIX}')):
            if path.is_file():
                return path
    known = sorted(path.stem for path in home.glob(f'*{SUFFIX}'))
    there = f'; in {home}: {", ".join(known)}' if known else ''
    raise OptionError(f'there is no file {str(wanted)!r}{there}')


def read_grid(path: Path) -> tuple[str, ...]:
    """Return the lines of a grid without blanks at their ends. Raises OptionError."""
    try:
        text = path.read_text('utf-8-sig')
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else 'it is no UTF-8 text'
        raise OptionError(f'{path} cannot be read: {reason}') from error
    lines = [line.rstrip(' ') for line in re.split(r'\r\n|\r|\n', text)]
    while lines and not lines[-1]:
        lines.pop()
    if not any(lines):
        raise OptionError(f'{path} is empty')
    for row, line in enumerate(lines, 1):
        bad = next((column for column, c in enumerate(line, 1) if not _is_fine(c)), 0)
        if bad:
            raise OptionError(
                f'{path}:{row}:{bad}: {line[bad - 1]!r} cannot stand in a grid; allowed are'
                ' blanks and visible characters'
            )
    if max(len(lines), *map(len, lines)) > _MAX_SIDE:
        raise OptionError(f'{path} has more than {_MAX_SIDE} lines or columns')
    return tuple(lines)


def grid_facts(name: str, lines: tuple[str, ...]) -> Iterator[Compound]:
    """Yield `(name row column character)` for each character."""
    for row, line in enumerate(lines, 1):
        for column, character in enumerate(line, 1):
            yield Compound(name, (Number(row), Number(column), _term(character)))


def _is_fine(character: str) -> bool:
    return character == ' ' or (character.isprintable() and not character.isspace())


def _term(character: str) -> Symbol | Number:
    if character.isascii() and character.isdigit():
        return Number(int(character))
    if character != character.lower():
        # Capitals make no difference in rules.
        return Symbol(f'capital_{character.lower()}')
    return Symbol(_WORDS.get(character, character))
