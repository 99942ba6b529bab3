"""Answers to questions that do not depend on a state, by plain resolution.

Enough for the conditions of typemaps, which compare numbers and now and then ask a table; playing
a game is the work of engines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.language.body_evaluation import Bindings, BodyEvaluator, fill, match
from gdl_env.language.formulas import Formula
from gdl_env.language.game import Game, Rule
from gdl_env.language.ordering import order
from gdl_env.language.terms import (
    Compound,
    Range,
    Symbol,
    Term,
    args_of,
    erase_types,
    name_of,
    signature,
)
from gdl_env.language.types import TypeSystem

_DEPTH = 150
_CHANGING = frozenset({'true', 'does', 'legal', 'goal', 'terminal', 'next'})


@dataclass(frozen=True)
class StaticRules:
    """The rules of a game that hold in every state alike."""

    game: Game
    _orders: dict[tuple[int, frozenset[str]], tuple[Formula, ...]] = field(default_factory=dict)

    def answers(self, question: Term, depth: int = 0) -> Iterator[Term]:
        """Yield the instances of a term that hold. Raises EncodingError if they are unknown."""
        if depth > _DEPTH or name_of(question) in _CHANGING:
            reason = 'the state decides' if depth <= _DEPTH else 'the rules go too deep'
            raise EncodingError(f'no answer to {question} without a state: {reason}')
        below = BodyEvaluator(partial(self.answers, depth=depth + 1))
        for rule in self._rules.get(signature(question), ()):
            head = erase_types(rule.head)
            bindings = match(head, question, {})
            if bindings is None:
                continue
            for found in below.solve_all(self._order(rule, bindings), bindings):
                yield fill(head, found)
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
