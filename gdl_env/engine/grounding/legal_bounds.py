"""Bounds that `legal` puts on numbers of the state.

`(next (at ?m))` from `(true (at ?n))`, `(does ?r step)` and `(add ?n 1 ?m)` grows without end as
far as its own rule tells. If `step` is legal only where `(true (at ?k))` and `(less ?k 9)`, and no
state has two facts `at`, then ?n is that ?k, and the comparison holds for it, too.

That no state has two of them follows from their rules: each makes at most one from the one before,
and no two of them apply to the same step (`exclusion.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from gdl_env.engine.grounding.exclusion import Exclusion
from gdl_env.engine.grounding.literals import Literal, LiteralKind, NormalRule
from gdl_env.language.keywords import COMPARISONS
from gdl_env.language.terms import (
    Compound,
    Term,
    Variable,
    args_of,
    is_ground,
    signature,
    variables,
)
from gdl_env.language.unify import unifiable

_Kind = tuple[str, int]


def add_legal_bounds(rules: Sequence[NormalRule]) -> list[NormalRule]:
    """Return the rules with what moves tell about the state, or as they are if that is nothing."""
    if any(rule.relation == 'random/3' for rule in rules):
        # What is done is not what is legal: events stand in place of experiments.
        return list(rules)
    single = _single_facts(rules)
    legal = [rule for rule in rules if rule.relation == 'legal/2']
    return [bounded for rule in rules for bounded in _bound(rule, single, legal)]


def _single_facts(rules: Sequence[NormalRule]) -> frozenset[_Kind]:
    """Return the kinds of facts of which no state has two: one at first, and one from one."""
    made: dict[_Kind, list[NormalRule]] = {}
    for rule in rules:
        if rule.relation in {'init/1', 'next/1'}:
            made.setdefault(signature(rule.args[0]), []).append(rule)
    if ('', 0) in made:
        # A variable stands for facts of any kind.
        return frozenset()
    exclusion = Exclusion(rules)
    kinds = (k for k, found in made.items() if k[1] and _is_single(k, found, exclusion))
    return frozenset(kinds)


def _is_single(kind: _Kind, rules: list[NormalRule], exclusion: Exclusion) -> bool:
    first = [rule for rule in rules if rule.relation == 'init/1']
    later = [rule for rule in rules if rule.relation == 'next/1']
    if len(first) > 1 or not later or any(r.body or not _is_fact(r) for r in first):
        return False
    if not all(_makes_one(kind, rule, exclusion) for rule in later):
        return False
    return all(exclusion.excludes(*two) for two in combinations(later, 2))


def _makes_one(kind: _Kind, rule: NormalRule, exclusion: Exclusion) -> bool:
    """Tell whether a rule makes at most one fact of a state that has one at most."""
    asked = _fact_of(kind, rule.body)
    if asked is None:
        return False
    # A role has one move.
    fixed = [move for role, move in exclusion.moves(rule.body) if is_ground(role)]
    return rule.head_variables() <= _determined((asked, *fixed), rule.body)


def _is_fact(rule: NormalRule) -> bool:
    return all(is_ground(arg) for arg in rule.args)


def _fact_of(kind: _Kind, body: Sequence[Literal]) -> Term | None:
    """Return the fact of a kind that a body asks for first."""
    asked = (lit.args[0] for lit in body if _is_state(lit) and signature(lit.args[0]) == kind)
    return next(asked, None)


def _is_state(literal: Literal) -> bool:
    return literal.kind is LiteralKind.HOLDS and literal.relation == 'true/1'


def _determined(terms: Sequence[Term], body: Sequence[Literal]) -> set[str]:
    """Return the variables that have one value where those of some terms have one."""
    known = {v.name for term in terms for v in variables(term)}
    grown = True
    while grown:
        grown = False
        for literal in body:
            free = literal.variables() - known
            if len(free) == 1 and _is_function(literal, free):
                known |= free
                grown = True
    return known


def _is_function(literal: Literal, free: frozenset[str]) -> bool:
    """Tell whether the one unknown of an arithmetic condition has one value at most."""
    if literal.kind is not LiteralKind.COMPUTE or literal.relation in COMPARISONS:
        return False
    places = [i for i, arg in enumerate(literal.args) for v in variables(arg) if v.name in free]
    return len(places) == 1 and (literal.relation in {'add', 'sub'} or places == [2])


def _bound(
    rule: NormalRule, single: frozenset[_Kind], legal: list[NormalRule]
) -> list[NormalRule]:
    if rule.relation != 'next/1' or signature(rule.args[0]) not in single:
        return [rule]
    fact = _fact_of(signature(rule.args[0]), rule.body)
    # Of a move that was *not* made, `legal` says nothing.
    holding = (lit for lit in rule.body if lit.kind is LiteralKind.HOLDS)
    moves = [lit.args for lit in holding if lit.relation == 'does/2']
    if fact is None or len(moves) != 1:
        return [rule]
    move = Compound('does', moves[0])
    # One copy for each rule by which the move can be legal.
    ways = [way for way in legal if unifiable(Compound('does', way.args), move)]
    told = [_told(fact, way) for way in ways]
    if not told or not all(told):
        return [rule]
    return [replace(rule, body=(*rule.body, *added)) for added in dict.fromkeys(told)]


def _told(fact: Term, way: NormalRule) -> tuple[Literal, ...]:
    """Return what a rule for `legal` says of the values of a fact of which there is one."""
    own = _fact_of(signature(fact), way.body)
    if own is None:
        return ()
    values: dict[str, Term] = {}
    added: list[Literal] = []
    for mine, its in zip(args_of(fact), args_of(own), strict=True):
        if isinstance(its, Variable) and its.name not in values:
            values[its.name] = mine
        elif is_ground(its):
            added.append(Literal(LiteralKind.EQUAL, '', (mine, its)))
    for literal in way.body:
        is_comparison = literal.relation in COMPARISONS and literal.variables() <= values.keys()
        if is_comparison and literal.kind in {LiteralKind.COMPUTE, LiteralKind.REFUTE}:
            args = tuple(values[a.name] if isinstance(a, Variable) else a for a in literal.args)
            added.append(replace(literal, args=args))
    return tuple(added)
