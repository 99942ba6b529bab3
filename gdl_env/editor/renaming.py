"""New names for relations, terms, types, options and variables."""

from __future__ import annotations

import re

from gdl_env.editor.index import GRID_PLACES, Index, Kind, Occurrence
from gdl_env.errors import GdlError
from gdl_env.language.checker.report import arguments
from gdl_env.language.diagnostics import Edits
from gdl_env.language.families.options import OPTION
from gdl_env.language.keywords import KEYWORDS, NOOP, RANDOM
from gdl_env.language.source import Span

# What the grammar takes for one name.
_NAME = re.compile(r'[^\s();:?\[\],\uFEFF][^\s();:\[\],\uFEFF]*')
_OPTION_NAME = re.compile(r'[A-Za-z_]\w*')
_INTEGER = re.compile(r'0|-?[1-9]\d*')
_SPECIAL = {NOOP: 'the move that never alters the state', RANDOM: 'the role of chance'}
_RESERVED = frozenset({*KEYWORDS, OPTION, '<=', *_SPECIAL})


class RenameError(GdlError):
    """A name cannot be changed, or not into that one."""


def renamed_span(index: Index, occurrence: Occurrence) -> Span:
    """Return the part of a name that can be changed. Raises RenameError for fixed names."""
    name = occurrence.name
    if index.is_keyword(occurrence):
        raise RenameError(f"'{name}' is a keyword of the language")
    if occurrence.kind is Kind.TERM and name in _SPECIAL:
        raise RenameError(f"'{name}' is {_SPECIAL[name]}")
    if occurrence.kind is Kind.TERM and _is_in_grid(index, occurrence):
        raise RenameError(f"'{name}' stands for a character of a text file")
    is_made = (name, occurrence.arity) in index.made_by_options
    is_maker = any(name == made for made, _ in index.made_by_options)
    if (occurrence.kind is Kind.RELATION and is_made) or (
        occurrence.kind is Kind.OPTION and is_maker
    ):
        raise RenameError(
            f"'{name}' is an option that makes facts; other names in the rules follow from it"
        )
    is_derived = all(
        other.owner != OPTION or not other.is_head for other in index.same(occurrence)
    )
    if occurrence.kind is Kind.OPTION and is_derived:
        raise RenameError(f"this file declares no option '{name}'")
    start = occurrence.span.start + (occurrence.kind is Kind.VARIABLE)
    return Span(start, occurrence.span.end)


def _is_in_grid(index: Index, occurrence: Occurrence) -> bool:
    grids = {name for name, count in index.made_by_options if count == GRID_PLACES}
    return any(o.owner in grids and o.argument == GRID_PLACES - 1 for o in index.same(occurrence))


def rename(index: Index, occurrence: Occurrence, new_name: str) -> Edits:
    """Return the changes that give a thing another name. Raises RenameError."""
    renamed_span(index, occurrence)
    name = new_name.strip()
    if occurrence.kind is Kind.VARIABLE:
        name = name.removeprefix('?')
    _check_writing(occurrence, name)
    if name.lower() != occurrence.name:
        _check_clash(index, occurrence, name.lower())
    return tuple((renamed_span(index, other), name) for other in index.same(occurrence))


def _check_writing(occurrence: Occurrence, name: str) -> None:
    form = _OPTION_NAME if occurrence.kind is Kind.OPTION else _NAME
    if not form.fullmatch(name):
        raise RenameError(f"'{name}' cannot be a name: no blanks, parentheses, colons or brackets")
    if occurrence.kind is Kind.VARIABLE:
        return
    if _INTEGER.fullmatch(name):
        raise RenameError(f"'{name}' is a number")
    if name.lower() in _RESERVED:
        raise RenameError(f"'{name}' has a meaning of its own in the language")


def _check_clash(index: Index, occurrence: Occurrence, name: str) -> None:
    for kind, other, arity, form in index.by_key:
        if kind is not occurrence.kind or other != name:
            continue
        if kind is Kind.VARIABLE:
            if form == occurrence.form:
                raise RenameError(f"this rule has a variable '?{name}' already")
            continue
        line = index.source.position(index.by_key[kind, other, arity, form][0].span.start)[0]
        shape = f' with {arguments(arity)}' if kind is Kind.RELATION else ''
        raise RenameError(f"there is a {kind.value} '{name}'{shape} already, on line {line}")
