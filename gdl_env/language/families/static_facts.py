"""What holds in every state alike: relations computed from facts, options and types.

Relations are computed bottom up, those that others depend on first, each until nothing new comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from gdl_env.errors import RuleError
from gdl_env.language.body_evaluation import BodyEvaluator, fill
from gdl_env.language.dependencies import Dependencies, Relation
from gdl_env.language.formulas import Formula
from gdl_env.language.game import Game, Rule
from gdl_env.language.ordering import order
from gdl_env.language.terms import Compound, Range, Symbol, Term, args_of, erase_types, signature
from gdl_env.language.types import TypeSystem

# What decides who plays is small; rules that need more come to no end.
_MOST_ROUNDS = 1000
_MOST_FACTS = 100_000
_TYPE: Relation = ('type', 2)

# Facts by relation; dictionaries keep the order in which they were found.
_Facts = dict[Relation, dict[Term, None]]


@dataclass(frozen=True)
class StaticFacts:
    """Answers of relations that do not depend on the state."""

    game: Game
    _facts: _Facts = field(default_factory=dict)

    def of_rule(self, rule: Rule) -> tuple[Term, ...]:
        """Return the heads that a rule gives, in the order of the facts it asks for.

        Raises RuleError if there is no end of them, or an answer depends on its own absence.
        """
        self._compute(signature(rule.head))
        return tuple(dict.fromkeys(self._solve(rule)))

    def _compute(self, goal: Relation) -> None:
        wanted = self._dependencies.reachable(goal) | {goal}
        done: set[Relation] = set()
        for relation in self._dependencies.component_of:
            component = self._dependencies.component_of[relation]
            if relation in done or not component & wanted:
                continue
            done |= component
            if not component <= self._facts.keys():
                self._complete(component)

    def _complete(self, component: frozenset[Relation]) -> None:
        for relation in sorted(component):
            if self._dependencies.negative[relation] & component:
                raise RuleError(f"'{relation[0]}' depends on its own absence")
            self._facts[relation] = {}
        rules = [rule for rule in self.game.rules if signature(rule.head) in component]
        for _ in range(_MOST_ROUNDS):
            before = self._count(component)
            for rule in rules:
                self._facts[signature(rule.head)].update(dict.fromkeys(self._solve(rule)))
            if before == self._count(component) or all(not rule.body for rule in rules):
                return
            if self._count(component) > _MOST_FACTS:
                break
        raise RuleError(f"'{rules[-1].head}' has answers without end")

    def _count(self, component: frozenset[Relation]) -> int:
        return sum(len(self._facts[relation]) for relation in component)

    def _solve(self, rule: Rule) -> Iterator[Term]:
        head = erase_types(rule.head)
        if not rule.body:
            yield head
            return
        for found in self._evaluator.solve_all(self._order(rule), {}):
            yield fill(head, found)

    def _ask(self, question: Term) -> Iterator[Term]:
        yield from tuple(self._facts.get(signature(question), ()))
        if signature(question) == _TYPE and 'type' not in self.game.redefined:
            yield from self._members(args_of(question)[0])

    def _members(self, type_: Term) -> Iterator[Term]:
        """Yield the values of ranges and of types that facts do not list."""
        if isinstance(type_, Range) or (isinstance(type_, Symbol) and self._types.is_known(type_)):
            yield from (Compound('type', (type_, v)) for v in self._types.members(type_))

    def _order(self, rule: Rule) -> tuple[Formula, ...]:
        return order(rule.body).formulas

    @cached_property
    def _dependencies(self) -> Dependencies:
        return Dependencies.from_game(self.game)

    @cached_property
    def _evaluator(self) -> BodyEvaluator:
        return BodyEvaluator(self._ask)

    @cached_property
    def _types(self) -> TypeSystem:
        return TypeSystem.from_game(self.game)
