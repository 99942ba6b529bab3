"""Every name of a rule file: what it names, and where.

Relations, terms and types are three worlds: `(mark x)`, `(true (mark x))` and `mark:?m` have
nothing to do with each other. A function and a constant of the same name differ by their number of
arguments, as relations do. A variable lives within its form.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
import re
from typing import TypeAlias

from gdl_env.language.families.options import OPTION
from gdl_env.language.formulas import Atom, Formula, parts_of, terms_of
from gdl_env.language.game import Game, Rule
from gdl_env.language.keywords import KEYWORDS
from gdl_env.language.load import build_game
from gdl_env.language.parser import SyntaxTree, parse
from gdl_env.language.source import Source, Span
from gdl_env.language.terms import (
    Compound,
    Range,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    name_of,
)
from gdl_env.language.types import TypeSystem

RULE = '<='
_WORD = re.compile(r'[A-Za-z_]\w*')
_TYPE_PLACES = {'type': 1, 'typemap': 1, 'typecombine': 3}
# Relations that an option brings into being, by the function around its values.
GRID_PLACES = 3
_MADE_BY = {'list': 2, 'grid': GRID_PLACES}


class Kind(Enum):
    """What a name names."""

    RELATION = 'relation'
    TERM = 'term'
    VARIABLE = 'variable'
    TYPE = 'type'
    OPTION = 'option'


# Kind, name, number of arguments, and for a variable its form.
Key: TypeAlias = tuple[Kind, str, int, int]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A name at one place."""

    kind: Kind
    name: str
    arity: int
    # Of the name alone.
    span: Span
    # The number of its form in the file.
    form: int
    # The name of the list around it, and its place there, from 0.
    owner: str = ''
    argument: int = 0
    # It stands in a fact or the head of a rule.
    is_head: bool = False

    @property
    def key(self) -> Key:
        """Return what all occurrences of the same thing share."""
        form = self.form if self.kind is Kind.VARIABLE else -1
        return self.kind, self.name, self.arity, form


@dataclass(frozen=True)
class Index:
    """All names of one version of a file, in the order of the text."""

    source: Source
    tree: SyntaxTree
    game: Game
    occurrences: tuple[Occurrence, ...]

    @classmethod
    def of(cls, source: Source) -> Index:
        """Read a text; what cannot be read has no names."""
        tree = parse(source)
        game = build_game(tree)
        collector = _Collector(source, game)
        for number, rule in enumerate(game.rules):
            collector.add_rule(number, rule)
        found = sorted(collector.found, key=lambda occurrence: occurrence.span.start)
        index = cls(source, tree, game, tuple(found))
        # All that takes time for a large file is done here, where nobody waits.
        _ = source.lines, source.position(0), index.by_key, index.types
        _ = index._starts, index._rule_starts
        return index

    @cached_property
    def types(self) -> TypeSystem:
        """Return the declared types."""
        return TypeSystem.from_game(self.game)

    @cached_property
    def by_key(self) -> dict[Key, list[Occurrence]]:
        """Return the occurrences of each thing."""
        found: dict[Key, list[Occurrence]] = {}
        for occurrence in self.occurrences:
            found.setdefault(occurrence.key, []).append(occurrence)
        return found

    @cached_property
    def _starts(self) -> list[int]:
        return [occurrence.span.start for occurrence in self.occurrences]

    def at(self, offset: int) -> Occurrence | None:
        """Return the name at an offset, or the one that ends there."""
        place = bisect_right(self._starts, offset) - 1
        if place < 0 or offset > self.occurrences[place].span.end:
            return None
        return self.occurrences[place]

    def same(self, occurrence: Occurrence) -> list[Occurrence]:
        """Return all occurrences of what a name names, the given one included."""
        return self.by_key[occurrence.key]

    def rule_at(self, offset: int) -> int | None:
        """Return the number of the rule or fact around an offset."""
        place = bisect_right(self._rule_starts, offset) - 1
        if place < 0 or offset > self.game.rules[place].span.end:
            return None
        return place

    def occurrences_of_form(self, number: int) -> tuple[Occurrence, ...]:
        """Return the names in a rule or fact."""
        span = self.game.rules[number].span
        first = bisect_left(self._starts, span.start)
        return self.occurrences[first : bisect_left(self._starts, span.end)]

    @cached_property
    def _rule_starts(self) -> list[int]:
        return [rule.span.start for rule in self.game.rules]

    def is_keyword(self, occurrence: Occurrence) -> bool:
        """Tell whether the language gives a name its meaning."""
        if (occurrence.kind, occurrence.name, occurrence.arity) == (Kind.TERM, 'sees', 2):
            return occurrence.owner in {'init', 'next', 'true', 'base'}
        if occurrence.kind is not Kind.RELATION or occurrence.name in self.game.redefined:
            return False
        return occurrence.name in KEYWORDS or occurrence.name in {RULE, OPTION}

    @cached_property
    def made_by_options(self) -> dict[tuple[str, int], Rule]:
        """Return the relations that lists and grids bring into being, and where."""
        found = {}
        for rule in self.game.rules:
            args = args_of(rule.head)
            if name_of(rule.head) == OPTION and len(args) > 1 and name_of(args[1]) in _MADE_BY:
                found[name_of(args[0]), _MADE_BY[name_of(args[1])]] = rule
        return found


