"""One function for each relation and each way it is called.

A mode has a letter for each argument: `b` its value is given, `f` its values are asked for, `e`
only whether there is one matters. Answers are remembered for as long as nothing they depend on
changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl_env.engine.firstorder.body import FOUND, Body
from gdl_env.engine.firstorder.clause import Clause
from gdl_env.engine.firstorder.code import Env, Lines
from gdl_env.engine.firstorder.values import quote
from gdl_env.language.dependencies import Relation
from gdl_env.language.formulas import Atom
from gdl_env.language.ordering import names, order
from gdl_env.language.terms import Compound, Symbol, Term, Variable, variables

if TYPE_CHECKING:
    from gdl_env.engine.firstorder.unit import Unit


class Function:
    """Writes the function of one relation in one mode."""

    def __init__(self, unit: Unit, name: str, relation: Relation, mode: str) -> None:
        self.name = name
        self.relation = relation
        self.mode = mode
        self._unit = unit
        self._bound = mode.count('b')
        self._free = mode.count('f')
        self._is_recursive = unit.program.is_recursive(relation)
        # Sooner evaluated than looked up.
        self._is_cheap = not self._free and unit.estimate.is_cheap(relation, mode)

    @property
    def memo(self) -> Lines:
        """Return the tables in which answers are kept."""
        if self._is_cheap:
            return []
        kind = (
            f'Memo<{self._bound}, Answers<{self._free}>>'
            if self._free
            else f'Truths<{self._bound}>'
        )
        lines = [f'{kind} {self._memo};']
        if self._is_recursive:
            lines.append(
                f'Memo<{self._bound}, RecursiveAnswers<{self._free}>> {self._memo}_cyclic;'
            )
        return lines

    @property
    def declarations(self) -> Lines:
        """Return what other functions need to know."""
        lines = [f'{self._signature(self.name)};']
        if self._is_recursive:
            lines.append(f'{self._signature(self.name + "_complete")};')
        return lines

    def lines(self) -> Lines:
        """Return the function, below the rules it runs."""
        shown = f'{self.relation[0]}/{self.relation[1]} {self.mode}'.replace('\\', '/')
        lines = [f'// {shown.encode("ascii", "replace").decode()}', *self._find()]
        return [*lines, *(self._cyclic() if self._is_recursive else ()), *self._function(), '']

    # ---- the frame

    @property
    def _memo(self) -> str:
        return f'memo_{self.name}'

    @property
    def _clock(self) -> str:
        return f'g.{self._unit.program.lifetime(self.relation).value}'

    @property
    def _component(self) -> int:
        return self._unit.program.component(self.relation)

    @property
    def _given(self) -> str:
        return ', '.join(('g', *self._places))

    @property
    def _places(self) -> list[str]:
        return [f'in{i}' for i, letter in enumerate(self.mode) if letter == 'b']

    def _signature(self, name: str) -> str:
        result = f'const Table<{self._free}>&' if self._free else 'bool'
        parameters = ', '.join(('Game& g', *(f'const int {place}' for place in self._places)))
        return f'static {result} {name}({parameters})'

    def _plain(self) -> Lines:
        at = ', '.join((self._clock, 'is_new', *self._places))
        memo = f'g.{self._memo}'
        again = f'g.fail_negation({quote(self.relation[0])});'
        deep = 'g.descend();'
        if self._is_recursive:
            again = f'g.turn_cyclic({self._component});'
            deep = f'if (g.is_deep()) {again}'
        if self._free:
            return [
                f'auto& e = {memo}.at({at});',
                'if (!is_new) {',
                f'if (!e.is_complete) {again}',
                'return e;',
                '}',
                deep,
                f'{self.name}_find({", ".join(("g", "e", *self._places))});',
                'e.is_complete = true;',
                'return e;',
            ]
        kind = f'Truths<{self._bound}>'
        return [
            f'const int number = {memo}.at({at});',
            'if (!is_new) {',
            f'const char known = {memo}.states[number];',
            f'if (known == {kind}::BUSY) {again}',
            f'return known == {kind}::HOLDS;',
            '}',
            deep,
            f'const bool found = {self.name}_find({", ".join(("g", *self._places))});',
            f'{memo}.states[number] = found ? {kind}::HOLDS : {kind}::FAILS;',
            'return found;',
        ]

    def _function(self) -> Lines:
        if self._is_cheap:
            find = f'{self.name}_find({", ".join(("g", *self._places))})'
            return [f'{self._signature(self.name)} {{', f'return {find};', '}']
        head = [f'{self._signature(self.name)} {{']
        if self._is_recursive:
            head.append(
                f'if (g.cyclic[{self._component}]) return {self.name}_cyclic({self._given});'
            )
        return [*head, 'bool is_new = false;', *self._plain(), '}']

    def _cyclic(self) -> Lines:
        """Return the functions for a relation that comes back to a call which is under way."""
        entry = f'RecursiveAnswers<{self._free}>'
        keys = [f'key[{i}]' for i in range(self._bound)]
        find = f'{self.name}_find({", ".join(("g", *(("e",) if self._free else ()), *keys))})'
        scope = f'g.scopes[{self._component}]'
        evaluate = f'{self.name}_evaluate'
        given = (
            *('g', 'g', self._clock, f'g.{self._memo}_cyclic', scope, evaluate),
            *(quote(self.relation[0]), *self._places),
        )
        call = f'recur<{self._bound}, {self._free}>({", ".join(given)})'
        answer = '' if self._free else '.n > 0'
        return [
            f'static void {evaluate}(Game& g, Recursive* call) {{',
            f'auto& e = static_cast<{entry}&>(*call);',
            # A copy: calls that are made meanwhile may move the keys.
            *self._copy_key(),
            f'{find};' if self._free else f'if ({find}) e.put();',
            '}',
            f'{self._signature(self.name + "_cyclic")} {{',
            f'return {call}{answer};',
            '}',
            f'{self._signature(self.name + "_complete")} {{',
            f'if (!g.cyclic[{self._component}]) return {self.name}({self._given});',
            f'Scope* const outer = {scope};',
            f'{scope} = nullptr;',
            f'const auto& answers = {call};',
            f'{scope} = outer;',
            f'return answers{answer};',
            '}',
        ]

    def _copy_key(self) -> Lines:
        if not self._bound:
            return []
        return [
            f'int key[{self._bound}];',
            f'std::memcpy(key, g.{self._memo}_cyclic.calls.key(call->number), sizeof key);',
        ]

    # ---- the rules

    def _find(self) -> Lines:
        answers = [f'Table<{self._free}>& e'] if self._free else []
        places = [f'const int {place}' for place in self._places]
        lines: Lines = []
        if self._unit.facts(self.relation) is not None:
            lines += self._facts()
        for clause in self._unit.program.clauses[self.relation]:
            lines += self._clause(clause)
        parameters = ', '.join(('Game& g', *answers, *places))
        return [f'static bool {self.name}_find({parameters}) {{', *lines, 'return false;', '}']

    def _facts(self) -> Lines:
        args: tuple[Term, ...] = tuple(Variable(f'{i}') for i in range(len(self.mode)))
        env = {str(i): f'in{i}' for i, letter in enumerate(self.mode) if letter == 'b'}
        body = Body(self._unit, self.relation)
        lines = body.write_facts(
            self.relation,
            args,
            env,
            self._needed(args),
            lambda bound: self._emit(args, bound, body),
        )
        return ['{', *lines, '}']

    def _clause(self, clause: Clause) -> Lines:
        body = Body(self._unit, self.relation)
        given = [
            (arg, f'in{i}')
            for i, (arg, letter) in enumerate(zip(clause.head, self.mode, strict=True))
            if letter == 'b'
        ]

        def run(env: Env) -> Lines:
            return body.write(
                order(
                    clause.body,
                    frozenset(env),
                    names(v for arg in clause.head for v in variables(arg)),
                    self._unit.estimate.cost,
                ),
                env,
                self._needed(clause.head),
                lambda bound: self._emit(clause.head, bound, body),
                is_test=not self._free,
            )

        lines = body.matching.match_all(given, {}, run)
        return ['{', *lines, '}'] if lines else []

    def _needed(self, args: tuple[Term, ...]) -> frozenset[str]:
        free = (arg for arg, letter in zip(args, self.mode, strict=True) if letter == 'f')
        return names(v for arg in free for v in variables(arg))

    def _emit(self, args: tuple[Term, ...], env: Env, body: Body) -> Lines:
        if not self._free:
            return FOUND
        if not self._needed(args) <= env.keys():
            head = Compound(self.relation[0], args)
            return [f'g.fail_head({quote(str(head))});']
        free = [arg for arg, letter in zip(args, self.mode, strict=True) if letter == 'f']
        values = ', '.join(body.matching.value(arg, env, 'make') for arg in free)
        return [f'e.put({values});']


def atom(name: str, *args: Term) -> Atom:
    """Return an atom."""
    return Atom(Compound(name, args) if args else Symbol(name))
