"""Pieces of C++ text, and the names of variables in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import TypeAlias

Lines: TypeAlias = list[str]
# The C++ names of the variables that have a value.
Env: TypeAlias = Mapping[str, str]
# Writes what comes next, once more variables have a value.
Then: TypeAlias = Callable[[Env], Lines]


class Fresh:
    """Names that are used once in a function."""

    def __init__(self) -> None:
        self._numbers = count()

    def __call__(self, prefix: str) -> str:
        """Return a name that begins with a prefix."""
        return f'{prefix}{next(self._numbers)}'


def block(opening: str, inner: Lines) -> Lines:
    """Return lines in braces behind an opening; nothing where there is nothing to do inside."""
    return [f'{opening} {{', *inner, '}'] if inner else []


def test(inner: Lines) -> str:
    """Return an expression that runs lines which `return true` as soon as they succeed."""
    if not inner:
        return 'false'
    if inner == ['return true;']:
        return 'true'
    return '\n'.join(('[&]() -> bool {', *inner, 'return false;', '}()'))


def indent(lines: Iterable[str]) -> str:
    """Return lines as text, indented by their braces."""
    depth = 0
    result = []
    for line in '\n'.join(lines).split('\n'):
        if line.startswith('}'):
            depth -= 1
        result.append('  ' * depth + line)
        if line.endswith('{'):
            depth += 1
    return '\n'.join(result) + '\n'
