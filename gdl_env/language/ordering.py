"""In which order the literals of a body can be evaluated, and which variables never get a value.

The order in which an author writes literals has no meaning. An evaluator that goes from left to
right needs one in which every `not`, `distinct`, comparison, `count` and arithmetic literal comes
after the literals that bind its variables. The same search tells the checker what is unsafe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

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
    parts_of,
)
from gdl_env.language.keywords import COMPARISONS, ENDLESS
from gdl_env.language.terms import Number, Term, Variable, args_of, name_of, variables

Names = frozenset[str]

Cost = Callable[[Atom, Names], float]


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
class _Waiting:
    """A literal that is not placed yet, with the names of its variables."""

    formula: Formula

    @cached_property
    def names(self) -> Names:
        return names(formula_variables(self.formula))


@dataclass(frozen=True)
class _Search:
    cost: Cost | None

    def conjunction(self, body: list[Formula], bound: Names, outside: Names) -> Order:
        waiting = [_Waiting(formula) for formula in body]
        done: list[Formula] = []
        while waiting:
            best = self._next(waiting, bound, outside)
            if best is None:
                break
            index, ready = best
            done.append(ready.formula)
            bound |= ready.binds
            del waiting[index]
        shared = _shared([_Waiting(formula) for formula in body])
        unbound = []
        for item in waiting:
            ready = self._ready(item.formula, bound, outside | (item.names & shared))
            unbound.append(Unbound(item.formula, ready.missing))
        return Order((*done, *(item.formula for item in waiting)), bound, tuple(unbound))

    def _next(
        self, waiting: list[_Waiting], bound: Names, outside: Names
    ) -> tuple[int, _Ready] | None:
        """Return the first test that can run; else the cheapest literal that binds something."""
        best: tuple[float, int, _Ready] | None = None
        shared = _shared(waiting)
        for index, item in enumerate(waiting):
            formula = item.formula
            ready = self._ready(formula, bound, outside | (item.names & shared))
            if ready.missing:
                continue
            if not isinstance(formula, Atom | Or) and ready.binds <= bound:
                return index, ready
            price = self._price(formula, bound)
            if best is None or price < best[0]:
                best = price, index, ready
        return None if best is None else best[1:]

    def _price(self, formula: Formula, bound: Names) -> float:
        """Estimate answers: a computed value has one, a disjunction those of all its branches."""
        if isinstance(formula, Arithmetic) and _may_be_endless(formula, bound):
            return inf
        if self.cost is None:
            return 0
        if isinstance(formula, Atom):
            return self.cost(formula, bound)
        if isinstance(formula, Or):
            return sum(self._price(part, bound) for part in formula.parts)
        if isinstance(formula, And):
            return max((self._price(part, bound) for part in formula.parts), default=0)
        return 1

    def _ready(self, formula: Formula, bound: Names, outside: Names) -> _Ready:
        if isinstance(formula, Atom):
            return self._atom(formula, bound)
        if isinstance(formula, Arithmetic):
            return self._arithmetic(formula, bound)
        if isinstance(formula, Distinct):
            return _Ready(formula, frozenset(), _missing(formula, bound))
        if isinstance(formula, Not):
            return self._not(formula, bound, outside)
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
        # Occurrences, not names: nothing solves (add ?n ?n 6) for ?n.
        allowed = 0 if formula.relation in COMPARISONS else 1
        if len(free) > allowed:
            return _Ready(formula, frozenset(), free)
        return _Ready(formula, names(free))

    def _not(self, formula: Not, bound: Names, outside: Names) -> _Ready:
        if isinstance(formula.part, Distinct):
            return self._equal(formula, formula.part, bound)
        missing = tuple(v for v in _open(formula.part, outside) if v.name not in bound)
        if isinstance(formula.part, Atom):
            missing = tuple(v for v in missing if v.name in outside)
        if missing:
            return _Ready(formula, frozenset(), missing)
        inner = self.conjunction([formula.part], bound, outside)
        missing = tuple(v for u in inner.unbound for v in u.variables)
        if missing:
            return _Ready(formula, frozenset(), missing)
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


def _may_be_endless(formula: Arithmetic, bound: Names) -> bool:
    """Tell whether the unknown argument of a literal may have infinitely many values."""
    if formula.relation == 'mult' and any(
        isinstance(factor, Number) and factor.value for factor in formula.args[:2]
    ):
        # Only 0 times anything is the same for all numbers.
        return False
    return any(
        (formula.relation, place) in ENDLESS and _unbound_in(arg, bound)
        for place, arg in enumerate(formula.args)
    )


def _conjoin(formulas: tuple[Formula, ...]) -> Formula:
    return formulas[0] if len(formulas) == 1 else And(formulas)


def _missing(formula: Formula, bound: Names) -> tuple[Variable, ...]:
    return tuple(v for v in formula_variables(formula) if v.name not in bound)


def _open(formula: Formula, outside: Names) -> Iterator[Variable]:
    """Yield the occurrences of variables that are not local to a `count` in the formula."""
    if isinstance(formula, Count):
        number = list(variables(formula.number))
        yield from number
        inside = (v for part in formula.parts for v in formula_variables(part))
        yield from (v for v in inside if v.name in outside | names(number))
    elif isinstance(formula, And):
        parts = [_Waiting(part) for part in _flatten(formula.parts)]
        shared = _shared(parts)
        for part in parts:
            yield from _open(part.formula, outside | (part.names & shared))
    elif isinstance(formula, Or | Not):
        for inner in parts_of(formula):
            yield from _open(inner, outside)
    else:
        yield from formula_variables(formula)


def _unbound_in(term: Term, bound: Names) -> tuple[Variable, ...]:
    return tuple(v for v in variables(term) if v.name not in bound)


def _shared(items: Iterable[_Waiting]) -> Names:
    """Return the names that occur in more than one literal."""
    count = Counter(name for item in items for name in item.names)
    return frozenset(name for name, times in count.items() if times > 1)
