"""A rule of one relation, and formulas rewritten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gdl_env.language.formulas import And, Arithmetic, Atom, Count, Distinct, Formula, Not, Or
from gdl_env.language.terms import Compound, Symbol, Term, erase_types


@dataclass(frozen=True)
class Clause:
    """The arguments of a head, and what must hold."""

    head: tuple[Term, ...]
    body: tuple[Formula, ...]


def map_atoms(formula: Formula, change: Callable[[Atom], Formula]) -> Formula:
    """Return a formula with every atom replaced."""
    if isinstance(formula, Atom):
        return change(formula)
    if isinstance(formula, Not):
        return Not(map_atoms(formula.part, change), formula.span)
    if isinstance(formula, And | Or):
        parts = tuple(map_atoms(part, change) for part in formula.parts)
        return type(formula)(parts, formula.span)
    if isinstance(formula, Count):
        parts = tuple(map_atoms(part, change) for part in formula.parts)
        return Count(formula.number, parts, formula.span)
    return formula


def erase(formula: Formula) -> Formula:
    """Return a formula without type annotations."""
    if isinstance(formula, Atom):
        term = erase_types(formula.term)
        assert isinstance(term, Symbol | Compound), 'an annotation is no atom'
        return Atom(term)
    if isinstance(formula, Not):
        return Not(erase(formula.part), formula.span)
    if isinstance(formula, And | Or):
        return type(formula)(tuple(map(erase, formula.parts)), formula.span)
    if isinstance(formula, Distinct):
        return Distinct(erase_types(formula.left), erase_types(formula.right), formula.span)
    if isinstance(formula, Arithmetic):
        return Arithmetic(formula.relation, tuple(map(erase_types, formula.args)), formula.span)
    return Count(erase_types(formula.number), tuple(map(erase, formula.parts)), formula.span)
