"""Which relation depends on which, by name and number of arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

from gdl_env.language.formulas import atoms
from gdl_env.language.game import Game
from gdl_env.language.terms import signature

Relation: TypeAlias = tuple[str, int]
Node = TypeVar('Node')

TRUE: Relation = ('true', 1)
DOES: Relation = ('does', 2)


@dataclass(frozen=True)
class Dependencies:
    """The dependency graph of a game's relations."""

    # For each relation the relations its rules use as they are, and under `not` or `count`.
    positive: Mapping[Relation, frozenset[Relation]]
    negative: Mapping[Relation, frozenset[Relation]]

    @classmethod
    def from_game(cls, game: Game) -> Dependencies:
        """Build the graph of a game."""
        positive: dict[Relation, set[Relation]] = {}
        negative: dict[Relation, set[Relation]] = {}
        for rule in game.rules:
            head = signature(rule.head)
            positive.setdefault(head, set())
            negative.setdefault(head, set())
            for formula in rule.body:
                for atom, is_negative in atoms(formula):
                    edges = negative if is_negative else positive
                    edges[head].add(signature(atom.term))
        return cls(
            {relation: frozenset(used) for relation, used in positive.items()},
            {relation: frozenset(used) for relation, used in negative.items()},
        )

    def uses(self, relation: Relation) -> frozenset[Relation]:
        """Return the relations that the rules of a relation use directly."""
        none: frozenset[Relation] = frozenset()
        return self.positive.get(relation, none) | self.negative.get(relation, none)

    def reachable(self, relation: Relation) -> frozenset[Relation]:
        """Return everything a relation depends on, itself only if it is recursive."""
        seen: set[Relation] = set()
        stack = list(self.uses(relation))
        while stack:
            current = stack.pop()
            if current not in seen:
                seen.add(current)
                stack.extend(self.uses(current))
        return frozenset(seen)

    @cached_property
    def component_of(self) -> Mapping[Relation, frozenset[Relation]]:
        """Return for each relation the set of relations on a common cycle with it."""
        graph = {relation: self.uses(relation) for relation in self.positive}
        return {
            relation: component for component in strong_components(graph) for relation in component
        }

    @cached_property
    def tabled(self) -> frozenset[Relation]:
        """Return the relations on a cycle that some positive use closes.

        Only these need a least fixed point. A cycle of negative uses alone is either not
        stratified (an error) or ends on the ground, as in `(<= (goal ?r 0) (not (goal ?r 100)))`.
        """
        return frozenset(
            relation
            for relation, component in self.component_of.items()
            if any(self.positive[member] & component for member in component)
        )


def strong_components(graph: Mapping[Node, Iterable[Node]]) -> list[frozenset[Node]]:
    """Return the strongly connected components, dependencies first (Tarjan, iterative)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    on_stack: set[Node] = set()
    stack: list[Node] = []
    components: list[frozenset[Node]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(tuple(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in graph:
                    continue
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(tuple(graph[successor]))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    members = set()
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        members.add(member)
                        if member == node:
                            break
                    components.append(frozenset(members))
    return components
