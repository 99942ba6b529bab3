"""How names and terms are written in Prolog."""

from __future__ import annotations

import re

_PLAIN_ATOM = re.compile(r'[a-z][a-zA-Z0-9_]*')


def atom(name: str) -> str:
    """Return a name as an atom, in quotes where it needs them."""
    if _PLAIN_ATOM.fullmatch(name):
        return name
    escaped = name.replace('\\', '\\\\').replace("'", "\\'")
    # A line end would end the text.
    plain = (c if c.isprintable() else f'\\x{ord(c):x}\\' for c in escaped)
    return f"'{''.join(plain)}'"


def apply(name: str, args: list[str]) -> str:
    """Return a name applied to arguments; an atom where there are none."""
    return f'{atom(name)}({", ".join(args)})' if args else atom(name)


def slots(arity: int) -> list[str]:
    """Return different variables, one for each argument."""
    return [f'A{index}' for index in range(1, arity + 1)]
