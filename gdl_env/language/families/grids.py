"""Text files as facts: one for each character, with its row and its column from 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
import re

from gdl_env.errors import OptionError
from gdl_env.language.library import game_folders
from gdl_env.language.paths import is_file
from gdl_env.language.terms import Compound, Number, Symbol, Term, args_of, name_of

SUFFIX = '.txt'
_ONE = 'one'
# What a declaration may ask of a grid.
LIMITS = (_ONE, 'at_most_one')
# Larger ones are no boards.
_MAX_SIDE = 200
# Characters that cannot stand for themselves in a rule.
_WORDS = {' ': 'blank', '(': 'opening', ')': 'closing', ';': 'semicolon', ':': 'colon'}
_WORDS |= {'?': 'question', '[': 'bracket', ']': 'unbracket', ',': 'comma'}


def find_grid(text: str | None, default: str, rules: Path | None, is_trusted: bool = True) -> Path:
    """Return the file that is meant: a path, or the name of one beside the default file.

    The default itself is a path from the folder of the rule file, wherever one works. It stays
    below that folder, or a folder of games: rules that come from others read no other files.
    What the user chooses may be any file; a choice that is not trusted is kept to those folders,
    too. Raises OptionError, with the names there are.
    """
    folder = rules.parent if rules is not None else Path()
    if text is None:
        _check_inside(folder / Path(default).expanduser(), rules)
    home = folder / Path(default).parent
    wanted = Path(default if text is None else text).expanduser()
    candidates = [folder / wanted]
    if text is not None:
        candidates = [wanted, *candidates] if is_trusted else candidates
        if _is_inside(home, rules):
            candidates.append(home / wanted)
    for candidate in candidates:
        for path in (candidate, candidate.with_name(f'{candidate.name}{SUFFIX}')):
            if is_file(path):
                if text is None or not is_trusted:
                    # Only here: a link can only be followed once it is known.
                    _check_inside(path, rules)
                return path
    known = []
    if _is_inside(home, rules):
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


@dataclass(frozen=True)
class GridLimit:
    """Characters of which a grid may hold one, all of them together."""

    characters: tuple[Symbol | Number, ...]
    # Whether one of them must be there.
    is_required: bool

    def check(self, path: Path, lines: tuple[str, ...]) -> None:
        """Raise OptionError at the second of them, or where there is none but must be one."""
        found = [
            (row, column)
            for row, line in enumerate(lines, 1)
            for column, character in enumerate(line, 1)
            if _term(character) in self.characters
        ]
        which = ' '.join(map(str, self.characters))
        if len(found) > 1:
            (first_row, first_column), (row, column) = found[:2]
            raise OptionError(
                f'{path}:{row}:{column}: {lines[row - 1][column - 1]!r} is one too many: the grid'
                f' may hold one of {which}, and has one in line {first_row}, column {first_column}'
            )
        if self.is_required and not found:
            raise OptionError(f'{path}:1:1: the grid holds none of {which}, but must hold one')


def read_limit(term: Term) -> GridLimit | None:
    """Read `(one character …)` or `(at_most_one character …)`; None where it is neither."""
    characters = tuple(arg for arg in args_of(term) if isinstance(arg, Symbol | Number))
    if name_of(term) not in LIMITS or not characters or len(characters) != len(args_of(term)):
        return None
    return GridLimit(characters, name_of(term) == _ONE)


def _check_inside(path: Path, rules: Path | None) -> None:
    """Raise OptionError if rules name a file that is not theirs to read."""
    if not _is_inside(path, rules):
        allowed = ', '.join(dict.fromkeys(map(str, _roots(rules)))) or 'none'
        raise OptionError(
            f'{str(path)!r} is outside the folders whose files rules may name ({allowed}); a file'
            ' elsewhere can only be chosen by the user: GAME(option=file)'
        )


def _is_inside(path: Path, rules: Path | None) -> bool:
    real = path.resolve()
    return any(real.is_relative_to(root) for root in _roots(rules))


def _roots(rules: Path | None) -> list[Path]:
    """Return the folders whose files rules may name, without links."""
    # A rule file that is a link, as colcon installs it, has its files where it leads to.
    own = [] if rules is None else [rules.parent.resolve(), rules.resolve().parent]
    return [*own, *(folder.resolve() for folder in game_folders())]


def _is_fine(character: str) -> bool:
    return character == ' ' or (character.isprintable() and not character.isspace())


def _term(character: str) -> Symbol | Number:
    if character.isascii() and character.isdigit():
        return Number(int(character))
    if character != character.lower():
        # Capitals make no difference in rules.
        return Symbol(f'capital_{character.lower()}')
    return Symbol(_WORDS.get(character, character))
