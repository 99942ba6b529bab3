"""Which values the variables of a body can have, by plain resolution.

The evaluator knows what bodies mean and nothing of relations: whoever uses it answers for those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdl_env.language.arithmetic import holds, solve
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
from gdl_env.language.terms import (
    Compound,
    Number,
    Term,
    Variable,
    args_of,
    erase_types,
    signature,
    variables,
)

Bindings = Mapping[str, Term]


@dataclass(frozen=True)
class BodyEvaluator:
    """Solves bodies; `ask` yields the instances of a question that hold."""

    ask: Callable[[Term], Iterator[Term]]

    def solve_all(self, body: Sequence[Formula], bindings: Bindings) -> Iterator[Bindings]:
        """Yield the bindings under which all formulas of an ordered body hold."""
        if not body:
            yield bindings
            return
        for found in self._solve(body[0], bindings):
            yield from self.solve_all(body[1:], found)

    def _solve(self, formula: Formula, bindings: Bindings) -> Iterator[Bindings]:
        if isinstance(formula, Atom):
            question = fill(erase_types(formula.term), bindings)
            for answer in self.ask(question):
                found = match(question, answer, bindings)
                if found is not None:
                    yield found
        elif isinstance(formula, And):
            yield from self.solve_all(formula.parts, bindings)
        elif isinstance(formula, Or):
            for part in formula.parts:
                yield from self._solve(part, bindings)
        elif isinstance(formula, Distinct):
            if _side(formula.left, bindings) != _side(formula.right, bindings):
                yield bindings
        elif isinstance(formula, Arithmetic):
            yield from _compute(formula, bindings)
        elif isinstance(formula, Count):
            yield from self._count(formula, bindings)
        else:
            yield from self._not(formula, bindings)

    def _not(self, formula: Not, bindings: Bindings) -> Iterator[Bindings]:
        part = formula.part
        if isinstance(part, Distinct):
            left, right = _side(part.left, bindings), _side(part.right, bindings)
            # One side at most is open, and gets its value from the other.
            if next(variables(right), None) is not None:
                left, right = right, left
            found = match(left, right, bindings)
            if found is not None:
                yield found
        elif next(self._solve(part, bindings), None) is None:
            yield bindings

    def _count(self, formula: Count, bindings: Bindings) -> Iterator[Bindings]:
        local = {v.name for part in formula.parts for v in formula_variables(part)}
        names = sorted(local - set(bindings))
        solutions = {
            tuple(found.get(name) for name in names)
            for found in self.solve_all(formula.parts, bindings)
        }
        found = match(_side(formula.number, bindings), Number(len(solutions)), bindings)
        if found is not None:
            yield found


def _compute(formula: Arithmetic, bindings: Bindings) -> Iterator[Bindings]:
    args = [_side(arg, bindings) for arg in formula.args]
    if any(not isinstance(arg, Number | Variable) for arg in args):
        return
    numbers = [arg.value if isinstance(arg, Number) else None for arg in args]
    known = tuple(number for number in numbers if number is not None)
    if len(known) == len(numbers):
        if holds(formula.relation, known):
            yield bindings
        return
    unknown = next(arg for arg in args if isinstance(arg, Variable))
    a, b, c = numbers
    for value in solve(formula.relation, a, b, c):
        yield {**bindings, unknown.name: Number(value)}


def _side(term: Term, bindings: Bindings) -> Term:
    return fill(erase_types(term), bindings)


def fill(term: Term, bindings: Bindings) -> Term:
    """Return the term with values in place of its variables."""
    if isinstance(term, Variable):
        return bindings.get(term.name, term)
    if isinstance(term, Compound):
        return Compound(term.name, tuple(fill(arg, bindings) for arg in term.args))
    return term


def match(pattern: Term, term: Term, bindings: Bindings) -> Bindings | None:
    """Return bindings under which the pattern can be the term, whose variables are open."""
    if isinstance(pattern, Variable):
        known = bindings.get(pattern.name)
        if known is None:
            is_open = next(variables(term), None) is not None
            return bindings if is_open else {**bindings, pattern.name: term}
        pattern = known
    if isinstance(term, Variable) or pattern == term:
        return bindings
    if not isinstance(pattern, Compound) or signature(pattern) != signature(term):
        return None
    found: Bindings | None = bindings
    for inner, arg in zip(pattern.args, args_of(term), strict=True):
        found = None if found is None else match(inner, arg, found)
    return found
