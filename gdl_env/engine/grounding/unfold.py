"""Replace conditions by what they stand for, where a relation is asked for in few places only.

A view with many arguments can have far more instances than the few rules that ask for it need.
Unfolded into those rules, it is ground only for the arguments they ask for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from gdl_env.engine.grounding.budget import Budget
from gdl_env.engine.grounding.literals import Literal, LiteralKind, NormalRule
from gdl_env.language.dependencies import strong_components
from gdl_env.language.terms import Compound, Term, Variable

# Relations with more rules than this, or asked for more often, are left as they are.
_MOST_RULES = 6
_MOST_USES = 12
_MOST_COPIES = 40


def unfold(rules: list[NormalRule], keep: Iterable[str], budget: Budget) -> list[NormalRule]:
    """Unfold all relations that are worth it; those of `keep` stay."""
    kept = frozenset(keep)
    numbers = count()
    while (relation := _candidate(rules, kept)) is not None:
        rules = _without(rules, relation, numbers, budget)
    return rules


def _candidate(rules: list[NormalRule], kept: frozenset[str]) -> str | None:
    defined = Counter(rule.relation for rule in rules)
    uses: Counter[str] = Counter()
    fixed = set(kept)
    changing = {'true/1', 'does/2'}
    for rule in rules:
        for literal in rule.body:
            if literal.kind is LiteralKind.HOLDS:
                uses[literal.relation] += 1
            elif literal.kind in {LiteralKind.FAILS, LiteralKind.CAN_HOLD}:
                fixed.add(literal.relation)
    graph = {relation: set[str]() for relation in defined}
    for rule in rules:
        graph[rule.relation] |= {literal.relation for literal in rule.body}
    for component in strong_components(graph):
        (first, *others) = component
        if others or first in graph[first]:
            fixed |= component
        if any(graph[member] & changing for member in component):
            changing |= component
    found = [
        relation
        for relation in defined
        if relation in changing
        and relation not in fixed
        and defined[relation] <= _MOST_RULES
        and 0 < uses[relation] <= _MOST_USES
        and defined[relation] * uses[relation] <= _MOST_COPIES
    ]
    return min(found, key=lambda r: (uses[r] * defined[r], r), default=None)


def _without(
    rules: list[NormalRule], relation: str, numbers: Iterable[int], budget: Budget
) -> list[NormalRule]:
    definitions = [rule for rule in rules if rule.relation == relation]
    result: list[NormalRule] = []
    work = [rule for rule in reversed(rules) if rule.relation != relation]
    source = iter(numbers)
    while work:
        budget.check('unfolding its rules')
        rule = work.pop()
        place = next(
            (
                index
                for index, literal in enumerate(rule.body)
                if literal.kind is LiteralKind.HOLDS and literal.relation == relation
            ),
            None,
        )
        if place is None:
            result.append(rule)
            continue
        for definition in definitions:
            fresh = _rename(definition, next(source))
            bindings = unify(rule.body[place].args, fresh.args)
            if bindings is not None:
                body = (*rule.body[:place], *fresh.body, *rule.body[place + 1 :])
                work.append(_apply(replace(rule, body=body), bindings))
    return result


def unify(left: tuple[Term, ...], right: tuple[Term, ...]) -> dict[str, Term] | None:
    """Return bindings that make the terms equal, or None."""
    bindings: dict[str, Term] = {}
    work = list(zip(left, right, strict=True))
    while work:
        a, b = (_walk(term, bindings) for term in work.pop())
        if a == b:
            continue
        if isinstance(a, Variable):
            bindings[a.name] = b
        elif isinstance(b, Variable):
            bindings[b.name] = a
        elif isinstance(a, Compound) and isinstance(b, Compound):
            if a.name != b.name or len(a.args) != len(b.args):
                return None
            work += zip(a.args, b.args, strict=True)
        else:
            return None
    return bindings


def _walk(term: Term, bindings: dict[str, Term]) -> Term:
    while isinstance(term, Variable) and term.name in bindings:
        term = bindings[term.name]
    return term


def _substitute(term: Term, bindings: dict[str, Term]) -> Term:
    term = _walk(term, bindings)
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_substitute(arg, bindings) for arg in term.args))
    return term


def _apply(rule: NormalRule, bindings: dict[str, Term]) -> NormalRule:
    body = dict.fromkeys(
        Literal(lit.kind, lit.relation, tuple(_substitute(arg, bindings) for arg in lit.args))
        for lit in rule.body
    )
    args = tuple(_substitute(arg, bindings) for arg in rule.args)
    return NormalRule(rule.relation, args, tuple(body))


def _rename(rule: NormalRule, number: int) -> NormalRule:
    names = rule.head_variables().union(*(literal.variables() for literal in rule.body))
    return _apply(rule, {name: Variable(f'{name}*{number}') for name in names})
