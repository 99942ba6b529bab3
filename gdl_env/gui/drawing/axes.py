"""Coordinates: which values can be the columns or rows of a board, and in which order."""

from __future__ import annotations

from collections.abc import Iterable
import re

LARGEST = 30
# Words for a coordinate that runs from left to right, and for one that runs downward.
ACROSS = frozenset({'x', 'c', 'col', 'column', 'file', 'f'})
DOWN = frozenset({'y', 'r', 'row', 'rank', 'line'})
# Letter and number in one: e4.
_SQUARE = re.compile(r'([a-z])(\d{1,2})')
_PREFIXED = re.compile(r'([a-z_]+?)(\d{1,2})')


def to_axis(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values in their order, gaps between numbers closed; () if they are no axis."""
    found = set(values)
    if not 2 <= len(found) <= LARGEST:
        return ()
    if all(value.isdecimal() and len(value) <= 2 for value in found):
        numbers = [int(value) for value in found]
        if max(numbers) - min(numbers) >= LARGEST:
            return ()
        return tuple(str(number) for number in range(min(numbers), max(numbers) + 1))
    if all(len(value) == 1 and value.isascii() and value.isalpha() for value in found):
        letters = ''.join(sorted(found))
        is_row = ord(letters[-1]) - ord(letters[0]) == len(letters) - 1
        # A board may be known in part only; but `b` `x` `o` are no coordinates.
        return tuple(letters) if is_row and letters[0] <= 'i' else ()
    matches = [_PREFIXED.fullmatch(value) for value in found]
    prefixes = {match.group(1) for match in matches if match}
    if all(matches) and len(prefixes) == 1:
        prefix = prefixes.pop()
        return tuple(sorted(found, key=lambda value: int(value[len(prefix) :])))
    return ()


def split_square(text: str) -> tuple[str, str] | None:
    """Return letter and number of a square in one word, such as e4."""
    found = _SQUARE.fullmatch(text)
    return (found.group(1), found.group(2)) if found else None


def bare_name(name: str) -> str:
    """Return the name of a variable without what tells it from its like: column2 is a column."""
    words = re.split(r'[_\d]+', name.lower())
    return next((word for word in words if word in ACROSS | DOWN), words[0])
