"""Places where values stand, the values seen there, and which places belong together.

A place is a kind (fact, move, percept, role or a relation of the game) and the way down to it.
Places belong together when a variable of a rule stands at both, or when they share a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from gdl_env.engine.circuit.network.vocabulary import RowVocabulary
from gdl_env.language.formulas import Atom
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import Compound, Symbol, Term, Variable, args_of, name_of

# Kind, then name, number of arguments and place of each compound on the way down.
Position: TypeAlias = tuple[str, tuple[tuple[str, int, int], ...]]
FACT, MOVE, PERCEPT, ROLE = 'fact', 'move', 'percept', 'role'
_INSIDE = {
    'init': (0, FACT),
    'next': (0, FACT),
    'true': (0, FACT),
    'base': (0, FACT),
    'legal': (1, MOVE),
    'does': (1, MOVE),
    'input': (1, MOVE),
    'sees': (1, PERCEPT),
}
_OF_ROLES = frozenset({'legal', 'does', 'input', 'sees', 'goal', 'role'})
# Heads whose variables need a type.
TYPED_HEADS = frozenset({'init', 'next', 'legal', 'sees'})


def walk(term: Term, kind: str) -> Iterator[tuple[Position, Term]]:
    """Yield a fact, move or percept and everything inside it, each with its place."""
    waiting: list[tuple[Position, Term]] = [((kind, ()), term)]
    while waiting:
        (kind, path), inner = waiting.pop(0)
        yield (kind, path), inner
        args = args_of(inner)
        waiting += [
            ((kind, (*path, (name_of(inner), len(args), place))), arg)
            for place, arg in enumerate(args)
        ]


def atom_places(term: Term) -> Iterator[tuple[Position, Term]]:
    """Yield what stands in an atom of a rule, each with its place."""
    args = args_of(term)
    index, kind = _INSIDE.get(name_of(term), (-1, ''))
    if name_of(term) in _OF_ROLES and args:
        yield (ROLE, ()), args[0]
    if 0 <= index < len(args):
        for position, inner in walk(args[index], kind):
            is_role = position[1][-1:] == (('sees', 2, 0),)
            yield ((ROLE, ()) if is_role else position), inner
    elif name_of(term) not in _OF_ROLES:
        yield from walk(term, f'{name_of(term)}/{len(args)}')


def head_variables(rule: Rule) -> Iterator[tuple[Position, Variable]]:
    """Yield the variables of a head that need a type, each with its place."""
    if name_of(rule.head) in TYPED_HEADS:
        for position, inner in atom_places(rule.head):
            if isinstance(inner, Variable) and position[0] != ROLE:
                yield position, inner


@dataclass(frozen=True)
class ArgumentPositions:
    """The places of a game and what can stand there."""

    game: Game
    vocabulary: RowVocabulary
    _parent: dict[Position, Position] = field(default_factory=dict)

    def values(self, position: Position) -> frozenset[Term]:
        """Return the values that can stand at a place."""
        return frozenset(self._values.get(position, ()))

    def values_nearby(self, position: Position) -> frozenset[Term]:
        """Return the values at all places that belong together with a place."""
        return frozenset(
            value
            for other, values in self._values.items()
            if self._class(other) == self._class(position)
            for value in values
        )

    def names(self, positions: Iterable[Position]) -> list[str]:
        """Return names for places: of their variables, most common first, then of relatives."""
        positions = list(positions)
        own: Counter[str] = Counter()
        related: Counter[str] = Counter()
        classes = {self._class(position) for position in positions}
        for position, names in self._variables.items():
            if position in positions:
                own.update(names)
            elif self._class(position) in classes:
                related.update(names)
        return [name for votes in (own, related) for name, _ in votes.most_common()]

    @cached_property
    def _values(self) -> dict[Position, dict[Term, None]]:
        found: dict[Position, dict[Term, None]] = {}
        # A whole fact or move is a value only where a rule has a variable for it.
        wanted = {place for rule in self.game.rules for place, _ in head_variables(rule)}
        lists: tuple[tuple[str, Iterable[Term]], ...] = (
            (FACT, self.vocabulary.own_facts),
            (MOVE, (move for _, move in self.vocabulary.legal)),
            (PERCEPT, (percept for _, percept in self.vocabulary.percepts)),
        )
        for kind, terms in lists:
            for term in terms:
                for position, inner in walk(term, kind):
                    if position in wanted or (not isinstance(inner, Compound) and position[1]):
                        found.setdefault(position, {})[inner] = None
        return found

    @cached_property
    def _variables(self) -> dict[Position, Counter[str]]:
        """Return the names of the variables at each place; joins the places on the way."""
        found: dict[Position, Counter[str]] = {}
        for rule in self.game.rules:
            at: dict[str, Position] = {}
            for term in _atoms(rule):
                for position, inner in atom_places(term):
                    if isinstance(inner, Variable):
                        found.setdefault(position, Counter())[inner.name] += 1
                        self._join(position, at.setdefault(inner.name, position))
        holders: dict[Term, Position] = {}
        for position, values in self._values.items():
            for value in values:
                if isinstance(value, Symbol):
                    self._join(position, holders.setdefault(value, position))
        return found

    def _class(self, position: Position) -> Position:
        self._variables  # noqa: B018 - joins the places
        return self._root(position)

    def _root(self, position: Position) -> Position:
        while self._parent.get(position, position) != position:
            position = self._parent[position]
        return position

    def _join(self, one: Position, other: Position) -> None:
        self._parent[self._root(one)] = self._root(other)


def _atoms(rule: Rule) -> Iterator[Term]:
    yield rule.head
    for formula in rule.formulas():
        if isinstance(formula, Atom):
            yield formula.term
