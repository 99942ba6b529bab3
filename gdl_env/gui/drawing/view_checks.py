"""Checks of what is written in view files; errors name the place and what is allowed there."""

from __future__ import annotations

from collections.abc import Mapping
import difflib
import re
from typing import Any

from gdl_env.gui.drawing.errors import ViewError

# Keys that hold colours, and what these are: no addresses, which a page would load.
_PAINTS = ('fill', 'edge', 'colour')
_COLOUR = re.compile(r'#[0-9a-f]{3,8}|[a-z]+|(?:rgb|hsl)a?\([\w\s.,%/+-]*\)', re.IGNORECASE)


def check_mapping(data: Any, allowed: tuple[str, ...], place: str) -> Mapping[str, Any]:
    """Return a mapping that has no other keys. Raises ViewError."""
    if not isinstance(data, dict):
        raise ViewError(f'{place}: expected keys with values; allowed: {", ".join(allowed)}')
    for key in data:
        if key not in allowed:
            raise ViewError(f'{place}: unknown key {key!r}{suggest(str(key), allowed)}')
    return data


def read_argument(told: Mapping[str, Any], key: str, place: str) -> int | None:
    """Return the number of an argument, counted from 0; None if it is not given."""
    if key not in told:
        return None
    value = told[key]
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 20:
        raise ViewError(f'{place}: {key} should be the number of an argument, from 1')
    return value - 1


def read_flag(told: Mapping[str, Any], key: str, place: str) -> bool | None:
    """Return true or false; None if it is not given."""
    value = told.get(key)
    if value is not None and not isinstance(value, bool):
        raise ViewError(f'{place}: {key} should be true or false')
    return value


def read_texts(told: Mapping[str, Any], place: str) -> dict[str, str]:
    """Return texts by key; some are colours."""
    return {
        key: (read_colour if key in _PAINTS else read_text)(value, f'{place}: {key}')
        for key, value in told.items()
    }


def read_colour(value: Any, place: str) -> str:
    """Return a colour that loads nothing."""
    text = read_text(value, place)
    if text and _COLOUR.fullmatch(text) is None:
        raise ViewError(f"{place}: {text!r} is no colour; write '#2f6fd8', a name, or rgb(…)")
    return text


def read_text(value: Any, place: str) -> str:
    """Return a text, or a number as one."""
    if isinstance(value, dict | list | bool) or value is None:
        raise ViewError(f'{place} should be a text (put quotes around #colours)')
    return str(value)


def suggest(wanted: str, known: tuple[str, ...]) -> str:
    """Return what may have been meant, and what is allowed."""
    similar = difflib.get_close_matches(wanted.lower(), known, n=1)
    meant = f'; did you mean {similar[0]}?' if similar else ''
    return f'{meant} (allowed: {", ".join(known)})'


def read_number(told: Mapping[str, Any], key: str, place: str, otherwise: int) -> int:
    """Return a whole number."""
    value = told.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ViewError(f'{place}: {key} should be a whole number')
    return value


def read_words(told: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    """Return a list of words."""
    value = told.get(key, [])
    if not isinstance(value, list):
        raise ViewError(f'{place}: {key} should be a list, such as [one, two]')
    return tuple(read_text(word, f'{place}: {key}') for word in value)


def read_names(value: Any, place: str) -> dict[str, str]:
    """Return texts by names that authors choose."""
    if not isinstance(value, dict):
        raise ViewError(f'{place} should hold names, each with a text')
    return {str(name): read_text(one, f'{place}: {name}') for name, one in value.items()}
