"""A quick way through texts with nothing unusual in them: names, numbers, variables, types, lists.

The grammar decides what a text means. This reads the large part of it that most files keep to, ten
times as fast, and gives up on everything else: colons without a type, and all that is wrong.
"""

from __future__ import annotations

from functools import partial
import re
import sys

from gdl_env.language.source import Span
from gdl_env.language.terms import Compound, Number, Range, Symbol, Term, Typed, Variable

# Plain names, variables and numbers, which most words are, have groups of their own: this loop
# runs once for each word of a file, and a call for each would take half of its time.
_TOKEN = re.compile(
    r"""(\()|(\))
      | ([A-Za-z_<][^\s();:\uFEFF]{0,200})(?=[\s()])
      | \?([^\s();:\uFEFF]{1,200})(?=[\s()])
      | (0|-?[1-9][0-9]{0,17})(?=[\s()])
      | (\[\s*[\w-]+\s*,\s*[\w-]+\s*\][^\s();\uFEFF]*|[^\s();\uFEFF]+)
      | (;[^\r\n]*)""",
    re.VERBOSE,
)
_OPEN, _CLOSE, _SYMBOL, _VARIABLE, _NUMBER, _WORD, _COMMENT = range(1, 8)
_INTEGER = re.compile(r'0|-?[1-9]\d*')
# A type or a range, and the value behind it; or a range alone.
_BOUND = r'(-?[0-9]+|[A-Za-z_]\w*)'
_RANGE = re.compile(rf'\[\s*{_BOUND}\s*,\s*{_BOUND}\s*\]')
_TYPED = re.compile(rf'([A-Za-z_][\w-]*|{_RANGE.pattern}):(\?[\w-]+|-?\w+)')
_BOUND_NUMBER = re.compile('-?[0-9]+')


def parse_plain(
    text: str, most_digits: int, most_depth: int, start: int = 0, end: int = sys.maxsize
) -> list[Term] | None:
    """Return the forms of a part of a text with their places; None where it takes the grammar."""
    if '\ufeff' in text and '[' in text:
        # A range ends at other blanks only.
        return None
    items: list[Term] = []
    outer: list[tuple[list[Term], int]] = []
    # Quicker than `Span(…)`: this runs once for each word.
    make_span = partial(tuple.__new__, Span)
    for match in _TOKEN.finditer(text, start, end):
        kind = match.lastindex
        if kind == _OPEN:
            outer.append((items, match.start()))
            items = []
            if len(outer) >= most_depth:
                return None
        elif kind == _CLOSE:
            if not outer or not items or not isinstance(items[0], Symbol | Number):
                return None
            name, *inner = items
            items, opening = outer.pop()
            span = make_span((opening, match.end()))
            items.append(
                Compound(str(name), tuple(inner), span) if inner else Symbol(str(name), span)
            )
        elif kind == _SYMBOL:
            items.append(Symbol(match[0].lower(), make_span(match.span())))
        elif kind == _VARIABLE:
            items.append(Variable(match[_VARIABLE].lower(), make_span(match.span())))
        elif kind == _NUMBER:
            items.append(Number(int(match[0]), make_span(match.span())))
        elif kind == _WORD:
            word = _read_word(match[0], make_span(match.span()), most_digits)
            if word is None:
                return None
            items.append(word)
    return None if outer else items


def _read_word(word: str, span: Span, most_digits: int) -> Term | None:
    first = word[0]
    if len(word) > most_digits:
        return None
    if ':' in word:
        return _read_typed(word, span)
    if first == '[':
        bounds = _RANGE.fullmatch(word)
        return bounds and _read_range(bounds[1], bounds[2], span)
    if first == '?':
        return Variable(word[1:].lower(), span) if len(word) > 1 else None
    if (first.isdigit() or first == '-') and _INTEGER.fullmatch(word):
        return Number(int(word), span)
    return Symbol(word.lower(), span)


def _read_typed(word: str, span: Span) -> Typed | None:
    """Read a value behind its type; None where it takes the grammar."""
    match = _TYPED.fullmatch(word)
    if match is None:
        return None
    name, low, high, value = match.groups()
    start = span.start + match.start(4)
    # The place of a range includes its colon.
    kind = (
        Symbol(name.lower(), Span(span.start, start - 1))
        if low is None
        else _read_range(low, high, Span(span.start, start))
    )
    if kind is None or (value[0] == '-' and not _INTEGER.fullmatch(value)):
        return None
    term = _read_word(value, Span(start, span.end), len(value))
    assert isinstance(term, Symbol | Number | Variable)
    return Typed(kind, term, span)


def _read_range(low: str, high: str, span: Span) -> Range | None:
    """Read a range by its bounds; None if it holds no number."""
    if not (_BOUND_NUMBER.fullmatch(low) and _BOUND_NUMBER.fullmatch(high)):
        return Range(0, 0, span, (low.lower(), high.lower()))
    first, last = int(low), int(high)
    return Range(first, last, span) if first <= last else None
