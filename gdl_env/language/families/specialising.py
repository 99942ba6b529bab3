"""Rules of one game of a family: what options decide is decided once, before any engine asks.

A rule that asks for an option with another value is left out, `(option size ?n)` puts the value in
place of `?n`, and conditions that are settled by that are dropped. So a role, a move or a fact
that belongs to other games of the family does not count in this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gdl_env.language.families.options import OPTION, Option, Value, option_values
from gdl_env.language.formulas import (
    And,
    Arithmetic,
    Atom,
    Distinct,
    Formula,
    Not,
    Or,
    formula_variables,
    substitute_in,
    walk,
)
from gdl_env.language.game import Rule
from gdl_env.language.keywords import COMPARISONS
from gdl_env.language.terms import (
    Compound,
    Number,
    Symbol,
    Variable,
    args_of,
    erase_types,
    signature,
    substitute,
    variables,
)
from gdl_env.language.unify import unifiable

_ASKS = (OPTION, 2)


def specialise(rules: Iterable[Rule], options: tuple[Option, ...]) -> tuple[Rule, ...]:
    """Return the rules that are left when the options have their values."""
    if not options:
        return tuple(rules)
    decider = _Decider(option_values(options), _facts(options))
    found = (decider.specialise(rule) for rule in rules)
    return tuple(rule for rule in found if rule is not None)


def is_settled(rule: Rule, options: tuple[Option, ...]) -> bool:
    """Tell whether options alone decide whether the head of a rule holds."""
    left = specialise((rule,), options)
    return not left or not left[0].body


def _facts(options: tuple[Option, ...]) -> dict[tuple[str, int], list[Compound]]:
    """Return what lists and grids give."""
    found: dict[tuple[str, int], list[Compound]] = {}
    for option in options:
        for fact in option.facts:
            if fact.name != OPTION:
                found.setdefault(signature(fact), []).append(fact)
    return found


@dataclass(frozen=True)
class _Decider:
    """Knows what the options say."""

    values: Mapping[str, Value]
    facts: Mapping[tuple[str, int], list[Compound]]

    def specialise(self, rule: Rule) -> Rule | None:
        """Return the rule without what the options decide; None if it can never hold."""
        if not any(self._is_about(inner) for formula in rule.body for inner in walk(formula)):
            return rule
        known: dict[str, Value] = {}
        for formula in rule.body:
            if isinstance(formula, Atom) and self._asks(formula):
                name, value = (erase_types(arg) for arg in args_of(formula.term))
                chosen = self.values[str(name)]
                if isinstance(value, Variable) and known.setdefault(value.name, chosen) != chosen:
                    return None
        head = substitute(rule.head, known)
        assert isinstance(head, Symbol | Compound)
        body = [substitute_in(formula, known) for formula in rule.body]
        uses = Counter(v.name for v in variables(head))
        uses.update(v.name for formula in body for v in formula_variables(formula))
        truths = [self._decide(formula, uses) for formula in body]
        if False in truths:
            return None
        left = tuple(f for f, is_so in zip(body, truths, strict=True) if is_so is None)
        return Rule(head, left, rule.span, rule.is_arrow and not rule.body)

    def _is_about(self, formula: Formula) -> bool:
        return self._asks(formula) or (
            isinstance(formula, Atom) and signature(formula.term) in self.facts
        )

    def _asks(self, formula: Formula) -> bool:
        """Tell whether a formula asks for an option by its name."""
        if not isinstance(formula, Atom) or signature(formula.term) != _ASKS:
            return False
        name = args_of(formula.term)[0]
        return isinstance(name, Symbol) and name.name in self.values

    def _decide(self, formula: Formula, uses: Counter[str]) -> bool | None:
        """Return whether a formula holds, where nothing but options matters; else None."""
        if isinstance(formula, Atom):
            return self._decide_atom(formula, uses)
        if isinstance(formula, Not):
            part = self._decide(formula.part, uses)
            return None if part is None else not part
        if isinstance(formula, And | Or):
            parts = [self._decide(part, uses) for part in formula.parts]
            if isinstance(formula, Or) in parts:
                return isinstance(formula, Or)
            return None if None in parts else isinstance(formula, And)
        if isinstance(formula, Distinct):
            left, right = erase_types(formula.left), erase_types(formula.right)
            if isinstance(left, Symbol | Number) and isinstance(right, Symbol | Number):
                return left != right
        if isinstance(formula, Arithmetic) and formula.relation in COMPARISONS:
            return _compare(formula)
        return None

    def _decide_atom(self, atom: Atom, uses: Counter[str]) -> bool | None:
        if self._asks(atom):
            name, value = (erase_types(arg) for arg in args_of(atom.term))
            return None if isinstance(value, Variable) else value == self.values[str(name)]
        facts = self.facts.get(signature(atom.term))
        if facts is None:
            return None
        if not any(unifiable(atom.term, fact) for fact in facts):
            return False
        # Where nobody asks for its variables, it matters only that there is a fact.
        is_local = all(uses[variable.name] == 1 for variable in variables(atom.term))
        return True if is_local else None


def _compare(formula: Arithmetic) -> bool | None:
    if len(formula.args) != 2:
        # The checker refuses it.
        return None
    left, right = (erase_types(arg) for arg in formula.args)
    if not isinstance(left, Number) or not isinstance(right, Number):
        return None
    if formula.relation == 'less':
        return left.value < right.value
    return left.value > right.value
