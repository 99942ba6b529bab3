"""Bodies of rules: what may stand after the head, as a small tree of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl_env.language.source import Span
from gdl_env.language.terms import (
    Compound,
    Number,
    Symbol,
    Term,
    Variable,
    substitute,
    variables,
)


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation that must hold: `(true (cell 1 1 b))`, `(line x)`, `terminal`."""

    term: Symbol | Compound

    @property
    def span(self) -> Span | None:
        """Return where the atom stands."""
        return self.term.span

    def __str__(self) -> str:
        return str(self.term)


@dataclass(frozen=True, slots=True)
class Not:
    """A formula that must not hold."""

    part: Formula
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f'(not {self.part})'


@dataclass(frozen=True, slots=True)
class And:
    """Formulas that must all hold."""

    parts: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f'(and {" ".join(map(str, self.parts))})'


@dataclass(frozen=True, slots=True)
class Or:
    """Formulas of which one must hold."""

    parts: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f'(or {" ".join(map(str, self.parts))})'


@dataclass(frozen=True, slots=True)
class Distinct:
    """Two terms that must differ."""

    left: Term
    right: Term
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f'(distinct {self.left} {self.right})'


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An arithmetic relation or comparison of the language: `(add ?a 1 ?b)`, `(less ?a ?b)`."""

    relation: str
    args: tuple[Term, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f'({" ".join((self.relation, *map(str, self.args)))})'


@dataclass(frozen=True, slots=True)
class Count:
    """The number of different solutions of a conjunction."""

    number: Term
    parts: tuple[Formula, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f'(count {" ".join(map(str, (self.number, *self.parts)))})'


Formula: TypeAlias = Atom | Not | And | Or | Distinct | Arithmetic | Count


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas directly inside a formula."""
    if isinstance(formula, Not):
        return (formula.part,)
    if isinstance(formula, And | Or | Count):
        return formula.parts
    return ()


def terms_of(formula: Formula) -> tuple[Term, ...]:
    """Return the terms directly inside a formula, not those of its parts."""
    if isinstance(formula, Atom):
        return (formula.term,)
    if isinstance(formula, Distinct):
        return (formula.left, formula.right)
    if isinstance(formula, Arithmetic):
        return formula.args
    if isinstance(formula, Count):
        return (formula.number,)
    return ()


def walk(formula: Formula) -> Iterator[Formula]:
    """Yield a formula and everything inside it, outside first."""
    yield formula
    for part in parts_of(formula):
        yield from walk(part)


def substitute_in(formula: Formula, values: Mapping[str, Symbol | Number]) -> Formula:
    """Return the formula with values in place of variables."""
    if isinstance(formula, Atom):
        term = substitute(formula.term, values)
        return Atom(term) if isinstance(term, Symbol | Compound) else formula
    if isinstance(formula, Distinct):
        left, right = (substitute(term, values) for term in (formula.left, formula.right))
        return Distinct(left, right, formula.span)
    if isinstance(formula, Arithmetic):
        args = tuple(substitute(arg, values) for arg in formula.args)
        return Arithmetic(formula.relation, args, formula.span)
    if isinstance(formula, Not):
        return Not(substitute_in(formula.part, values), formula.span)
    parts = tuple(substitute_in(part, values) for part in formula.parts)
    if isinstance(formula, Count):
        return Count(substitute(formula.number, values), parts, formula.span)
    return And(parts, formula.span) if isinstance(formula, And) else Or(parts, formula.span)


def formula_variables(formula: Formula) -> Iterator[Variable]:
    """Yield every occurrence of a variable in a formula."""
    for inner in walk(formula):
        for term in terms_of(inner):
            yield from variables(term)


def solution_variables(formula: Formula) -> Iterator[Variable]:
    """Yield the variables that a solution of a formula gives a value.

    What stands only under `not` or inside a nested `count` is local there.
    """
    if isinstance(formula, Not) and not isinstance(formula.part, Distinct):
        return
    for term in terms_of(formula):
        yield from variables(term)
    if not isinstance(formula, Count):
        for part in parts_of(formula):
            yield from solution_variables(part)


def atoms(formula: Formula, is_negative: bool = False) -> Iterator[tuple[Atom, bool]]:
    """Yield each atom, and whether it stands where more facts can make the rule hold less.

    That is so under `not` and under `count`; both need the atom's relation to be complete first,
    so two `not` do not make it positive again.
    """
    if isinstance(formula, Atom):
        yield formula, is_negative
    inside = is_negative or isinstance(formula, Not | Count)
    for part in parts_of(formula):
        yield from atoms(part, inside)
