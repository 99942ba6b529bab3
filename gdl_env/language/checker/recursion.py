"""Recursion that can go on for ever.

GDL asks of each recursive condition that each of its arguments is ground, or is an argument of
the head, or stands in a condition outside of the recursion. A rule that breaks this is harmless
as long as it makes no new terms: there are only finitely many of the old ones. It is an error
where the head wraps what it got from the recursion into a function, and a warning where it
computes a number from it without any bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

from gdl_env.language.checker.graph import DependencyGraph
from gdl_env.language.checker.report import Report, distinct_names, listing, short
from gdl_env.language.dependencies import Relation
from gdl_env.language.formulas import And, Arithmetic, Atom, Formula, Not, Or
from gdl_env.language.game import Rule
from gdl_env.language.keywords import COMPARISONS
from gdl_env.language.ordering import Names, names
from gdl_env.language.terms import (
    Compound,
    Term,
    Variable,
    args_of,
    erase_types,
    is_ground,
    signature,
    variables,
)


def check_recursion(graph: DependencyGraph, report: Report) -> None:
    """Check every rule that has a condition of its own cycle."""
    seen: set[int] = set()
    for edge in graph.edges:
        if id(edge.rule) in seen or not graph.is_recursive(edge):
            continue
        seen.add(id(edge.rule))
        for call in _calls(edge.rule.body, _Context(graph.cycle_of(edge.source))):
            _check_call(edge.rule, call, report)


@dataclass(frozen=True)
class _Context:
    """The conditions that hold together with a recursive one."""

    cycle: frozenset[Relation]
    # The arguments of positive conditions outside of the cycle.
    anchors: frozenset[Term] = frozenset()
    arithmetic: tuple[Arithmetic, ...] = ()

    def extended(self, formulas: Iterable[Formula]) -> _Context:
        anchors, arithmetic = set(self.anchors), list(self.arithmetic)
        for formula in formulas:
            if isinstance(formula, Atom) and signature(formula.term) not in self.cycle:
                anchors |= {erase_types(arg) for arg in args_of(formula.term)}
            elif isinstance(formula, Arithmetic):
                arithmetic.append(formula)
            elif isinstance(formula, Not) and _is_comparison(formula.part):
                # (not (greater ?n 9)) is a bound as good as (less ?n 10).
                arithmetic.append(formula.part)
        return _Context(self.cycle, frozenset(anchors), tuple(arithmetic))


@dataclass(frozen=True)
class _Call:
    atom: Atom
    context: _Context


def _calls(body: Iterable[Formula], context: _Context) -> Iterator[_Call]:
    """Yield the recursive conditions, each with what surely holds beside it."""
    body = list(body)
    context = context.extended(body)
    for formula in body:
        if isinstance(formula, Atom) and signature(formula.term) in context.cycle:
            yield _Call(formula, context)
        elif isinstance(formula, And):
            yield from _calls(formula.parts, context)
        elif isinstance(formula, Or):
            for part in formula.parts:
                yield from _calls([part], context)


def _check_call(rule: Rule, call: _Call, report: Report) -> None:
    head_args = {erase_types(arg) for arg in args_of(rule.head)}
    anchored = names(v for term in call.context.anchors for v in variables(term))
    loose = [
        arg
        for arg in map(erase_types, args_of(call.atom.term))
        if not is_ground(arg) and arg not in head_args and arg not in call.context.anchors
    ]
    free = names(v for arg in loose for v in variables(arg)) - anchored
    if not free:
        return
    grown = [v for v in _wrapped(rule.head) if v.name in free]
    if grown:
        report.error(
            'unbounded-recursion',
            f"'{short(rule.head)}' is built from '{short(call.atom)}' again and again, with a"
            ' larger term each time',
            grown[0].span,
            f'{listing(distinct_names(grown))} also in a condition outside of the recursion, which'
            ' says where it ends',
        )
    elif _counts_up(rule, call, free, anchored):
        report.warning(
            'unbounded-recursion',
            f"'{short(rule.head)}' computes a new number from '{short(call.atom)}' each time, and"
            ' nothing says where it ends',
            call.atom.span,
            "a condition on the number, such as '(less ?n 100)'",
        )


def _wrapped(head: Term) -> list[Variable]:
    """Return the variables that stand inside a function in a head."""
    return [v for arg in args_of(head) if isinstance(arg, Compound) for v in variables(arg)]


def _counts_up(rule: Rule, call: _Call, free: Names, anchored: Names) -> bool:
    in_head = names(variables(rule.head))
    if in_head & anchored:
        return False
    arithmetic = call.context.arithmetic
    computed = _computed(free, anchored, arithmetic)
    makes_head = bool(in_head & (computed - free))
    return makes_head and not any(_bounds(formula, computed) for formula in arithmetic)


def _computed(free: Names, anchored: Names, arithmetic: Iterable[Arithmetic]) -> Names:
    """Return the variables whose numbers follow from those of the recursion, these included."""
    used = [_names_in(a.args) for a in arithmetic if a.relation not in COMPARISONS]
    reached = free
    while True:
        more = reached.union(*(u for u in used if u & reached)) - anchored
        if more == reached:
            return reached
        reached = more


def _bounds(formula: Arithmetic, computed: Names) -> bool:
    """Tell whether one side is a number of the recursion, and the other comes from elsewhere."""
    if not _is_comparison(formula):
        return False
    sides = [bool(_names_in([arg]) & computed) for arg in formula.args]
    return any(sides) and not all(sides)


def _is_comparison(formula: Formula) -> TypeGuard[Arithmetic]:
    return isinstance(formula, Arithmetic) and formula.relation in COMPARISONS


def _names_in(terms: Iterable[Term]) -> Names:
    return names(v for term in terms for v in variables(term))