@dataclass
class _Collector:
    source: Source
    game: Game
    found: list[Occurrence] = field(default_factory=list)
    _form: int = 0
    _is_head: bool = False

    def add_rule(self, number: int, rule: Rule) -> None:
        self._form = number
        if rule.is_arrow:
            self._add(Kind.RELATION, RULE, len(rule.body) + 1, rule.span)
        self._is_head = True
        self._add_relation(rule.head)
        self._is_head = False
        for formula in rule.body:
            self._add_formula(formula)

    def _add_formula(self, formula: Formula) -> None:
        if isinstance(formula, Atom):
            self._add_relation(formula.term)
            return
        if formula.span is not None:
            span = self.source.name_span(formula.span)
            name = self.source.excerpt(span).lower()
            count = len(terms_of(formula)) + len(parts_of(formula))
            self._add(Kind.RELATION, name, count, span)
            self._add_terms(terms_of(formula), name)
        for part in parts_of(formula):
            self._add_formula(part)

    def _add_relation(self, term: Symbol | Compound) -> None:
        args = args_of(term)
        self._add(Kind.RELATION, term.name, len(args), term.span)
        types = 0
        if self.game.is_typed and term.name not in self.game.redefined:
            types = _TYPE_PLACES.get(term.name, 0)
        for place, arg in enumerate(args):
            if isinstance(arg, Symbol) and place < types:
                self._add(Kind.TYPE, arg.name, 0, arg.span, term.name, place)
            elif isinstance(arg, Symbol) and term.name == OPTION and place == 0:
                self._add(Kind.OPTION, arg.name, 0, arg.span, term.name, place)
            elif term.name == OPTION and name_of(arg) in _MADE_BY:
                self._add_terms(args_of(arg), name_of(arg))
            else:
                self._add_term(arg, term.name, place)

    def _add_terms(self, terms: Iterable[Term], owner: str) -> None:
        for place, term in enumerate(terms):
            self._add_term(term, owner, place)

    def _add_term(self, term: Term, owner: str, place: int) -> None:
        if isinstance(term, Symbol):
            self._add(Kind.TERM, term.name, 0, term.span, owner, place)
        elif isinstance(term, Variable):
            self._add(Kind.VARIABLE, term.name, 0, term.span, owner, place)
        elif isinstance(term, Compound):
            self._add(Kind.TERM, term.name, len(term.args), term.span, owner, place)
            self._add_terms(term.args, term.name)
        elif isinstance(term, Typed):
            if isinstance(term.type, Symbol):
                self._add(Kind.TYPE, term.type.name, 0, term.type.span, owner, place)
            else:
                self._add_bounds(term.type)
            self._add_term(term.term, owner, place)
        elif isinstance(term, Range):
            self._add_bounds(term)

    def _add_bounds(self, term: Range) -> None:
        """Add the options in a range such as [1,size]."""
        if term.bounds is None or term.span is None:
            return
        for match in _WORD.finditer(self.source.text, term.span.start, term.span.end):
            self._add(Kind.OPTION, match.group().lower(), 0, Span(*match.span()), '[')

    def _add(
        self,
        kind: Kind,
        name: str,
        arity: int,
        span: Span | None,
        owner: str = '',
        argument: int = 0,
    ) -> None:
        if span is None:
            return
        place = self.source.name_span(span) if kind in {Kind.RELATION, Kind.TERM} else span
        self.found.append(
            Occurrence(kind, name, arity, place, self._form, owner, argument, self._is_head)
        )
