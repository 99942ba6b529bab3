"""Rules in normal form: a head and a flat list of literals, without `or`, nested `not` or `count`.

What cannot be said flatly gets a relation of its own: a negated conjunction, a negation with a
variable of its own, the solutions that a `count` counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TypeAlias

from gdl_env.engine.grounding.budget import Budget
from gdl_env.engine.grounding.literals import (
    Counter,
    Literal,
    LiteralKind,
    NormalRule,
    relation_name,
)
from gdl_env.engine.grounding.outside import Ranges, find_bounds, make_bound, make_mark
from gdl_env.engine.grounding.split import bound_by
from gdl_env.language.formulas import (
    And,
    Arithmetic,
    Atom,
    Count,
    Distinct,
    Formula,
    Not,
    Or,
    formula_variables,
    solution_variables,
)
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import (
    Number,
    Range,
    Term,
    Variable,
    args_of,
    erase_types,
    name_of,
    variables,
)


@dataclass
class NormalProgram:
    """The rules of a game in normal form."""

    rules: list[NormalRule] = field(default_factory=list)
    counters: list[Counter] = field(default_factory=list)


Conjunction: TypeAlias = tuple[Formula, ...]
# Literals that give the variables of a body their values.
Givers: TypeAlias = tuple[Literal, ...]


def normalise(game: Game, budget: Budget) -> NormalProgram:
    """Bring the rules of a game into normal form."""
    return _Normaliser(game, budget).run()


@dataclass
class _Normaliser:
    game: Game
    budget: Budget
    program: NormalProgram = field(default_factory=NormalProgram)
    _fresh: int = 0

    def run(self) -> NormalProgram:
        ranges = Ranges(self.game)
        for number, rule in enumerate(self.game.rules):
            if name_of(rule.head) == 'typecombine' and len(args_of(rule.head)) == 3:
                self._union(rule)
                continue
            bounds = list(find_bounds(rule))
            for body in expand(rule.body, self.budget):
                literals = self._add(
                    _atom(erase_types(rule.head)), body, tuple(map(make_bound, bounds))
                )
                for place, bound in enumerate(bounds):
                    if ranges.can_leave(bound, literals):
                        outside = make_bound(bound, LiteralKind.FAILS)
                        mark = make_mark(rule, number, place, bound)
                        self.program.rules.append(
                            NormalRule('next/1', (mark,), (*literals, outside))
                        )
        self._ranges()
        self._typemaps()
        return self.program

    def _add(
        self, head: tuple[str, tuple[Term, ...]], body: Conjunction, bounds: tuple[Literal, ...]
    ) -> tuple[Literal, ...]:
        """Add a rule; return its literals without the bounds."""
        literals = self._literals(body, frozenset(v.name for a in head[1] for v in variables(a)))
        if head[0] == 'sees/2':
            # A percept for nobody in particular is for every role.
            everybody = Literal(LiteralKind.HOLDS, relation_name('role', 1), head[1][:1])
            bounds = (*bounds, everybody)
        self.program.rules.append(NormalRule(head[0], head[1], (*literals, *bounds)))
        return literals

    def _literals(
        self, body: Conjunction, head: frozenset[str], around: Givers = ()
    ) -> tuple[Literal, ...]:
        """Return the literals of a body; `around` gives values in the body that it is part of."""
        # What is local to another negation or count has nothing to do with this one.
        solved = [frozenset(v.name for v in solution_variables(formula)) for formula in body]
        rests = [
            head.union(*(names for i, names in enumerate(solved) if i != index))
            for index in range(len(body))
        ]
        givers: Givers = (*_givers(body), *around)
        made: dict[int, Literal] = {}
        waiting = [index for index, formula in enumerate(body) if isinstance(formula, Count)]
        while waiting:
            index = self._first_count(body, rests, waiting, givers)
            waiting.remove(index)
            formula = body[index]
            assert isinstance(formula, Count)
            made[index] = self._count(formula, rests[index], givers)
            # Other conditions may be about its number.
            givers = (*givers, replace(made[index], kind=LiteralKind.CAN_HOLD))
        result = (
            made[index] if index in made else self._literal(formula, rests[index], givers)
            for index, formula in enumerate(body)
        )
        return tuple(dict.fromkeys(result))

    def _first_count(
        self, body: Conjunction, rests: list[frozenset[str]], waiting: list[int], givers: Givers
    ) -> int:
        """Return a count whose parameters get their values without those that wait."""
        bound = bound_by(givers, is_all=True)
        for index in waiting:
            formula = body[index]
            assert isinstance(formula, Count)
            if {v.name for v in self._parameters(formula, rests[index])} <= bound:
                return index
        return waiting[0]

    def _literal(self, formula: Formula, rest: frozenset[str], givers: Givers) -> Literal:
        if isinstance(formula, Atom):
            return Literal(LiteralKind.HOLDS, *_atom(erase_types(formula.term)))
        if isinstance(formula, Distinct):
            return Literal(
                LiteralKind.DIFFER, '', (erase_types(formula.left), erase_types(formula.right))
            )
        if isinstance(formula, Arithmetic):
            args = tuple(map(erase_types, formula.args))
            return Literal(LiteralKind.COMPUTE, formula.relation, args)
        assert isinstance(formula, Not)
        return self._negation(formula.part, rest, givers)

    def _negation(self, part: Formula, rest: frozenset[str], givers: Givers) -> Literal:
        if isinstance(part, Distinct):
            return Literal(
                LiteralKind.EQUAL, '', (erase_types(part.left), erase_types(part.right))
            )
        if isinstance(part, Arithmetic) and _names(part) <= rest:
            args = tuple(map(erase_types, part.args))
            return Literal(LiteralKind.REFUTE, part.relation, args)
        if isinstance(part, Atom) and _names(part) <= rest:
            return Literal(LiteralKind.FAILS, *_atom(erase_types(part.term)))
        shared = self._shared((part,), rest)
        name = self._name('some')
        self._define(name, shared, (part,), givers)
        return Literal(LiteralKind.FAILS, relation_name(name, len(shared)), shared)

    def _parameters(self, formula: Count, rest: frozenset[str]) -> tuple[Variable, ...]:
        return self._shared(formula.parts, rest | _term_names(erase_types(formula.number)))

    def _count(self, formula: Count, rest: frozenset[str], givers: Givers) -> Literal:
        number = erase_types(formula.number)
        outer = self._parameters(formula, rest)
        inside = dict.fromkeys(v.name for p in formula.parts for v in solution_variables(p))
        taken = {v.name for v in outer}
        local = tuple(Variable(name) for name in inside if name not in taken)
        name = self._name('count')
        inner, domain = f'{name}_of', f'{name}_for'
        self._define(inner, (*outer, *local), formula.parts, givers, outer)
        self._domain(domain, outer, givers)
        relation = relation_name(name, len(outer) + 1)
        self.program.counters.append(
            Counter(
                relation,
                relation_name(inner, len(outer) + len(local)),
                relation_name(domain, len(outer)),
                len(outer),
            )
        )
        return Literal(LiteralKind.HOLDS, relation, (*outer, number))

    def _define(
        self,
        name: str,
        args: tuple[Variable, ...],
        parts: Conjunction,
        givers: Givers,
        given: tuple[Variable, ...] | None = None,
    ) -> None:
        """Add rules for a relation that holds where the parts hold.

        Variables shared with the body around it get their values from its givers.
        """
        shared = args if given is None else given
        head = relation_name(name, len(args)), args
        for branch in expand(parts, self.budget):
            literals = self._literals(branch, frozenset(v.name for v in args), givers)
            binders = self._binders(shared, givers, literals)
            rule = NormalRule(*head, tuple(dict.fromkeys((*binders, *literals))))
            self.program.rules.append(rule)

    def _domain(self, name: str, args: tuple[Variable, ...], givers: Givers) -> None:
        rule = NormalRule(relation_name(name, len(args)), args, tuple(self._binders(args, givers)))
        self.program.rules.append(rule)

    def _binders(
        self, wanted: tuple[Variable, ...], givers: Givers, others: Givers = ()
    ) -> Iterator[Literal]:
        """Yield literals that give the wanted variables their values; counts where none does.

        What cannot be computed with these and the others alone is left out.
        """
        names = frozenset(v.name for v in wanted)
        counts = {counter.relation for counter in self.program.counters}
        chosen = _connected([lit for lit in givers if lit.relation not in counts], names)
        if not names <= bound_by(chosen, is_all=True):
            chosen = _connected(givers, names)
        bound = bound_by((*chosen, *others), is_all=True)
        yield from (literal for literal in chosen if literal.variables() <= bound)

    def _shared(self, parts: Conjunction, rest: frozenset[str]) -> tuple[Variable, ...]:
        inside = dict.fromkeys(v.name for part in parts for v in formula_variables(part))
        return tuple(Variable(name) for name in inside if name in rest)

    def _name(self, what: str) -> str:
        self._fresh += 1
        return f'*{what}{self._fresh}'

    def _union(self, rule: Rule) -> None:
        whole, *parts = args_of(rule.head)
        value = Variable('value')
        for part in parts:
            body = (Literal(LiteralKind.HOLDS, 'type/2', (part, value)),)
            self.program.rules.append(NormalRule('type/2', (whole, value), body))

    def _ranges(self) -> None:
        """Add `(type [1,3] n)` facts for the ranges that bodies ask for."""
        ranges = {
            arg
            for rule in self.program.rules
            for literal in rule.body
            if literal.relation == 'type/2'
            for arg in literal.args
            if isinstance(arg, Range)
        }
        for span in sorted(ranges, key=str):
            for value in range(span.low, span.high + 1):
                self.program.rules.append(NormalRule('type/2', (span, Number(value)), ()))

    def _typemaps(self) -> None:
        """Add `(type t value)` facts for the values of typemaps."""
        heads = {
            rule.args[:2]: None for rule in self.program.rules if rule.relation == 'typemap/3'
        }
        for args in heads:
            self.program.rules.append(NormalRule('type/2', args, ()))


def expand(body: Sequence[Formula], budget: Budget) -> Iterator[Conjunction]:
    """Yield the conjunctions that a body stands for, without `or` and `and`."""
    for choice in product(*(list(_branches(formula, budget)) for formula in body)):
        budget.check('writing out its alternatives')
        yield tuple(formula for branch in choice for formula in branch)


def _branches(formula: Formula, budget: Budget) -> Iterator[Conjunction]:
    if isinstance(formula, Or):
        for part in formula.parts:
            yield from _branches(part, budget)
    elif isinstance(formula, And):
        yield from expand(formula.parts, budget)
    elif isinstance(formula, Not) and isinstance(formula.part, Not):
        yield from _branches(formula.part.part, budget)
    elif isinstance(formula, Not) and isinstance(formula.part, Or):
        yield from expand([Not(part) for part in formula.part.parts], budget)
    else:
        yield (formula,)


def _givers(body: Conjunction) -> Iterator[Literal]:
    """Yield what gives variables of a body their values, but for counts."""
    for formula in body:
        if isinstance(formula, Atom):
            yield Literal(LiteralKind.CAN_HOLD, *_atom(erase_types(formula.term)))
        elif isinstance(formula, Arithmetic):
            args = tuple(map(erase_types, formula.args))
            yield Literal(LiteralKind.COMPUTE, formula.relation, args)
        elif isinstance(formula, Not) and isinstance(formula.part, Distinct):
            part = formula.part
            sides = erase_types(part.left), erase_types(part.right)
            yield Literal(LiteralKind.EQUAL, '', sides)


def _connected(literals: Sequence[Literal], wanted: frozenset[str]) -> tuple[Literal, ...]:
    """Return the literals that have to do with the wanted variables, directly or by others."""
    needed = set(wanted)
    chosen: dict[Literal, None] = {}
    grown = True
    while grown:
        grown = False
        for literal in literals:
            if literal not in chosen and literal.variables() & needed:
                chosen[literal] = None
                if literal.kind is not LiteralKind.CAN_HOLD:
                    needed |= literal.variables()
                grown = True
    return tuple(chosen)


def _atom(term: Term) -> tuple[str, tuple[Term, ...]]:
    args = args_of(term)
    return relation_name(name_of(term), len(args)), args


def _names(formula: Formula) -> frozenset[str]:
    return frozenset(v.name for v in formula_variables(formula))


def _term_names(term: Term) -> frozenset[str]:
    return frozenset(v.name for v in variables(term))
