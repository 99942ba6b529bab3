"""What is known of a relation: the values that its arguments take, and what authors call them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from gdl_env.gui.drawing.axes import LARGEST, bare_name
from gdl_env.language.game import Game, is_role_name
from gdl_env.language.reader import read_term
from gdl_env.language.terms import (
    Compound,
    Range,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    is_ground,
    name_of,
    subterms,
)

SEES = 'sees'
Key = tuple[str, int]


@lru_cache(maxsize=100_000)
def read(text: str) -> Term:
    """Read a fact or a move; the same ones come again and again. Raises ValueError."""
    return read_term(text)


@dataclass
class RelationDomain:
    """One relation, by its arguments."""

    name: str
    values: list[set[Term]]
    # Names of variables and types at each argument.
    words: list[set[str]]
    # It occurs inside `sees`, or only there.
    is_seen: bool = False
    is_open: bool = False
    # Roles that alone may see it, as far as the rules name them; empty: any.
    seers: set[str] = field(default_factory=set)

    def may_be_seen_by(self, role: str) -> bool:
        """Tell whether a role could be shown its facts."""
        return not self.seers or role in self.seers

    @property
    def is_hidden(self) -> bool:
        """Tell whether its facts are only shown to those who see them."""
        return self.is_seen and not self.is_open


@dataclass
class GameDomain:
    """All relations of a game, by name and number of arguments; grows with what is seen."""

    relations: dict[Key, RelationDomain] = field(default_factory=dict)
    # Rises whenever something new was learned.
    version: int = 0
    # What belongs to each type that the rules declare.
    _members: dict[str, set[Term]] = field(default_factory=dict)

    def add(self, facts: Iterable[Term]) -> None:
        """Take in facts that are, or can be, the case."""
        for fact in facts:
            inner = bare(fact)
            if not isinstance(inner, Compound):
                continue
            relation = self.relation(inner.name, len(inner.args))
            for known, arg in zip(relation.values, inner.args, strict=True):
                if arg not in known:
                    known.add(arg)
                    self.version += 1

    def add_game(self, game: Game) -> None:
        """Take in what the rules say: the beginning, declared ranges, names of variables."""
        for rule in game.rules:
            head = name_of(rule.head)
            if head in {'init', 'next'}:
                self._note_visibility(args_of(rule.head)[0])
            if head == 'init' and is_ground(fact := args_of(rule.head)[0]):
                self.add([fact])
            elif head == 'type' and not rule.body and len(args_of(rule.head)) == 2:
                name, member = args_of(rule.head)
                self._members.setdefault(str(name), set()).add(member)
        # Only now are the relations of the state known.
        for rule in game.rules:
            for outer in rule.terms():
                for term in subterms(outer):
                    self._add_words(term)
        self.version += 1

    def relation(self, name: str, arity: int) -> RelationDomain:
        """Return what is known of a relation; it may be new."""
        key = name, arity
        if key not in self.relations:
            self.relations[key] = RelationDomain(
                name, [set() for _ in range(arity)], [set() for _ in range(arity)]
            )
        return self.relations[key]

    def _note_visibility(self, fact: Term) -> None:
        inner = bare(fact)
        if isinstance(inner, Compound):
            relation = self.relation(inner.name, len(inner.args))
            if inner is not fact:
                self._note_seer(relation, args_of(fact)[0])
            relation.is_open |= inner is fact

    def _note_seer(self, relation: RelationDomain, role: Term) -> None:
        if is_role_name(role) and (relation.seers or not relation.is_seen):
            relation.seers.add(str(role))
        else:
            relation.seers.clear()
        relation.is_seen = True

    def _add_words(self, term: Term) -> None:
        if not isinstance(term, Compound):
            return
        relation = self.relations.get((term.name, len(term.args)))
        if relation is None:
            return
        for index, arg in enumerate(term.args):
            inner: Term = arg
            if isinstance(arg, Typed):
                inner = arg.term
                if isinstance(arg.type, Range):
                    low, high = arg.type.low, arg.type.high
                    if high - low < LARGEST:
                        relation.values[index] |= {read(str(n)) for n in range(low, high + 1)}
                elif isinstance(arg.type, Symbol):
                    relation.words[index].add(bare_name(arg.type.name))
                    relation.values[index] |= self._members.get(arg.type.name, set())
            if isinstance(inner, Variable):
                relation.words[index].add(bare_name(inner.name))


def bare(fact: Term) -> Term:
    """Return what is seen, of a fact that says so: `(sees x (cell 1 1 o))` is a cell."""
    args = args_of(fact)
    if name_of(fact) == SEES and args and isinstance(args[-1], Compound | Symbol):
        return args[-1]
    return fact


def seers_of(fact: Term) -> list[str]:
    """Return who sees it, of a fact that says so."""
    return [str(args_of(fact)[0])] if bare(fact) is not fact else []
