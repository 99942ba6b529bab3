"""Which relation depends on which, and the cycles among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from gdl_env.language.dependencies import Relation, strong_components
from gdl_env.language.formulas import Atom, atoms
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import signature


class Edge(NamedTuple):
    """The head of a rule depends on an atom of its body."""

    rule: Rule
    atom: Atom
    # The atom stands under `not` or `count`: its relation must be complete first.
    is_negative: bool
    # The relation that depends, and the one that it depends on.
    source: Relation
    target: Relation


@dataclass(frozen=True)
class DependencyGraph:
    """The relations of a game by name and number of arguments, with an edge for each body atom."""

    edges: tuple[Edge, ...]
    rules: tuple[Rule, ...]

    @classmethod
    def from_game(cls, game: Game) -> DependencyGraph:
        """Collect the edges of all rules."""
        edges = (
            Edge(rule, atom, is_negative, signature(rule.head), signature(atom.term))
            for rule in game.rules
            for formula in rule.body
            for atom, is_negative in atoms(formula)
        )
        return cls(tuple(edges), game.rules)

    @cached_property
    def outgoing(self) -> dict[Relation, list[Edge]]:
        """Return the edges by the relation they start at."""
        found: dict[Relation, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.source, []).append(edge)
        return found

    @cached_property
    def incoming(self) -> dict[Relation, list[Edge]]:
        """Return the edges by the relation they end at."""
        found: dict[Relation, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.target, []).append(edge)
        return found

    @cached_property
    def components(self) -> dict[Relation, int]:
        """Return for each relation the number of its strongly connected component."""
        targets: dict[Relation, set[Relation]] = {}
        for edge in self.edges:
            targets.setdefault(edge.source, set()).add(edge.target)
            targets.setdefault(edge.target, set())
        groups = strong_components(targets)
        return {node: number for number, group in enumerate(groups) for node in group}

    @cached_property
    def _cycles(self) -> dict[int, frozenset[Relation]]:
        members: dict[int, set[Relation]] = {}
        for relation, number in self.components.items():
            members.setdefault(number, set()).add(relation)
        return {number: frozenset(group) for number, group in members.items()}

    def cycle_of(self, relation: Relation) -> frozenset[Relation]:
        """Return the relations that a relation depends on and that depend on it, and itself."""
        return self._cycles[self.components[relation]]

    def is_recursive(self, edge: Edge) -> bool:
        """Tell whether the atom's relation depends on the rule's head in turn."""
        return self.components[edge.source] == self.components[edge.target]

    def reachable(self, roots: Iterable[Relation]) -> set[Relation]:
        """Return the relations that the roots depend on, the roots included."""
        found = set(roots)
        waiting = list(found)
        while waiting:
            for edge in self.outgoing.get(waiting.pop(), ()):
                if edge.target not in found:
                    found.add(edge.target)
                    waiting.append(edge.target)
        return found

    def ways_to(self, goal: Relation) -> dict[Relation, Edge]:
        """Return for each relation that depends on the goal the first edge of a shortest way."""
        found: dict[Relation, Edge] = {}
        waiting = [goal]
        for node in waiting:
            for edge in self.incoming.get(node, ()):
                if edge.source not in found and edge.source != goal:
                    found[edge.source] = edge
                    waiting.append(edge.source)
        return found
