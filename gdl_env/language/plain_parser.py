"""A quick way through texts with nothing unusual in them: names, numbers, variables and lists.

The grammar decides what a text means. This reads the large part of it that most files keep to, ten
times as fast, and gives up on everything else: annotations, ranges, and all that is wrong.
"""

from __future__ import annotations

import re

from gdl_env.language.source import Span
from gdl_env.language.terms import Compound, Number, Symbol, Term, Variable

_TOKEN = re.compile(r'(;[^\r\n]*)|([^\s();\uFEFF]+)|(\()|(\))')
_COMMENT, _WORD, _OPEN = 1, 2, 3
_INTEGER = re.compile(r'0|-?[1-9]\d*')


def parse_plain(text: str, most_digits: int, most_depth: int) -> list[Term] | None:
    """Return the forms of a text with their places; None where it takes the grammar."""
    items: list[Term] = []
    outer: list[tuple[list[Term], int]] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastindex
        if kind == _WORD:
            start, end = match.span()
            word = _read_word(text[start:end], Span(start, end), most_digits)
            if word is None:
                return None
            items.append(word)
        elif kind == _OPEN:
            outer.append((items, match.start()))
            items = []
            if len(outer) >= most_depth:
                return None
        elif kind != _COMMENT:
            if not outer or not items or not isinstance(items[0], Symbol | Number):
                return None
            inner = items
            items, start = outer.pop()
            span = Span(start, match.end())
            name = str(inner[0])
            items.append(
                Compound(name, tuple(inner[1:]), span) if len(inner) > 1 else Symbol(name, span)
            )
    return None if outer else items


def _read_word(word: str, span: Span, most_digits: int) -> Term | None:
    first = word[0]
    if ':' in word or first == '[' or len(word) > most_digits:
        return None
    if first == '?':
        return Variable(word[1:].lower(), span) if len(word) > 1 else None
    if (first.isdigit() or first == '-') and _INTEGER.fullmatch(word):
        return Number(int(word), span)
    return Symbol(word.lower(), span)
