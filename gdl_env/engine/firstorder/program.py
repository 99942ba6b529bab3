"""A game as the compiler sees it: ground facts and clauses by relation, without types."""

from __future__ import annotations

from enum import Enum
from functools import cached_property

from gdl_env.engine.firstorder.clause import Clause, erase
from gdl_env.engine.firstorder.shapes import split_shapes
from gdl_env.language.dependencies import DOES, TRUE, Dependencies, Relation
from gdl_env.language.formulas import Atom, atoms, terms_of, walk
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import (
    Compound,
    Symbol,
    Term,
    Variable,
    args_of,
    erase_types,
    is_ground,
    signature,
)

TYPE: Relation = ('type', 2)
TYPECOMBINE: Relation = ('typecombine', 3)
TYPEMAP: Relation = ('typemap', 3)
NEXT: Relation = ('next', 1)
INIT: Relation = ('init', 1)
RANDOM: Relation = ('random', 3)


class Lifetime(Enum):
    """How long the answers of a relation stay as they are."""

    FOREVER = 'static_clock'
    STATE = 'state_clock'
    MOVES = 'move_clock'


class ClauseProgram:
    """Facts and clauses of a game, and what depends on what."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.facts: dict[Relation, dict[tuple[Term, ...], None]] = {}
        self.clauses: dict[Relation, list[Clause]] = {}
        for rule in game.rules:
            self._add(rule)
        split_shapes(self.facts, self.clauses)

    # ---- what the writer asks

    def is_stored(self, relation: Relation) -> bool:
        """Tell whether a relation has nothing but facts."""
        return relation not in self.clauses

    def is_type(self, relation: Relation) -> bool:
        """Tell whether a relation is the type relation of the language."""
        return relation == TYPE and 'type' not in self.game.redefined

    def lifetime(self, relation: Relation) -> Lifetime:
        """Return how long answers of a relation can be kept."""
        used = self._reachable.get(relation, frozenset())
        if DOES in used:
            return Lifetime.MOVES
        return Lifetime.STATE if TRUE in used else Lifetime.FOREVER

    def component(self, relation: Relation) -> int:
        """Return the number of the cycle on which a relation lies."""
        return self._numbers[self.dependencies.component_of[relation]]

    def is_recursive(self, relation: Relation) -> bool:
        """Tell whether a relation depends on itself without `not` or `count`."""
        return relation in self.dependencies.tabled

    @cached_property
    def components(self) -> int:
        """Return the number of cycles."""
        return len(self._numbers)

    @cached_property
    def dependencies(self) -> Dependencies:
        """Return the dependency graph of the clauses."""
        positive: dict[Relation, set[Relation]] = {}
        negative: dict[Relation, set[Relation]] = {}
        for relation, clauses in self.clauses.items():
            positive[relation], negative[relation] = set(), set()
            for clause in clauses:
                for formula in clause.body:
                    for atom, is_negative in atoms(formula):
                        edges = negative if is_negative else positive
                        edges[relation].add(signature(atom.term))
        return Dependencies(
            {relation: frozenset(used) for relation, used in positive.items()},
            {relation: frozenset(used) for relation, used in negative.items()},
        )

    @cached_property
    def fluents(self) -> tuple[Relation, ...]:
        """Return the kinds of facts that the rules put into a state or ask it for."""
        found: dict[Relation, None] = {}
        for args in self.facts.get(INIT, ()):
            _note(found, args[0])
        for relation, clauses in self.clauses.items():
            for clause in clauses:
                if relation in {INIT, NEXT}:
                    _note(found, clause.head[0])
                for term in _terms(clause):
                    if signature(term) == TRUE:
                        _note(found, args_of(term)[0])
        for args in self.facts.get(NEXT, ()):
            _note(found, args[0])
        return tuple(found)

    @cached_property
    def is_next_asked(self) -> bool:
        """Tell whether a rule asks for `next` itself."""
        return any(NEXT in self.dependencies.uses(relation) for relation in self.clauses)

    # ---- inside

    @cached_property
    def _reachable(self) -> dict[Relation, frozenset[Relation]]:
        return {relation: self.dependencies.reachable(relation) for relation in self.clauses}

    @cached_property
    def _numbers(self) -> dict[frozenset[Relation], int]:
        # In the order of the rules, so that the same game always gives the same text.
        component_of = self.dependencies.component_of
        found = dict.fromkeys(component_of[relation] for relation in self.clauses)
        return {component: number for number, component in enumerate(found)}

    def _add(self, rule: Rule) -> None:
        relation = signature(rule.head)
        if relation == TYPECOMBINE and 'typecombine' not in self.game.redefined:
            self._combine(rule)
            return
        head = tuple(erase_types(arg) for arg in args_of(rule.head))
        if relation == TYPEMAP and 'typemap' not in self.game.redefined:
            # A condition `(type t ?x)` runs over the values of a typemap, too.
            self.facts.setdefault(TYPE, {})[head[:2]] = None
        body = tuple(map(erase, rule.body))
        if not body and all(map(is_ground, head)):
            self.facts.setdefault(relation, {})[head] = None
        else:
            self.clauses.setdefault(relation, []).append(Clause(head, body))

    def _combine(self, rule: Rule) -> None:
        """`(typecombine t a b)` says that t has the values of a and those of b."""
        whole, *parts = args_of(rule.head)
        value = Variable('value')
        for part in parts:
            body = Atom(Compound('type', (part, value)))
            self.clauses.setdefault(TYPE, []).append(Clause((whole, value), (body,)))


def _terms(clause: Clause) -> list[Term]:
    return [term for formula in clause.body for inner in walk(formula) for term in terms_of(inner)]


def _note(found: dict[Relation, None], fact: Term) -> None:
    if isinstance(fact, Symbol | Compound):
        found[signature(fact)] = None
