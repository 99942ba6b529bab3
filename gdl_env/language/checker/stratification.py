"""Negation inside a cycle: a relation that holds where it does not hold."""

from __future__ import annotations

from collections.abc import Iterable

from gdl_env.language.checker.graph import DependencyGraph, Edge
from gdl_env.language.checker.report import Report, see, short
from gdl_env.language.dependencies import Relation, strong_components
from gdl_env.language.game import Rule
from gdl_env.language.terms import (
    Number,
    Symbol,
    Term,
    Variable,
    args_of,
    erase_types,
    signature,
    substitute,
    variables,
)
from gdl_env.language.unify import unifiable


def check_stratification(graph: DependencyGraph, report: Report) -> None:
    """Report negations in a cycle, first by relation, then, where that is too coarse, by rule.

    `(<= (goal ?r 0) (not (goal ?r 100)))` is a cycle of the relation `goal`, but no rule for
    `(goal … 100)` needs this one, so all is well.
    """
    suspects: dict[int, list[Edge]] = {}
    inside: dict[int, list[Edge]] = {}
    for edge in graph.edges:
        if graph.is_recursive(edge):
            component = graph.components[edge.source]
            inside.setdefault(component, []).append(edge)
            if edge.is_negative:
                suspects.setdefault(component, []).append(edge)
    for component, edges in suspects.items():
        by_rule = _RuleGraph(inside[component])
        for edge in edges:
            closing = by_rule.closes_cycle(edge)
            if closing is not None:
                _report(edge, closing, report)


class _RuleGraph:
    """The rules of one cycle of relations, and the atoms that fit their heads.

    Atoms that differ only in the names of their variables are one node: a large file has many
    rules, but few kinds of atoms, or such with constants, for which there is an index of heads.
    """

    def __init__(self, edges: list[Edge]) -> None:
        rules = {id(edge.rule): edge.rule for edge in edges}
        heads = _HeadIndex(rules.values())
        # The rules whose heads fit a kind of atom.
        self._fitting: dict[Term, list[Rule]] = {}
        outgoing: dict[int | Term, set[int | Term]] = {number: set() for number in rules}
        for edge in edges:
            kind = _rename_variables(edge.atom.term)
            outgoing[id(edge.rule)].add(kind)
            if kind not in self._fitting:
                self._fitting[kind] = heads.fit(kind)
                outgoing[kind] = set(map(id, self._fitting[kind]))
        groups = strong_components(outgoing)
        self._component = {node: number for number, group in enumerate(groups) for node in group}

    def closes_cycle(self, edge: Edge) -> Rule | None:
        """Return a rule that the atom may need and that needs the atom's rule in turn."""
        own = self._component[id(edge.rule)]
        kind = _rename_variables(edge.atom.term)
        if self._component[kind] != own:
            return None
        return next(r for r in self._fitting[kind] if self._component[id(r)] == own)


class _HeadIndex:
    """Rules by the constants in their heads."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._all: dict[Relation, list[Rule]] = {}
        # By relation, place and constant; those without a constant there by None.
        self._by_constant: dict[tuple[Relation, int, Term | None], list[Rule]] = {}
        for rule in rules:
            relation = signature(rule.head)
            self._all.setdefault(relation, []).append(rule)
            for place, arg in enumerate(args_of(rule.head)):
                self._by_constant.setdefault((relation, place, _constant(arg)), []).append(rule)

    def fit(self, atom: Term) -> list[Rule]:
        """Return the rules whose head has a common instance with an atom."""
        relation = signature(atom)
        candidates = self._all.get(relation, [])
        for place, arg in enumerate(args_of(atom)):
            constant = _constant(arg)
            if constant is not None:
                with_it = self._by_constant.get((relation, place, constant), [])
                open_ones = self._by_constant.get((relation, place, None), [])
                if len(with_it) + len(open_ones) < len(candidates):
                    candidates = [*with_it, *open_ones]
        return [rule for rule in candidates if unifiable(atom, rule.head)]


def _constant(term: Term) -> Term | None:
    plain = erase_types(term)
    return plain if isinstance(plain, Symbol | Number) else None


def _rename_variables(term: Term) -> Term:
    """Return a term without types, and with its variables numbered."""
    plain = erase_types(term)
    names = dict.fromkeys(variable.name for variable in variables(plain))
    return substitute(plain, {name: Variable(str(n)) for n, name in enumerate(names)})


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
