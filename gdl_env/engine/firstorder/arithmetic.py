"""Arithmetic literals: which argument is unknown is decided when the code is written."""

from __future__ import annotations

from gdl_env.engine.firstorder.code import Env, Fresh, Lines, Then, block
from gdl_env.engine.firstorder.matching import Matching, is_known
from gdl_env.engine.firstorder.values import integer, quote
from gdl_env.language.formulas import Arithmetic
from gdl_env.language.keywords import COMPARISONS
from gdl_env.language.terms import Number, Term, Variable

_LARGEST = 2**63

# The last argument, or a known one, from the first two ({0} and {1}).
_RESULTS = {
    'add': 'Wide({0}) + {1}',
    'sub': 'Wide({0}) - {1}',
    'mult': 'Wide({0}) * {1}',
    'div': 'g.quotient({0}, {1})',
    'mod': 'g.remainder({0}, {1})',
}
# The first or second argument from the two others.
_INVERSES = {
    ('add', 0): 'Wide({2}) - {1}',
    ('add', 1): 'Wide({2}) - {0}',
    ('sub', 0): 'Wide({2}) + {1}',
    ('sub', 1): 'Wide({0}) - {2}',
}


def write_arithmetic(
    formula: Arithmetic, matching: Matching, fresh: Fresh, env: Env, then: Then
) -> Lines:
    """Write one literal: a test where all is known, else the values of the unknown argument."""
    unknown = [i for i, arg in enumerate(formula.args) if _is_unknown(arg, env)]
    allowed = 0 if formula.relation in COMPARISONS else 1
    numbers: list[str] = []
    conditions: list[str] = []
    for index, arg in enumerate(formula.args):
        if index in unknown:
            if unknown.index(index) >= allowed:
                failure = [f'g.fail_unbound({quote(str(formula))});']
                return _guard(conditions, failure)
            numbers.append('')
        elif isinstance(arg, Number):
            matching.value(arg, env)  # raises for what does not fit
            numbers.append(integer(arg.value))
        elif not isinstance(arg, Variable):
            # No integer: the literal cannot hold.
            return []
        else:
            name = fresh('n')
            numbers.append(name)
            conditions.append(f'if (int64_t {name}; g.terms.integer({env[arg.name]}, {name}))')
    if not unknown:
        return _guard(conditions, block(f'if ({_holds(formula.relation, numbers)})', then(env)))
    return _guard(conditions, _solve(formula, unknown[0], numbers, matching, fresh, env, then))


def _is_unknown(arg: Term, env: Env) -> bool:
    return isinstance(arg, Variable) and not is_known(arg, env)


def _guard(conditions: list[str], inner: Lines) -> Lines:
    for condition in reversed(conditions):
        inner = block(condition, inner)
    return inner


def _holds(relation: str, numbers: list[str]) -> str:
    if relation == 'less':
        return f'{numbers[0]} < {numbers[1]}'
    if relation == 'greater':
        return f'{numbers[0]} > {numbers[1]}'
    result = f'{_RESULTS[relation].format(*numbers)} == {numbers[2]}'
    return f'{numbers[1]} != 0 && {result}' if relation in {'div', 'mod'} else result


def _solve(
    formula: Arithmetic,
    unknown: int,
    numbers: list[str],
    matching: Matching,
    fresh: Fresh,
    env: Env,
    then: Then,
) -> Lines:
    relation = formula.relation
    place = fresh('v')
    inner = matching.match(formula.args[unknown], place, env, then)
    if not inner:
        return []
    single = _RESULTS[relation] if unknown == 2 else _INVERSES.get((relation, unknown))
    if single is not None:
        value = f'const int {place} = g.terms.number({single.format(*numbers)});'
        lines = ['{', value, *inner, '}']
        return block(f'if ({numbers[1]} != 0)', lines) if relation in {'div', 'mod'} else lines
    if relation == 'mult':
        known = numbers[1 - unknown]
        shown = ', '.join('NONE' if not n else f'g.terms.number({n})' for n in numbers)
        value = f'const int {place} = g.factor({known}, {numbers[2]}, {shown});'
        return ['{', value, *block(f'if ({place} != NONE)', inner), '}']
    if (relation, unknown) == ('mod', 0):
        return [f'g.fail_modulo({numbers[1]}, {numbers[2]});']
    search = {('div', 0): 'dividends', ('div', 1): 'divisors', ('mod', 1): 'moduli'}[
        relation, unknown
    ]
    known = numbers[1] if unknown == 0 else numbers[0]
    opening = f'if (g.{search}({known}, {numbers[2]}, [&](const int {place}) -> bool {{'
    return [opening, *inner, 'return false;', '})) return true;']
