"""Facts as a person likes to read them: boards where a relation looks like one, else lists.

A relation is a board if its facts have two coordinates and a content, such as `(cell 1 1 x)` or
`(cell e 1 white king)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
import re

from gdl_env.engine.fact_list import draw_facts
from gdl_env.language.game import Game
from gdl_env.language.terms import (
    Compound,
    Number,
    Range,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    erase_types,
    name_of,
    sort_key,
    subterms,
    variables,
)

# Words for a coordinate that runs from left to right, as authors name variables and types.
_ACROSS = frozenset({'x', 'c', 'col', 'column', 'file'})
_EMPTY = frozenset({'b', 'blank', 'empty'})
# A letter, a number, or both: a, 3, c4.
_COORDINATE = re.compile(r'[a-z]?\d*')
_LARGEST = 30
# Arguments of a cell: two coordinates, and one word or two.
_LENGTHS = frozenset({3, 4})


@dataclass
class _Axes:
    """The coordinates of one relation that are known so far."""

    first: set[Term] = field(default_factory=set)
    second: set[Term] = field(default_factory=set)
    # The rules declare both as ranges: a board even where it has no facts.
    is_declared: bool = False
    # The first coordinate runs from left to right, and the second one upward.
    is_across: bool = False

    @property
    def is_board(self) -> bool:
        sizes = len(self.first), len(self.second)
        return min(sizes) > 1 and max(sizes) <= _LARGEST


@dataclass(frozen=True)
class Grid:
    """A relation as a board: labels of columns from left to right and of rows from the top."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    # What is at (row, column), counted from 0; places without a fact are missing.
    content: Mapping[tuple[int, int], str]
    # Rows count upward, as on a chess board.
    is_upward: bool


class Board:
    """Draws the facts of one game; learns the size of its boards from rules and facts."""

    def __init__(self, game: Game) -> None:
        self._axes: dict[str, _Axes] = {}
        # Relations that were seen with two contents at one place, or without coordinates.
        self._no_boards: set[str] = set()
        for rule in game.rules:
            for outer in rule.terms():
                for term in subterms(outer):
                    self._learn_from_rule(term)
        heads = [args_of(r.head)[0] for r in game.rules if name_of(r.head) == 'init']
        self._learn(erase_types(fact) for fact in heads if not list(variables(fact)))

    def draw(self, facts: Iterable[Term], *, with_empty: bool = True) -> str:
        """Return the facts as text: boards first, then the others.

        A board that the rules declare is drawn without facts too, unless `with_empty` is False.
        """
        facts = sorted(facts, key=sort_key)
        grids = self.grids(facts, with_empty=with_empty)
        blocks = [_draw_grid(grid) for grid in grids]
        names = {grid.name for grid in grids}
        # That a place is empty, `(blank e 4)`, can be seen on the board.
        hidden = names | _EMPTY if grids else names
        others = [f for f in facts if not (_is_place(f) and name_of(f) in hidden)]
        if others or not blocks:
            blocks.append(draw_facts(others))
        return '\n\n'.join(blocks)

    def grids(self, facts: Iterable[Term], *, with_empty: bool = True) -> list[Grid]:
        """Return the facts that form boards; the size is what was ever seen or declared."""
        facts = list(facts)
        self._learn(facts)
        found = []
        for name, axes in self._axes.items():
            cells = [f for f in facts if _is_cell(f) and name_of(f) == name]
            is_shown = bool(cells) or (with_empty and axes.is_declared)
            if name not in self._no_boards and axes.is_board and is_shown:
                found.append(_to_grid(name, axes, cells))
        return found

    def _learn_from_rule(self, term: Term) -> None:
        """Take in declared ranges and the names of variables in `(cell [1,3]:?row …)`."""
        if not isinstance(term, Compound) or len(term.args) not in _LENGTHS:
            return
        first, second = term.args[:2]
        if _ACROSS & set(_names(first)):
            self._axes.setdefault(term.name, _Axes()).is_across = True
        if len(term.args) > 3:
            # As likely a move from there to there.
            return
        ranges = [_range(arg) for arg in (first, second)]
        if all(ranges):
            axes = self._axes.setdefault(term.name, _Axes())
            axes.is_declared = True
            axes.first |= set(ranges[0])
            axes.second |= set(ranges[1])

    def _learn(self, facts: Iterable[Term]) -> None:
        places: dict[tuple[str, Term, Term], tuple[Term, ...]] = {}
        for fact in facts:
            if not isinstance(fact, Compound) or len(fact.args) not in _LENGTHS:
                continue
            first, second, *rest = fact.args
            content = tuple(rest)
            place = fact.name, first, second
            if not _is_cell(fact) or places.setdefault(place, content) != content:
                self._no_boards.add(fact.name)
                continue
            axes = self._axes.setdefault(fact.name, _Axes())
            axes.first.add(first)
            axes.second.add(second)
            if isinstance(first, Symbol) and isinstance(second, Number):
                axes.is_across = True


