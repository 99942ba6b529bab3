"""What holds in one state, relation by relation, straight from the rules.

Slower than any engine, but it knows each rule, each literal and its place in the file: enough for
questions that a person asks about a single state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from gdl_env.engine.contract import Moves
from gdl_env.errors import EngineLimitError
from gdl_env.language.body_evaluation import Bindings, BodyEvaluator, fill, match
from gdl_env.language.dependencies import Dependencies, Relation
from gdl_env.language.formulas import Atom, Formula
from gdl_env.language.game import Game, Rule
from gdl_env.language.ordering import Names, names, order
from gdl_env.language.terms import (
    Compound,
    Range,
    Symbol,
    Term,
    Variable,
    args_of,
    erase_types,
    signature,
    variables,
)
from gdl_env.language.types import TypeSystem

_TYPE: Relation = ('type', 2)
# Answers of one relation, and questions about one state, before it gives up.
_MOST_ANSWERS = 200_000
_MOST_QUESTIONS = 400_000


class StateEvaluator:
    """Answers questions about one state; `moves` are what `does` asks for."""

    def __init__(self, game: Game, state: Iterable[Term], moves: Moves | None = None) -> None:
        self.game = game
        self._rules: dict[Relation, list[Rule]] = {}
        # Facts, by relation and by each argument.
        self._facts: dict[Relation, _Facts] = {}
        for rule in game.rules:
            head = signature(rule.head)
            if rule.body:
                self._rules.setdefault(head, []).append(rule)
            else:
                self._add(head, erase_types(rule.head))
        for fact in state:
            self._add(('true', 1), Compound('true', (fact,)))
        for role, move in (moves or {}).items():
            self._add(('does', 2), Compound('does', (role, move)))
        self._known: dict[Term, tuple[Term, ...]] = {}
        self._closed: set[Relation] = set()
        self._orders: dict[tuple[int, Names], tuple[Formula, ...]] = {}
        self._asked = 0
        self.evaluator = BodyEvaluator(self.ask)

    def rules_of(self, relation: Relation) -> tuple[Rule, ...]:
        """Return the rules of a relation; those that are mere facts are left out."""
        return tuple(self._rules.get(relation, ()))

    def holds(self, question: Term) -> bool:
        """Tell whether a question has an answer. Raises EngineLimitError."""
        return any(match(question, answer, {}) is not None for answer in self.ask(question))

    def ordered(self, rule: Rule, bound: Names) -> tuple[Formula, ...]:
        """Return the body of a rule, in an order in which it can be evaluated."""
        key = id(rule), bound
        if key not in self._orders:
            self._orders[key] = order(rule.body, bound, cost=self._cost).formulas
        return self._orders[key]

    def bind_head(self, rule: Rule, question: Term) -> Bindings | None:
        """Return what a question says of the variables of a rule; None if it is of no use."""
        return match(erase_types(rule.head), question, {})

    def ask(self, question: Term) -> Iterator[Term]:
        """Yield what holds and may be an instance of a question."""
        relation = signature(question)
        yield from self._stored(relation, question)
        if relation == _TYPE and 'type' not in self.game.redefined:
            yield from self._members(args_of(question)[0])
        if relation not in self._rules or relation in self._closed:
            return
        if relation in self._dependencies.tabled:
            self._close(self._dependencies.component_of[relation])
            yield from self._stored(relation, question)
            return
        key = _rename(question)
        if key not in self._known:
            self._known[key] = tuple(dict.fromkeys(self._derive(relation, question)))
        yield from self._known[key]

    def _derive(self, relation: Relation, question: Term) -> Iterator[Term]:
        for rule in self._rules[relation]:
            bindings = self.bind_head(rule, question)
            if bindings is None:
                continue
            self._asked += 1
            if self._asked > _MOST_QUESTIONS:
                raise EngineLimitError('this state is too large to be explained')
            body = self.ordered(rule, frozenset(bindings))
            for found in self.evaluator.solve_all(body, bindings):
                yield fill(erase_types(rule.head), found)

    def _close(self, component: frozenset[Relation]) -> None:
        """Compute relations that depend on themselves, until nothing new comes."""
        self._closed |= component
        rules = [(relation, r) for relation in sorted(component) for r in self.rules_of(relation)]
        is_new = True
        while is_new:
            is_new = False
            for relation, rule in rules:
                body = self.ordered(rule, frozenset())
                found = [
                    fill(erase_types(rule.head), values)
                    for values in self.evaluator.solve_all(body, {})
                ]
                for answer in found:
                    is_new |= self._add(relation, answer)

    def _stored(self, relation: Relation, question: Term) -> Iterator[Term]:
        facts = self._facts.get(relation)
        if facts is not None:
            yield from facts.find(question)

    def _add(self, relation: Relation, fact: Term) -> bool:
        facts = self._facts.setdefault(relation, _Facts())
        if len(facts.all) > _MOST_ANSWERS:
            raise EngineLimitError(f"'{relation[0]}' has too many answers to be explained")
        return facts.add(fact)

    def _members(self, type_: Term) -> Iterator[Term]:
        if isinstance(type_, Range) or (isinstance(type_, Symbol) and self._types.is_known(type_)):
            yield from (Compound('type', (type_, v)) for v in self._types.members(type_))

    def _cost(self, atom: Atom, bound: Names) -> float:
        """Prefer what is known, then facts, then what has few open variables."""
        is_open = len(names(variables(atom.term)) - bound)
        return is_open * 4 + (signature(atom.term) in self._rules) * min(is_open, 1) * 2

    @cached_property
    def _dependencies(self) -> Dependencies:
        return Dependencies.from_game(self.game)

    @cached_property
    def _types(self) -> TypeSystem:
        return TypeSystem.from_game(self.game)


class _Facts:
    """Facts of one relation, found by the value of any argument."""

    def __init__(self) -> None:
        self.all: dict[Term, None] = {}
        self._by_value: dict[tuple[int, Term], list[Term]] = {}

    def add(self, fact: Term) -> bool:
        """Add a fact; tell whether it is new."""
        if fact in self.all:
            return False
        self.all[fact] = None
        for place, value in _values(fact):
            self._by_value.setdefault((place, value), []).append(fact)
        return True

    def find(self, question: Term) -> tuple[Term, ...]:
        """Return the facts that agree with a question in the argument that tells most."""
        best: Iterable[Term] = self.all
        size = len(self.all)
        for place, value in _values(question):
            found = self._by_value.get((place, value), [])
            if len(found) < size:
                best, size = found, len(found)
        return tuple(best)


def _values(fact: Term) -> Iterator[tuple[int, Term]]:
    """Yield the ground arguments of a fact; those of the one inside `(true …)` for that."""
    args = args_of(fact)
    if len(args) == 1 and isinstance(args[0], Compound):
        yield -1, Symbol(args[0].name)
        args = args[0].args
    for place, arg in enumerate(args):
        if next(variables(arg), None) is None:
            yield place, arg


def _rename(question: Term) -> Term:
    """Return a question with variables that do not depend on who asks."""
    found: dict[str, Variable] = {}
    for variable in variables(question):
        found.setdefault(variable.name, Variable(f'_{len(found)}'))
    renamed: Mapping[str, Term] = found
    return fill(question, renamed)
