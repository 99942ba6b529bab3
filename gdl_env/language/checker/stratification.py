"""Negation inside a cycle: a relation that holds where it does not hold."""

from __future__ import annotations

from gdl_env.language.checker.graph import DependencyGraph, Edge
from gdl_env.language.checker.report import Report, see, short
from gdl_env.language.dependencies import Relation, strong_components
from gdl_env.language.game import Rule
from gdl_env.language.terms import signature
from gdl_env.language.unify import unifiable


def check_stratification(graph: DependencyGraph, report: Report) -> None:
    """Report negations in a cycle, first by relation, then, where that is too coarse, by rule.

    `(<= (goal ?r 0) (not (goal ?r 100)))` is a cycle of the relation `goal`, but no rule for
    `(goal … 100)` needs this one, so all is well.
    """
    suspects: dict[int, list[Edge]] = {}
    for edge in graph.edges:
        if edge.is_negative and graph.is_recursive(edge):
            suspects.setdefault(graph.components[edge.source], []).append(edge)
    for component, edges in suspects.items():
        inside = [e for e in graph.edges if _is_inside(graph, e, component)]
        by_rule = _RuleGraph(inside, graph.rules)
        for edge in edges:
            closing = by_rule.closes_cycle(edge)
            if closing is not None:
                _report(edge, closing, report)


def _is_inside(graph: DependencyGraph, edge: Edge, component: int) -> bool:
    return graph.components[edge.source] == component == graph.components[edge.target]


class _RuleGraph:
    """The rules of one cycle of relations; an edge where a body atom fits a head."""

    def __init__(self, edges: list[Edge], rules: tuple[Rule, ...]) -> None:
        sources = {edge.source for edge in edges}
        self._heads: dict[Relation, list[Rule]] = {}
        for rule in rules:
            if rule.body and signature(rule.head) in sources:
                self._heads.setdefault(signature(rule.head), []).append(rule)
        self._fitting = {id(edge): self._fit(edge) for edge in edges}
        outgoing: dict[int, set[int]] = {
            id(rule): set() for rules_ in self._heads.values() for rule in rules_
        }
        for edge in edges:
            outgoing[id(edge.rule)].update(map(id, self._fitting[id(edge)]))
        groups = strong_components(outgoing)
        self._component = {node: number for number, group in enumerate(groups) for node in group}

    def _fit(self, edge: Edge) -> list[Rule]:
        heads = self._heads.get(edge.target, ())
        return [rule for rule in heads if unifiable(edge.atom.term, rule.head)]

    def closes_cycle(self, edge: Edge) -> Rule | None:
        """Return a rule that the atom may need and that needs the atom's rule in turn."""
        own = self._component[id(edge.rule)]
        fitting = (r for r in self._fitting[id(edge)] if self._component[id(r)] == own)
        return next(fitting, None)


def _report(edge: Edge, closing: Rule, report: Report) -> None:
    name, own = edge.target[0], edge.source[0]
    if name == own:
        cycle = f"'{own}' asks for itself under 'not' or 'count'"
    else:
        cycle = (
            f"'{own}' asks under 'not' or 'count' for '{name}', which in turn depends on '{own}'"
        )
    report.error(
        'unstratified',
        f'{cycle}: this has no answer',
        edge.atom.span,
        "'not' and 'count' only on what does not depend on the head of the rule",
        see(closing.head, f"this rule for '{name}' closes the circle: {short(closing.head)}"),
    )
