"""Lists in parentheses, as the GGP protocol nests them: also lists that begin with a list."""

from __future__ import annotations

import re

from gdl_agents.errors import AgentError

# A comment runs to the end of its line.
_TOKEN = re.compile(r';[^\n]*|[()]|[^\s();]+')


class ProtocolError(AgentError):
    """A message that the GGP protocol does not know."""


def split_list(text: str) -> tuple[str, ...]:
    """Return the items of a list, each as text: `(a (b c) ())` has `a`, `(b c)` and `()`.

    An atom is a list of no items if it is `nil`. Raises ProtocolError for anything else.
    """
    words = [word for word in _TOKEN.findall(text) if not word.startswith(';')]
    if len(words) == 1 and words[0].lower() == 'nil':
        return ()
    if not words or words[0] != '(' or words[-1] != ')':
        raise ProtocolError(f'expected a list in parentheses, got {shorten(text)!r}')
    items: list[list[str]] = []
    depth = 0
    for word in words[1:-1]:
        if depth == 0:
            items.append([])
        depth += (word == '(') - (word == ')')
        if depth < 0:
            break
        items[-1].append(word)
    if depth:
        raise ProtocolError(f'the parentheses are not balanced in {shorten(text)!r}')
    return tuple(_join(item) for item in items)


def shorten(text: str, most: int = 120) -> str:
    """Return the beginning of a text, for messages."""
    return text if len(text) <= most else f'{text[:most]}…'


def _join(words: list[str]) -> str:
    return ' '.join(words).replace('( ', '(').replace(' )', ')')
