"""What the runtime asks of every game, and the facts of a state as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdl_env.engine.firstorder.body import FOUND, Body
from gdl_env.engine.firstorder.clause import Clause
from gdl_env.engine.firstorder.code import Env, Lines, block
from gdl_env.engine.firstorder.functions import atom
from gdl_env.engine.firstorder.program import INIT, NEXT, RANDOM
from gdl_env.engine.firstorder.values import NONE, quote
from gdl_env.language.dependencies import Relation
from gdl_env.language.formulas import Atom
from gdl_env.language.game import Turns
from gdl_env.language.keywords import NOOP
from gdl_env.language.keywords import RANDOM as NATURE
from gdl_env.language.ordering import names, order
from gdl_env.language.terms import (
    Compound,
    Symbol,
    Term,
    Variable,
    args_of,
    signature,
    variables,
)

if TYPE_CHECKING:
    from gdl_env.engine.firstorder.unit import Unit

# What is asked for one role, for everything, and how many values each answer has.
_OF_ROLE = ('legal', 'goal', 'sees')
_OF_ALL: tuple[Relation, ...] = (('role', 1), INIT, RANDOM)


def write_glue(unit: Unit) -> Lines:
    """Return the functions through which the runtime asks the rules."""
    return [
        *_constants(unit),
        *_terminal(unit),
        *(line for name in _OF_ROLE for line in _of_role(unit, name)),
        *(line for relation in _OF_ALL for line in _of_all(unit, relation)),
        *_add_fact(unit),
        *_list_facts(unit),
        *_next(unit),
    ]


def _constants(unit: Unit) -> Lines:
    game, values = unit.program.game, unit.values
    experiments = [values.constant(Symbol(name)) for name in sorted(game.experiments)]
    listed = ', '.join(map(str, experiments)) or str(NONE)
    return [
        f'static const bool IS_SERIAL = {"true" if game.turns is Turns.SERIAL else "false"};',
        f'static const int NOOP = {values.constant(Symbol(NOOP))};',
        f'static const int NATURE = {values.constant(Symbol(NATURE))};',
        f'static const int EXPERIMENTS = {len(experiments)};',
        f'static const int EXPERIMENT[] = {{{listed}}};',
    ]


def _terminal(unit: Unit) -> Lines:
    body = Body(unit, ('terminal', 0))
    lines = body.write(order([atom('terminal')]), {}, frozenset(), lambda _: FOUND, is_test=True)
    return ['static bool ask_terminal(Game& g) {', *lines, 'return false;', '}']


def _of_role(unit: Unit, name: str) -> Lines:
    """Return the function that gives the second argument of a relation for a role."""
    asked = atom(name, Variable('role'), Variable('0'))
    return [
        f'static bool ask_{name}(Game& g, const int role, Array<int>& out) {{',
        *_collect(unit, (name, 2), [asked], {'role': 'role'}, ['0']),
        'return false;',
        '}',
    ]


def _of_all(unit: Unit, relation: Relation) -> Lines:
    name, arity = relation
    wanted = [str(i) for i in range(arity)]
    lines: Lines = []
    if relation != RANDOM or 'random' not in unit.program.game.redefined:
        asked = atom(name, *map(Variable, wanted))
        lines = _collect(unit, relation, [asked], {}, wanted)
    return [f'static bool ask_{name}(Game& g, Array<int>& out) {{', *lines, 'return false;', '}']


def _collect(
    unit: Unit, relation: Relation, asked: list[Atom], env: Env, wanted: list[str]
) -> Lines:
    def push(bound: Env) -> Lines:
        return [f'out.push({bound[name]});' for name in wanted]

    body = Body(unit, relation)
    placed = order(asked, frozenset(env))
    return body.write(placed, env, frozenset(wanted), push, is_test=False)


# ---- facts of a state


def _add_fact(unit: Unit) -> Lines:
    """Return the function that puts a fact into its table."""
    cases: Lines = []
    symbols: Lines = []
    for name, arity in unit.program.fluents:
        table = unit.fluent((name, arity))
        if arity == 0:
            constant = unit.values.constant(Symbol(name))
            symbols += block(f'if (fact == {constant})', [f's.{table}.put();', 'return;'])
        else:
            values = ', '.join(f'g.terms.arg(fact, {i})' for i in range(arity))
            functor = unit.values.functor(name, arity)
            cases.append(f'case {functor}: s.{table}.put({values}); return;')
    return [
        'static void add_fact(Game& g, State& s, const int fact) {',
        'if ((fact & 1) == 0) {',
        *symbols,
        'switch (g.terms.look(fact).functor) {',
        *cases,
        'default: break;',
        '}',
        '}',
        's.others.put(fact);',
        '}',
    ]


def _list_facts(unit: Unit) -> Lines:
    """Return the function that gives the facts of a state as terms."""
    lines: Lines = []
    for name, arity in unit.program.fluents:
        table = f's.{unit.fluent((name, arity))}'
        if arity == 0:
            lines.append(f'if ({table}.n > 0) out.push({unit.values.constant(Symbol(name))});')
        else:
            functor = unit.values.functor(name, arity)
            made = f'out.push(g.terms.make_list({functor}, {table}.row(i), {arity}));'
            lines += block(f'for (int i = 0; i < {table}.n; ++i)', [made])
    lines += block('for (int i = 0; i < s.others.n; ++i)', ['out.push(s.others.row(i)[0]);'])
    return ['static void list_facts(Game& g, State& s, Array<int>& out) {', *lines, '}']


# ---- the next state


def _next(unit: Unit) -> Lines:
    """Return the function that derives the next state, right into its tables."""
    program = unit.program
    if program.is_next_asked:
        lines = _all_next(unit)
    else:
        lines = []
        for row in program.facts.get(NEXT, ()):
            lines += _put(unit, Body(unit, NEXT), row[0], {})
        for clause in program.clauses.get(NEXT, ()):
            lines += _next_clause(unit, clause)
    return ['static bool derive_next(Game& g) {', *lines, 'return false;', '}']


def _all_next(unit: Unit) -> Lines:
    fact = Variable('0')
    body = Body(unit, NEXT)
    return body.write(
        order([atom('next', fact)]),
        {},
        frozenset({'0'}),
        lambda env: [f'add_fact(g, *g.then, {env["0"]});'],
        is_test=False,
    )


def _next_clause(unit: Unit, clause: Clause) -> Lines:
    body = Body(unit, NEXT)
    head = names(variables(clause.head[0]))
    placed = order(clause.body, frozenset(), head, unit.estimate.cost)
    lines = body.write(
        placed,
        {},
        head,
        lambda env: _put(unit, body, clause.head[0], env),
        is_test=False,
    )
    return ['{', *lines, '}'] if lines else []


def _put(unit: Unit, body: Body, fact: Term, env: Env) -> Lines:
    if not names(variables(fact)) <= env.keys():
        return [f'g.fail_head({quote(str(fact))});']
    if isinstance(fact, Symbol | Compound):
        values = ', '.join(body.matching.value(arg, env, 'make') for arg in args_of(fact))
        return [f'g.then->{unit.fluent(signature(fact))}.put({values});']
    return [f'add_fact(g, *g.then, {body.matching.value(fact, env, "make")});']
