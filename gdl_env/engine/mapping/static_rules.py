"""Answers to questions that do not depend on a state, by plain resolution.

Enough for the conditions of typemaps, which compare numbers and now and then ask a table; playing
a game is the work of engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gdl_env.engine.arithmetic import holds, solve
from gdl_env.engine.mapping.errors import MappingError
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
from gdl_env.language.game import Game, Rule
from gdl_env.language.ordering import order
from gdl_env.language.terms import (
    Compound,
    Number,
    Range,
    Symbol,
    Term,
    Variable,
    args_of,
    erase_types,
    name_of,
    signature,
    variables,
)
from gdl_env.language.types import TypeSystem

Bindings = Mapping[str, Term]
_DEPTH = 150
_CHANGING = frozenset({'true', 'does', 'legal', 'goal', 'terminal', 'next'})


@dataclass(frozen=True)
class StaticRules:
    """The rules of a game that hold in every state alike."""

    game: Game
    _orders: dict[tuple[int, frozenset[str]], tuple[Formula, ...]] = field(default_factory=dict)

    def answers(self, question: Term, depth: int = 0) -> Iterator[Term]:
        """Yield the instances of a term that hold. Raises MappingError where that is not known."""
        if depth > _DEPTH or name_of(question) in _CHANGING:
            reason = 'the state decides' if depth <= _DEPTH else 'the rules go too deep'
            raise MappingError(f'no answer to {question} without a state: {reason}')
        for rule in self._rules.get(signature(question), ()):
            head = erase_types(rule.head)
            bindings = _match(head, question, {})
            if bindings is None:
                continue
            for found in self._conjunction(self._order(rule, bindings), bindings, depth + 1):
                yield _fill(head, found)
        if signature(question) == ('type', 2):
            yield from self._members(question)

    @cached_property
    def _rules(self) -> dict[tuple[str, int], list[Rule]]:
        found: dict[tuple[str, int], list[Rule]] = {}
        for rule in self.game.rules:
            found.setdefault(signature(rule.head), []).append(rule)
        return found

    @cached_property
    def _types(self) -> TypeSystem:
        return TypeSystem.from_game(self.game)

    def _members(self, question: Term) -> Iterator[Term]:
        """Yield the values of ranges and combined types, which no fact lists."""
        type_ = args_of(question)[0]
        is_named = isinstance(type_, Symbol) and type_.name in self._types.combined
        if isinstance(type_, Range) or (isinstance(type_, Symbol) and is_named):
            yield from (Compound('type', (type_, v)) for v in self._types.members(type_))

    def _order(self, rule: Rule, bindings: Bindings) -> tuple[Formula, ...]:
        key = id(rule), frozenset(bindings)
        if key not in self._orders:
            self._orders[key] = order(rule.body, frozenset(bindings)).formulas
        return self._orders[key]

    def _conjunction(
        self, body: Sequence[Formula], bindings: Bindings, depth: int
    ) -> Iterator[Bindings]:
        if not body:
            yield bindings
            return
        for found in self._formula(body[0], bindings, depth):
            yield from self._conjunction(body[1:], found, depth)

    def _formula(self, formula: Formula, bindings: Bindings, depth: int) -> Iterator[Bindings]:
        if isinstance(formula, Atom):
            question = _fill(erase_types(formula.term), bindings)
            for answer in self.answers(question, depth):
                found = _match(question, answer, bindings)
                if found is not None:
                    yield found
        elif isinstance(formula, And):
            yield from self._conjunction(formula.parts, bindings, depth)
        elif isinstance(formula, Or):
            for part in formula.parts:
                yield from self._formula(part, bindings, depth)
        elif isinstance(formula, Distinct):
            if _side(formula.left, bindings) != _side(formula.right, bindings):
                yield bindings
        elif isinstance(formula, Arithmetic):
            yield from _compute(formula, bindings)
        elif isinstance(formula, Count):
            yield from self._count(formula, bindings, depth)
        else:
            yield from self._not(formula, bindings, depth)

    def _not(self, formula: Not, bindings: Bindings, depth: int) -> Iterator[Bindings]:
        part = formula.part
        if isinstance(part, Distinct):
            left, right = _side(part.left, bindings), _side(part.right, bindings)
            # One side at most is open, and gets its value from the other.
            if next(variables(right), None) is not None:
                left, right = right, left
            found = _match(left, right, bindings)
            if found is not None:
                yield found
        elif next(self._formula(part, bindings, depth), None) is None:
            yield bindings

    def _count(self, formula: Count, bindings: Bindings, depth: int) -> Iterator[Bindings]:
        local = {v.name for part in formula.parts for v in formula_variables(part)}
        names = sorted(local - set(bindings))
        solutions = {
            tuple(found.get(name) for name in names)
            for found in self._conjunction(formula.parts, bindings, depth)
        }
        found = _match(_side(formula.number, bindings), Number(len(solutions)), bindings)
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
    return _fill(erase_types(term), bindings)


def _fill(term: Term, bindings: Bindings) -> Term:
    if isinstance(term, Variable):
        return bindings.get(term.name, term)
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_fill(arg, bindings) for arg in term.args))
    return term


def _match(pattern: Term, term: Term, bindings: Bindings) -> Bindings | None:
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
        found = None if found is None else _match(inner, arg, found)
    return found
