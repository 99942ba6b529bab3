"""In which order the literals of a body can be evaluated, and which variables never get a value.

The order in which an author writes literals has no meaning. An evaluator that goes from left to
right needs one in which every `not`, `distinct`, comparison, `count` and arithmetic literal comes
after the literals that bind its variables. The same search tells the checker what is unsafe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gdl_env.language.formulas import (
    And,
    Arithmetic,
    Atom,
    Count,
    Distinct,
    Formula,
    Not,
    Or,
    formula_variables,
)
from gdl_env.language.keywords import COMPARISONS
from gdl_env.language.terms import Term, Variable, args_of, name_of, variables

Names = frozenset[str]
Cost = Callable[[Atom, Names], int]


@dataclass(frozen=True)
class Unbound:
    """A literal that cannot be evaluated because variables in it never get a value."""

    formula: Formula
    variables: tuple[Variable, ...]


@dataclass(frozen=True)
class Order:
    """An evaluation order of a conjunction, what it binds, and what could not be placed."""

    formulas: tuple[Formula, ...]
    bound: Names
    unbound: tuple[Unbound, ...]


def names(occurrences: Iterable[Variable]) -> Names:
    """Return the names of variables."""
    return frozenset(variable.name for variable in occurrences)


def order(
    body: Sequence[Formula],
    bound: Names = frozenset(),
    outside: Names = frozenset(),
    cost: Cost | None = None,
) -> Order:
    """Order a conjunction.

    `bound` are variables that have a value before it starts, `outside` are all variables that
    occur outside of it (a variable of `count` is local unless it occurs outside), `cost` says
    which of several atoms to take first (the order of writing where it is not given).
    """
    return _Search(cost).conjunction(_flatten(body), bound, outside)


def _flatten(body: Sequence[Formula]) -> list[Formula]:
    flat: list[Formula] = []
    for formula in body:
        flat += _flatten(formula.parts) if isinstance(formula, And) else [formula]
    return flat


@dataclass(frozen=True)
class _Ready:
    """A literal as it can be evaluated now: itself, ordered inside, and what it binds."""

    formula: Formula
    binds: Names
    missing: tuple[Variable, ...] = ()


@dataclass(frozen=True)
class _Search:
    cost: Cost | None

    def conjunction(self, body: list[Formula], bound: Names, outside: Names) -> Order:
        waiting = list(body)
        done: list[Formula] = []
        while waiting:
            best = self._next(waiting, bound, outside)
            if best is None:
                break
            index, ready = best
            done.append(ready.formula)
            bound |= ready.binds
            del waiting[index]
        unbound = []
        for formula in waiting:
            rest = outside | _names_of(f for f in body if f is not formula)
            ready = self._ready(formula, bound, rest)
            unbound.append(Unbound(formula, ready.missing))
        return Order((*done, *waiting), bound, tuple(unbound))

    def _next(
        self, waiting: list[Formula], bound: Names, outside: Names
    ) -> tuple[int, _Ready] | None:
        """Return the first test that can run; else the cheapest literal that binds something."""
        best: tuple[int, int, _Ready] | None = None
        for index, formula in enumerate(waiting):
            rest = outside | _names_of(f for i, f in enumerate(waiting) if i != index)
            ready = self._ready(formula, bound, rest)
            if ready.missing:
                continue
            if not isinstance(formula, Atom | Or) and ready.binds <= bound:
                return index, ready
            price = self._price(formula, bound)
            if best is None or price < best[0]:
                best = price, index, ready
        return None if best is None else best[1:]

    def _price(self, formula: Formula, bound: Names) -> int:
        if isinstance(formula, Atom):
            return 0 if self.cost is None else self.cost(formula, bound)
        # Computing a value is cheap; a disjunction is as dear as what is in it.
        return 1 if isinstance(formula, Or) and self.cost is not None else 0

    def _ready(self, formula: Formula, bound: Names, outside: Names) -> _Ready:
        if isinstance(formula, Atom):
            return self._atom(formula, bound)
        if isinstance(formula, Arithmetic):
            return self._arithmetic(formula, bound)
        if isinstance(formula, Distinct):
            return _Ready(formula, frozenset(), _missing(formula, bound))
        if isinstance(formula, Not):
            return self._not(formula, bound)
        if isinstance(formula, Count):
            return self._count(formula, bound, outside)
        if isinstance(formula, Or):
            return self._or(formula, bound, outside)
        return self._and(formula, bound, outside)

    def _atom(self, formula: Atom, bound: Names) -> _Ready:
        occurring = names(variables(formula.term))
        if name_of(formula.term) == 'typemap':
            # The rules of a typemap test a value that they are given.
            given = args_of(formula.term)[2:]
            missing = tuple(v for arg in given for v in variables(arg) if v.name not in bound)
            return _Ready(formula, occurring, missing)
        return _Ready(formula, occurring)

    def _arithmetic(self, formula: Arithmetic, bound: Names) -> _Ready:
        free = _missing(formula, bound)
        allowed = 0 if formula.relation in COMPARISONS else 1
        if len(names(free)) > allowed:
            return _Ready(formula, frozenset(), free)
        return _Ready(formula, names(free))

    def _not(self, formula: Not, bound: Names) -> _Ready:
        if isinstance(formula.part, Distinct):
            return self._equal(formula, formula.part, bound)
        missing = _missing(formula, bound)
        if missing:
            return _Ready(formula, frozenset(), missing)
        inner = self.conjunction([formula.part], bound, bound)
        return _Ready(Not(_conjoin(inner.formulas), formula.span), frozenset())

    def _equal(self, formula: Not, part: Distinct, bound: Names) -> _Ready:
        """`(not (distinct a b))` says that they are equal: one side may get its value here."""
        left, right = (_unbound_in(side, bound) for side in (part.left, part.right))
        if left and right:
            return _Ready(formula, frozenset(), (*left, *right))
        return _Ready(formula, names((*left, *right)))

    def _count(self, formula: Count, bound: Names, outside: Names) -> _Ready:
        number = names(variables(formula.number))
        inside = [v for part in formula.parts for v in formula_variables(part)]
        shared = tuple(v for v in inside if v.name in outside | number and v.name not in bound)
        inner = self.conjunction(_flatten(formula.parts), bound, outside | number)
        missing = shared + tuple(v for u in inner.unbound for v in u.variables)
        if missing:
            return _Ready(formula, frozenset(), missing)
        return _Ready(Count(formula.number, inner.formulas, formula.span), number)

    def _or(self, formula: Or, bound: Names, outside: Names) -> _Ready:
        branches = [self.conjunction(_flatten([p]), bound, outside) for p in formula.parts]
        missing = tuple(v for b in branches for u in b.unbound for v in u.variables)
        if missing:
            return _Ready(formula, frozenset(), missing)
        bound_by_all = frozenset.intersection(*(b.bound for b in branches)) if branches else bound
        parts = tuple(_conjoin(branch.formulas) for branch in branches)
        return _Ready(Or(parts, formula.span), bound_by_all - bound)

    def _and(self, formula: And, bound: Names, outside: Names) -> _Ready:
        inner = self.conjunction(_flatten(formula.parts), bound, outside)
        missing = tuple(v for u in inner.unbound for v in u.variables)
        if missing:
            return _Ready(formula, frozenset(), missing)
        return _Ready(And(inner.formulas, formula.span), inner.bound - bound)


def _conjoin(formulas: tuple[Formula, ...]) -> Formula:
    return formulas[0] if len(formulas) == 1 else And(formulas)


def _missing(formula: Formula, bound: Names) -> tuple[Variable, ...]:
    return tuple(v for v in formula_variables(formula) if v.name not in bound)


def _unbound_in(term: Term, bound: Names) -> tuple[Variable, ...]:
    return tuple(v for v in variables(term) if v.name not in bound)


def _names_of(formulas: Iterable[Formula]) -> Names:
    return names(v for formula in formulas for v in formula_variables(formula))
