"""Where Prolog's own unification is not enough, and what to write there.

Prolog lets a term hold itself: `d(A, f(A))`, asked as `d(V, V)`, would make V an endless term. A
head in which each variable occurs once cannot lead to that, so a head that repeats a variable gets
another name for each repetition, and the two are unified with a check. That is needed only where
an argument can be a compound that still has variables in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from gdl_env.language.dependencies import DOES, TRUE, Relation
from gdl_env.language.formulas import And, Atom, Formula, Or
from gdl_env.language.game import Game
from gdl_env.language.terms import (
    Compound,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    erase_types,
    is_ground,
    signature,
)

# Variables that must have the same value, in pairs.
Equalities = tuple[tuple[Variable, Variable], ...]


@dataclass(frozen=True)
class OpenRelations:
    """Relations of a game whose arguments can be compounds that still have variables in them."""

    game: Game

    def split(self, head: Symbol | Compound) -> tuple[Symbol | Compound, Equalities]:
        """Return the head of a rule with each variable in it once, and which are to be equal.

        Where no check is needed, the head stays as it is.
        """
        if signature(head) not in self._open:
            return head, ()
        seen: Counter[str] = Counter()
        equal: list[tuple[Variable, Variable]] = []
        split = _split(head, seen, equal)
        assert isinstance(split, Symbol | Compound), 'a head has a name'
        return split, tuple(equal)

    @cached_property
    def _open(self) -> frozenset[Relation]:
        asked: dict[Relation, set[Relation]] = {}
        found: set[Relation] = set()
        for rule in self.game.rules:
            if not rule.body:
                continue
            head = signature(rule.head)
            called = [f.term for f in rule.formulas() if isinstance(f, Atom)]
            called = [term for term in called if signature(term) not in {TRUE, DOES}]
            found |= {signature(term) for term in (rule.head, *called) if _has_open_compound(term)}
            asked.setdefault(head, set()).update(map(signature, called))
        # What a relation is asked with, it may ask others with.
        waiting = list(found)
        while waiting:
            new = asked.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return frozenset(found)


def _split(term: Term, seen: Counter[str], equal: list[tuple[Variable, Variable]]) -> Term:
    if isinstance(term, Typed):
        return _split(term.term, seen, equal)
    if isinstance(term, Variable):
        seen[term.name] += 1
        if seen[term.name] == 1:
            return term
        # No rule can write a blank in a name.
        other = Variable(f'{term.name} {seen[term.name]}')
        equal.append((term, other))
        return other
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_split(arg, seen, equal) for arg in term.args), term.span)
    return term


def _has_open_compound(atom: Term) -> bool:
    return any(isinstance(arg, Compound) and not is_ground(arg) for arg in args_of(atom))


def repeats_in_tail(formulas: Iterable[Formula]) -> bool:
    """Tell whether a body can end in a call that has one variable in two arguments.

    SWI-Prolog up to 9.0 makes two variables of it when it reuses the frame of the caller for its
    last call; another goal behind it prevents that.
    """
    *_, last = (None, *formulas)
    if isinstance(last, Atom):
        asked = args_of(last.term)[0] if signature(last.term) == TRUE else last.term
        args = map(erase_types, args_of(asked))
        plain = [arg.name for arg in args if isinstance(arg, Variable)]
        return len(plain) != len(set(plain))
    if isinstance(last, Or):
        return any(repeats_in_tail((part,)) for part in last.parts)
    return isinstance(last, And) and repeats_in_tail(last.parts)
