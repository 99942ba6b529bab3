"""Rules that never apply to the same step.

A role makes one move a step, so rules that ask for different moves of it exclude each other. So do
rules of which one asks for what another denies, itself or by a relation: `(does ?r up)` and
`(not moved)`, where `moved` holds if `(does ?player ?anything)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from gdl_env.engine.grounding.literals import Literal, LiteralKind, NormalRule
from gdl_env.language.terms import Compound, Term, Variable, args_of, is_ground, name_of
from gdl_env.language.unify import unifiable


class Exclusion:
    """Proves of two rules of a game that they exclude each other."""

    def __init__(self, rules: Sequence[NormalRule]) -> None:
        self._rules = rules
        roles = {rule.args[0] for rule in rules if rule.relation == 'role/1'}
        # Where there is one role, every move is its own.
        self._role = next(iter(roles)) if len(roles) == 1 else None

    def moves(self, body: Sequence[Literal]) -> list[tuple[Term, Term]]:
        """Return the moves that a body asks for, with their roles."""
        held = (lit.args for lit in body if _holds(lit) and lit.relation == 'does/2')
        return [(self._role or role, move) for role, move in held]

    def excludes(self, first: NormalRule, second: NormalRule) -> bool:
        """Tell whether no step is one that both rules apply to, as far as that is easy to see."""
        pairs = product(self.moves(first.body), self.moves(second.body))
        if any(
            is_ground(mine) and mine == its and not unifiable(move, other)
            for (mine, move), (its, other) in pairs
        ):
            return True
        return self._denies(first, second) or self._denies(second, first)

    def _denies(self, rule: NormalRule, other: NormalRule) -> bool:
        """Tell whether a rule denies what another one asks for."""
        denied = [lit for lit in rule.body if lit.kind is LiteralKind.FAILS]
        return any(self._follows(lit, other.body) for lit in denied)

    def _follows(self, denied: Literal, body: Sequence[Literal]) -> bool:
        """Tell whether an atom without variables holds wherever a body does."""
        if not all(is_ground(arg) for arg in denied.args):
            return False
        held = [lit for lit in body if _holds(lit)]
        if any((lit.relation, lit.args) == (denied.relation, denied.args) for lit in held):
            return True
        ways = (r for r in self._rules if (r.relation, r.args) == (denied.relation, denied.args))
        asked = [way.body[0] for way in ways if len(way.body) == 1 and _holds(way.body[0])]
        return any(_is_instance(lit, pattern) for lit in held for pattern in asked)


def _holds(literal: Literal) -> bool:
    return literal.kind is LiteralKind.HOLDS


def _is_instance(literal: Literal, pattern: Literal) -> bool:
    """Tell whether a literal is a pattern with values for the variables of that."""
    if literal.relation != pattern.relation:
        return False
    values: dict[str, Term] = {}
    pairs = list(zip(literal.args, pattern.args, strict=True))
    while pairs:
        term, general = pairs.pop()
        if isinstance(general, Variable):
            if values.setdefault(general.name, term) != term:
                return False
        elif isinstance(general, Compound) and isinstance(term, Compound):
            if (name_of(term), len(args_of(term))) != (name_of(general), len(args_of(general))):
                return False
            pairs += zip(args_of(term), args_of(general), strict=True)
        elif term != general:
            return False
    return True
