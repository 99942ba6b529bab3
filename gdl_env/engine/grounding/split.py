"""Split long bodies: a variable that only some literals share is eliminated in a rule of its own.

`p(x) ← q(x, y), r(y, z), s(z)` has as many instances as there are (x, y, z); split into
`a(y) ← r(y, z), s(z)` and `p(x) ← q(x, y), a(y)` it has as many as (y, z) and (x, y) together.
This decides how large a ground program becomes, more than anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gdl_env.engine.grounding.literals import Literal, LiteralKind, NormalRule, relation_name
from gdl_env.language.keywords import COMPARISONS, ENDLESS
from gdl_env.language.terms import Compound, Term, Variable, variables

_BINDING = frozenset({LiteralKind.HOLDS, LiteralKind.CAN_HOLD})


def split_rules(rules: Sequence[NormalRule]) -> list[NormalRule]:
    """Return equivalent rules with shorter bodies."""
    splitter = _Splitter()
    split = [splitter.split(rule) for rule in rules]
    return [*split, *splitter.added]


def bound_by(literals: Sequence[Literal], is_all: bool = False) -> frozenset[str]:
    """Return the variables that get a value when these literals are evaluated together.

    Arithmetic that may have infinitely many answers gives none, unless these literals are all
    that there are: another one may bind its variable.
    """
    bound = frozenset[str]().union(*(lit.variables() for lit in literals if lit.kind in _BINDING))
    grown = True
    while grown:
        grown = False
        for literal in literals:
            free = literal.variables() - bound
            if free and _can_compute(literal, free, bound, is_all):
                bound |= free
                grown = True
    return bound


def _can_compute(
    literal: Literal, free: frozenset[str], bound: frozenset[str], is_all: bool
) -> bool:
    if literal.kind is LiteralKind.COMPUTE:
        unknown = [
            (literal.relation, place)
            for place, arg in enumerate(literal.args)
            for v in variables(arg)
            if v.name in free
        ]
        if literal.relation in COMPARISONS or len(unknown) != 1:
            return False
        return is_all or unknown[0] not in ENDLESS
    if literal.kind is LiteralKind.EQUAL:
        sides = [frozenset(v.name for v in variables(side)) for side in literal.args]
        return any(side <= bound for side in sides)
    return False


@dataclass
class _Splitter:
    added: list[NormalRule] = field(default_factory=list)
    # Parts already made, by their canonical form: equal parts of different rules are one relation.
    _known: dict[tuple[object, ...], str] = field(default_factory=dict)

    def split(self, rule: NormalRule) -> NormalRule:
        head = rule.head_variables()
        body = list(rule.body)
        while (part := self._best_part(head, body)) is not None:
            bucket, moved = part
            rest = [literal for literal in body if literal not in moved]
            kept_by_rest = head.union(*(literal.variables() for literal in rest))
            inside = dict.fromkeys(
                v.name for lit in bucket for arg in lit.args for v in variables(arg)
            )
            keep = tuple(name for name in inside if name in kept_by_rest)
            body = [*rest, self._relation(bucket, keep)]
        return NormalRule(rule.relation, rule.args, tuple(body))

    def _best_part(
        self, head: frozenset[str], body: list[Literal]
    ) -> tuple[list[Literal], list[Literal]] | None:
        """Return the literals of the cheapest elimination, and those it removes from the body."""
        everything = frozenset[str]().union(*(literal.variables() for literal in body))
        best: tuple[tuple[int, int, str], list[Literal], list[Literal]] | None = None
        for name in sorted(everything - head):
            moved = [literal for literal in body if name in literal.variables()]
            if len(moved) == len(body):
                continue
            bucket = self._with_binders(moved, body)
            if bucket is None:
                continue
            width = len(frozenset[str]().union(*(literal.variables() for literal in bucket)))
            key = width, len(moved), name
            if width < len(everything) and (best is None or key < best[0]):
                best = key, bucket, moved
        return None if best is None else best[1:]

    def _with_binders(self, moved: list[Literal], body: list[Literal]) -> list[Literal] | None:
        """Add literals until every variable of the part gets a value inside it."""
        bucket = list(moved)
        while True:
            wanted = frozenset[str]().union(*(lit.variables() for lit in bucket)) - bound_by(
                bucket
            )
            if not wanted:
                return bucket
            name = min(wanted)
            binders = [
                lit
                for lit in body
                if lit not in bucket and lit.kind in _BINDING and name in lit.variables()
            ]
            if not binders:
                return None
            bucket.append(min(binders, key=lambda lit: len(lit.variables())))

    def _relation(self, bucket: list[Literal], keep: tuple[str, ...]) -> Literal:
        renaming: dict[str, Variable] = {}
        for literal in bucket:
            for arg in literal.args:
                for v in variables(arg):
                    renaming.setdefault(v.name, Variable(f'v{len(renaming)}'))
        body = tuple(
            Literal(lit.kind, lit.relation, tuple(_rename(arg, renaming) for arg in lit.args))
            for lit in bucket
        )
        head = tuple(renaming[name] for name in keep)
        key = body, head
        if key not in self._known:
            name = relation_name(f'*part{len(self._known)}', len(keep))
            self._known[key] = name
            self.added.append(NormalRule(name, head, body))
        return Literal(LiteralKind.HOLDS, self._known[key], tuple(map(Variable, keep)))


def _rename(term: Term, renaming: dict[str, Variable]) -> Term:
    if isinstance(term, Variable):
        return renaming[term.name]
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_rename(arg, renaming) for arg in term.args))
    return term
