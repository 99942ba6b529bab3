"""Rules of one game of a family: what options decide is decided once, before any engine asks.

A rule that asks for an option with another value is left out, `(option size ?n)` puts the value in
place of `?n`, and conditions that are settled by that are dropped. So a role, a move or a fact
that belongs to other games of the family does not count in this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gdl_env.language.formulas import (
    And,
    Arithmetic,
    Atom,
    Distinct,
    Formula,
    Not,
    Or,
    substitute_in,
    walk,
)
from gdl_env.language.game import Rule
from gdl_env.language.options import OPTION, Value
from gdl_env.language.terms import (
    Compound,
    Number,
    Symbol,
    Variable,
    args_of,
    erase_types,
    signature,
    substitute,
)

_ASKS = (OPTION, 2)


def specialise(rules: Iterable[Rule], values: Mapping[str, Value]) -> tuple[Rule, ...]:
    """Return the rules that are left when the options have these values."""
    found = (_specialise(rule, values) if values else rule for rule in rules)
    return tuple(rule for rule in found if rule is not None)


def is_settled(rule: Rule, values: Mapping[str, Value]) -> bool:
    """Tell whether options alone decide whether the head of a rule holds."""
    left = specialise((rule,), values)
    return not left or not left[0].body


def _specialise(rule: Rule, values: Mapping[str, Value]) -> Rule | None:
    """Return the rule without what the options decide; None if it can never hold."""
    if not any(_asks(inner, values) for formula in rule.body for inner in walk(formula)):
        return rule
    known: dict[str, Value] = {}
    for formula in rule.body:
        if not isinstance(formula, Atom) or not _asks(formula, values):
            continue
        name, value = (erase_types(arg) for arg in args_of(formula.term))
        chosen = values[str(name)]
        if isinstance(value, Variable) and known.setdefault(value.name, chosen) != chosen:
            return None
    body = []
    for formula in rule.body:
        placed = substitute_in(formula, known)
        is_so = _decide(placed, values)
        if is_so is False:
            return None
        if is_so is None:
            body.append(placed)
    head = substitute(rule.head, known)
    assert isinstance(head, Symbol | Compound)
    return Rule(head, tuple(body), rule.span, rule.is_arrow and not rule.body)


def _asks(formula: Formula, values: Mapping[str, Value]) -> bool:
    """Tell whether a formula asks for an option by its name."""
    if not isinstance(formula, Atom) or signature(formula.term) != _ASKS:
        return False
    name = args_of(formula.term)[0]
    return isinstance(name, Symbol) and name.name in values


def _decide(formula: Formula, values: Mapping[str, Value]) -> bool | None:
    """Return whether a formula holds, where nothing but options matters; else None."""
    if isinstance(formula, Atom):
        if not _asks(formula, values):
            return None
        name, value = (erase_types(arg) for arg in args_of(formula.term))
        return None if isinstance(value, Variable) else value == values[str(name)]
    if isinstance(formula, Not):
        part = _decide(formula.part, values)
        return None if part is None else not part
    if isinstance(formula, And | Or):
        parts = [_decide(part, values) for part in formula.parts]
        if (isinstance(formula, Or)) in parts:
            return isinstance(formula, Or)
        return None if None in parts else isinstance(formula, And)
    if isinstance(formula, Distinct):
        left, right = erase_types(formula.left), erase_types(formula.right)
        if isinstance(left, Symbol | Number) and isinstance(right, Symbol | Number):
            return left != right
    if isinstance(formula, Arithmetic) and formula.relation in {'less', 'greater'}:
        return _compare(formula)
    return None


def _compare(formula: Arithmetic) -> bool | None:
    left, right = (erase_types(arg) for arg in formula.args)
    if not isinstance(left, Number) or not isinstance(right, Number):
        return None
    if formula.relation == 'less':
        return left.value < right.value
    return left.value > right.value
