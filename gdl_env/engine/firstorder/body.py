"""Bodies of rules as nested loops.

Each literal is written around what follows it: a loop over its answers, or a test. Inside a
function or a lambda, `return true` says that enough was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl_env.engine.firstorder.arithmetic import write_arithmetic
from gdl_env.engine.firstorder.code import Env, Fresh, Lines, Then, block, test
from gdl_env.engine.firstorder.matching import Matching, is_known
from gdl_env.engine.firstorder.values import quote
from gdl_env.language.dependencies import DOES, TRUE, Relation
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
    walk,
)
from gdl_env.language.ordering import Names, Order, names
from gdl_env.language.terms import (
    Compound,
    Range,
    Symbol,
    Term,
    Variable,
    args_of,
    signature,
    variables,
)

if TYPE_CHECKING:
    from gdl_env.engine.firstorder.unit import Unit

FOUND = ['return true;']
_NOTHING: Names = frozenset()


class Body:
    """Writes bodies within one function."""

    def __init__(self, unit: Unit, relation: Relation) -> None:
        self.fresh = Fresh()
        self.matching = Matching(unit.values, self.fresh)
        self._unit = unit
        self._relation = relation
        # Under `not` and `count` a relation must be complete before it is asked.
        self._is_strict = False
        self._unplaced: frozenset[int] = frozenset()

    def write(self, placed: Order, env: Env, needed: Names, then: Then, *, is_test: bool) -> Lines:
        """Write an ordered body; `needed` are the variables that `then` asks for.

        `is_test` says that `then` ends it all with the first solution.
        """
        self._unplaced = frozenset(id(item.formula) for item in placed.unbound)
        return self._conjunction(list(placed.formulas), env, needed, then, is_test)

    def write_facts(
        self, relation: Relation, args: tuple[Term, ...], env: Env, needed: Names, then: Then
    ) -> Lines:
        """Write a loop over the facts of a relation, past its rules."""
        table = self._unit.facts(relation)
        return [] if table is None else self._lookup(f'g.{table}', args, env, needed, then)

    # ---- conjunctions

    def _conjunction(
        self, formulas: list[Formula], env: Env, needed: Names, then: Then, is_test: bool
    ) -> Lines:
        if not formulas:
            return then(env)
        first, rest = formulas[0], formulas[1:]
        if isinstance(first, And):
            return self._conjunction([*first.parts, *rest], env, needed, then, is_test)
        if _names(first) - env.keys():
            group = _connected(formulas, env)
            is_asked = any(needed & _names(formula) - env.keys() for formula in group)
            if not is_asked and not (is_test and len(group) == len(formulas)):
                # Only whether it holds matters, not how often: independent of all else.
                chosen = set(map(id, group))
                others = [formula for formula in formulas if id(formula) not in chosen]
                found = test(self._conjunction(group, env, _NOTHING, lambda _: FOUND, True))
                inner = self._conjunction(others, env, needed, then, is_test)
                return _check(found, inner)
        later = needed.union(*map(_names, rest))
        return self._literal(
            first,
            env,
            later,
            lambda inner: self._conjunction(rest, inner, needed, then, is_test),
        )

    def _literal(self, formula: Formula, env: Env, later: Names, then: Then) -> Lines:
        if id(formula) in self._unplaced and not isinstance(formula, Arithmetic):
            return [f'g.fail_unbound({quote(str(formula))});']
        if isinstance(formula, Atom):
            return self._atom(formula, env, later, then)
        if isinstance(formula, Distinct):
            left, right = (
                self.matching.value(t, env, 'make') for t in (formula.left, formula.right)
            )
            return block(f'if ({left} != {right})', then(env))
        if isinstance(formula, Arithmetic):
            return write_arithmetic(formula, self.matching, self.fresh, env, then)
        if isinstance(formula, Not):
            return self._not(formula, env, then)
        if isinstance(formula, Count):
            return self._count(formula, env, then)
        assert isinstance(formula, Or), 'conjunctions are flattened'
        return self._or(formula, env, later, then)

    # ---- atoms

    def _atom(self, atom: Atom, env: Env, later: Names, then: Then) -> Lines:
        relation, args = signature(atom.term), args_of(atom.term)
        if relation == TRUE:
            return self._true(args[0], env, later, then)
        if relation == DOES:
            return self._scan('g.moves', args, env, later, then)
        if self._unit.program.is_type(relation) and isinstance(args[0], Range):
            return self._range(args[0], args[1], env, then)
        if not self._unit.program.is_stored(relation):
            return self._call(relation, args, env, later, then)
        table = self._unit.facts(relation)
        return [] if table is None else self._lookup(f'g.{table}', args, env, later, then)

    def _true(self, fact: Term, env: Env, later: Names, then: Then) -> Lines:
        if isinstance(fact, Variable):
            self._unit.needs_all_facts = True
            return self._lookup('g.now->all', (fact,), env, later, then)
        if not isinstance(fact, Symbol | Compound):
            # A number: no kind of fact, but it may be one.
            return self._lookup('g.now->others', (fact,), env, later, then)
        table = self._unit.fluent(signature(fact))
        return self._lookup(f'g.now->{table}', args_of(fact), env, later, then)

    def _lookup(
        self, table: str, args: tuple[Term, ...], env: Env, later: Names, then: Then
    ) -> Lines:
        """Write a loop over the rows of a table, by an index on the arguments that are known."""
        known = [is_known(arg, env) for arg in args]
        keys = [self.matching.value(arg, env) for arg, k in zip(args, known, strict=True) if k]
        if all(known):
            return block(f'if ({table}.has({", ".join(keys)}))', then(env))
        if not any(known):
            return self._scan(table, args, env, later, then)
        index = self._unit.index(table, len(args), known)
        row, at = self.fresh('r'), self.fresh('i')
        columns = [(arg, f'{row}[{i}]') for i, arg in enumerate(args) if not known[i]]
        inner = self.matching.load(columns, env, _wanted(args, later), then)
        if not inner:
            return []
        first = f'{index}.first({", ".join((table, *keys))})'
        loop = f'for (int {at} = {first}; {at} >= 0; {at} = {index}.next({at}))'
        return block(loop, ['g.spend(1);', f'const int* {row} = {table}.row({at});', *inner])

    def _scan(
        self, table: str, args: tuple[Term, ...], env: Env, later: Names, then: Then
    ) -> Lines:
        row, at = self.fresh('r'), self.fresh('i')
        columns = [(arg, f'{row}[{i}]') for i, arg in enumerate(args)]
        inner = self.matching.load(columns, env, _wanted(args, later), then)
        loop = block(
            f'for (int {at} = 0; {at} < {table}.n; ++{at})',
            [f'const int* {row} = {table}.row({at});', *inner] if inner else [],
        )
        return ['g.spend(' + table + '.n);', *loop] if loop else []

    def _call(
        self, relation: Relation, args: tuple[Term, ...], env: Env, later: Names, then: Then
    ) -> Lines:
        """Write a call: its answers are computed once and looped over."""
        wanted = _wanted(args, later)
        mode = ''.join(_mode(arg, env, wanted) for arg in args)
        function = self._unit.call(relation, mode)
        if self._is_strict and self._unit.is_together(relation, self._relation):
            function += '_complete'
        given = [
            self.matching.value(a, env, 'make')
            for a, m in zip(args, mode, strict=True)
            if m == 'b'
        ]
        call = f'{function}({", ".join(("g", *given))})'
        free = [arg for arg, letter in zip(args, mode, strict=True) if letter == 'f']
        if not free:
            return block(f'if ({call})', then(env))
        answers, at, row = self.fresh('a'), self.fresh('i'), self.fresh('r')
        columns = [(arg, f'{row}[{i}]') for i, arg in enumerate(free)]
        inner = self.matching.load(columns, env, wanted, then)
        # Answers may be added while they are read: take the row again each time.
        loop = block(
            f'for (int {at} = 0; {at} < {answers}.n; ++{at})',
            ['g.spend(1);', f'const int* {row} = {answers}.row({at});', *inner] if inner else [],
        )
        return ['{', f'const auto& {answers} = {call};', *loop, '}'] if loop else []

    def _range(self, span: Range, value: Term, env: Env, then: Then) -> Lines:
        if is_known(value, env):
            number = self.fresh('n')
            within = f'{number} >= {span.low}LL && {number} <= {span.high}LL'
            is_number = f'g.terms.integer({self.matching.value(value, env)}, {number})'
            return block(f'if (int64_t {number}; {is_number} && {within})', then(env))
        place = self.fresh('v')
        inner = self.matching.match(value, place, env, then)
        return _stop_if(
            f'g.between({span.low}LL, {span.high}LL, 1, [&](const int {place}) -> bool', inner
        )

    # ---- not, or, count

    def _not(self, formula: Not, env: Env, then: Then) -> Lines:
        part = formula.part
        if isinstance(part, Distinct):
            left, right = part.left, part.right
            if not is_known(left, env):
                left, right = right, left
            place = self.fresh('v')
            inner = self.matching.match(right, place, env, then)
            value = self.matching.value(left, env, 'make')
            return ['{', f'const int {place} = {value};', *inner, '}'] if inner else []
        was_strict, self._is_strict = self._is_strict, True
        found = test(self._conjunction([part], env, _NOTHING, lambda _: FOUND, True))
        self._is_strict = was_strict
        return _check(found, then(env), '!')

    def _or(self, formula: Or, env: Env, later: Names, then: Then) -> Lines:
        branches = [_names(part) - env.keys() for part in formula.parts]
        wanted = sorted(frozenset().union(*branches) & later)
        if not wanted:
            found = [
                line
                for part in formula.parts
                for line in _scoped(
                    self._conjunction([part], env, _NOTHING, lambda _: FOUND, True)
                )
            ]
            return _check(test(found), then(env))
        if not all(branch.issuperset(wanted) for branch in branches):
            # A variable gets its value in one branch here and by a later literal in another.
            return [
                line
                for part in formula.parts
                for line in _scoped(self._conjunction([part], env, later, then, False))
            ]
        return self._join(formula, wanted, env, later, then)

    def _join(self, formula: Or, wanted: list[str], env: Env, later: Names, then: Then) -> Lines:
        """Write what follows once, as a function of the variables that every branch binds."""
        function = self.fresh('k')
        places = {name: self.fresh('v') for name in wanted}
        inner = then({**env, **places})
        if not inner:
            return []
        parameters = ', '.join(f'const int {place}' for place in places.values())
        lines = [
            f'const auto {function} = [&]({parameters}) -> bool {{',
            *inner,
            'return false;',
            '};',
        ]

        def follow(bound: Env) -> Lines:
            return [f'if ({function}({", ".join(bound[name] for name in wanted)})) return true;']

        for part in formula.parts:
            lines += _scoped(self._conjunction([part], env, frozenset(wanted), follow, False))
        return ['{', *lines, '}']

    def _count(self, formula: Count, env: Env, then: Then) -> Lines:
        counted = tuple(dict.fromkeys(v.name for p in formula.parts for v in formula_variables(p)))
        local = [name for name in counted if name not in env]
        was_strict, self._is_strict = self._is_strict, True
        parts = list(formula.parts)
        if any(isinstance(inner, Or) for part in parts for inner in walk(part)):
            # Branches may find the same solution: count different ones.
            found = self.fresh('s')
            start, number = f'Table<{len(local)}> {found};', f'{found}.n'

            def note(bound: Env) -> Lines:
                values = ', '.join(bound.get(name, 'NONE') for name in local)
                return [f'{found}.put({values});']
        else:
            # No two solutions are the same: rows of a table all differ.
            number = self.fresh('n')
            start = f'int64_t {number} = 0;'

            def note(bound: Env) -> Lines:
                return [f'++{number};']

        lines = _scoped(self._conjunction(parts, env, frozenset(local), note, False))
        self._is_strict = was_strict
        place = self.fresh('v')
        inner = self.matching.match(formula.number, place, env, then)
        if not inner:
            return []
        return ['{', start, *lines, f'const int {place} = g.terms.number({number});', *inner, '}']


def _names(formula: Formula) -> Names:
    return names(formula_variables(formula))


def _connected(formulas: list[Formula], env: Env) -> list[Formula]:
    """Return the formulas that share unknown variables with the first, directly or by others."""
    group = [formulas[0]]
    reached = set(_names(formulas[0]) - env.keys())
    waiting = formulas[1:]
    while True:
        more = [f for f in waiting if reached & _names(f)]
        if not more:
            break
        group += more
        waiting = [f for f in waiting if not any(f is other for other in more)]
        for formula in more:
            reached |= _names(formula) - env.keys()
    chosen = set(map(id, group))
    return [formula for formula in formulas if id(formula) in chosen]


def _wanted(args: tuple[Term, ...], later: Names) -> set[str]:
    """Return the variables whose values matter: asked for later, or twice in these arguments."""
    seen: set[str] = set()
    twice: set[str] = set()
    for arg in args:
        for variable in variables(arg):
            (twice if variable.name in seen else seen).add(variable.name)
    return twice | later


def _mode(arg: Term, env: Env, wanted: set[str]) -> str:
    """Return b for a bound argument, f for a free one, e where only existence matters."""
    if is_known(arg, env):
        return 'b'
    return 'e' if isinstance(arg, Variable) and arg.name not in wanted else 'f'


def _check(found: str, inner: Lines, sign: str = '') -> Lines:
    """Write a test, where it is not decided already."""
    if found in {'true', 'false'}:
        return inner if (found == 'true') != bool(sign) else []
    return block(f'if ({sign}{found})', inner)


def _scoped(lines: Lines) -> Lines:
    return ['{', *lines, '}'] if lines else []


def _stop_if(opening: str, inner: Lines) -> Lines:
    """Write a call with a lambda that may end the function around it."""
    return [f'if ({opening} {{', *inner, 'return false;', '})) return true;'] if inner else []