def _to_grid(name: str, axes: _Axes, cells: list[Term]) -> Grid:
    first, second = _fill(axes.first), _fill(axes.second)
    columns, rows = (first, second[::-1]) if axes.is_across else (second, first)
    column_of = {term: index for index, term in enumerate(columns)}
    row_of = {term: index for index, term in enumerate(rows)}
    content = {}
    for cell in cells:
        one, other, *value = args_of(cell)
        x, y = (one, other) if axes.is_across else (other, one)
        content[row_of[y], column_of[x]] = ' '.join(map(str, value))
    return Grid(name, tuple(map(str, columns)), tuple(map(str, rows)), content, axes.is_across)


def is_blank(content: str) -> bool:
    """Tell whether a content means that nothing is there."""
    return content in _EMPTY


def _draw_grid(grid: Grid) -> str:
    marks = _marks(set(grid.content.values()))
    lines = [
        [
            marks[grid.content[y, x]] if (y, x) in grid.content else '.'
            for x in range(len(grid.columns))
        ]
        for y in range(len(grid.rows))
    ]
    header, labels = list(grid.columns), grid.rows
    width = max(len(text) for line in (header, *lines) for text in line)
    margin = max(map(len, labels))
    body = [_line(label, line, margin, width) for label, line in zip(labels, lines, strict=True)]
    head = _line('', header, margin, width)
    # Where rows count upward, the columns are named below, as on a chess board.
    drawn = [*body, head] if grid.is_upward else [head, *body]
    legend = [f'{mark} {text}' for text, mark in sorted(marks.items()) if mark not in {text, '.'}]
    return '\n'.join([f'{grid.name}:', *drawn, *([f'  ({", ".join(legend)})'] if legend else [])])


def _line(label: str, cells: list[str], margin: int, width: int) -> str:
    return f'  {label:>{margin}}  {" ".join(f"{cell:{width}}" for cell in cells)}'.rstrip()


def _fill(coordinates: set[Term]) -> list[Term]:
    """Return the coordinates in order, with the gaps between numbers closed."""
    numbers = [c.value for c in coordinates if isinstance(c, Number)]
    if len(numbers) == len(coordinates) and max(numbers) - min(numbers) < _LARGEST:
        return [Number(value) for value in range(min(numbers), max(numbers) + 1)]
    return sorted(coordinates, key=_natural_key)


def _natural_key(term: Term) -> tuple[object, ...]:
    """Order c2 before c10."""
    text = str(term)
    letters = text.rstrip('0123456789')
    digits = text[len(letters) :]
    return letters, int(digits or 0)


def _marks(contents: set[str]) -> dict[str, str]:
    """Return what to draw for each content: long words by their first letter, if those differ."""
    words = sorted(contents - _EMPTY)
    if any(' ' in word for word in words):
        return _short_marks(words) | dict.fromkeys(contents & _EMPTY, '.')
    initials = {word[0] for word in words}
    is_short = max(map(len, words), default=0) <= 2 or len(initials) < len(words)
    marks = {word: word if is_short else word[0] for word in words}
    return marks | dict.fromkeys(contents & _EMPTY, '.')


def _short_marks(contents: list[str]) -> dict[str, str]:
    """Return marks for contents of two words: of each as many letters as tell it from others."""
    pairs = [content.split(' ', 1) for content in contents]
    short: list[dict[str, str]] = []
    for words in ({pair[0] for pair in pairs}, {pair[-1] for pair in pairs}):
        short.append({word: _shortest(word, words - {word}) for word in words})
    return {
        content: short[0][pair[0]] + short[1][pair[-1]]
        for content, pair in zip(contents, pairs, strict=True)
    }


def _shortest(word: str, others: set[str]) -> str:
    """Return the shortest beginning of a word with which no other one begins."""
    lengths = range(1, len(word))
    return next(
        (word[:n] for n in lengths if not any(o.startswith(word[:n]) for o in others)), word
    )


def _is_cell(fact: Term) -> bool:
    args = args_of(fact)
    if len(args) not in _LENGTHS or not all(map(_is_coordinate, args[:2])):
        return False
    if len(args) == 4 and any(map(_is_coordinate, args[2:])):
        return False
    return not any(map(args_of, args[2:]))


def _is_place(fact: Term) -> bool:
    """Tell whether a fact is about a place and nothing else, or a cell."""
    args = args_of(fact)
    return _is_cell(fact) or (len(args) == 2 and all(map(_is_coordinate, args)))


def _is_coordinate(term: Term) -> bool:
    if isinstance(term, Number):
        return 0 <= term.value <= 99
    return isinstance(term, Symbol) and _COORDINATE.fullmatch(term.name) is not None


def _range(term: Term) -> list[Term]:
    if not isinstance(term, Typed) or not isinstance(term.type, Range):
        return []
    low, high = term.type.low, term.type.high
    return [Number(v) for v in range(low, high + 1)] if high - low < _LARGEST else []


def _names(term: Term) -> Iterator[str]:
    if isinstance(term, Typed):
        if isinstance(term.type, Symbol):
            yield term.type.name
        yield from _names(term.term)
    elif isinstance(term, Variable):
        yield term.name
