"""Arithmetic relations against Python's, with each argument unknown in turn.

One game asks every relation in every way; the state says about which numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from gdl_env.engine.firstorder.engine import FirstOrderEngine
from gdl_env.errors import EngineLimitError, RuleError
from gdl_env.language.load import game_from_text
from gdl_env.language.terms import Compound, Number, Symbol, Term

RELATIONS = ('add', 'sub', 'mult', 'div', 'mod')
LARGEST = 2**63
INTEGERS = st.one_of(
    st.integers(-20, 20), st.integers(-(2**32), 2**32), st.integers(-LARGEST, LARGEST - 1)
)


def game_text() -> str:
    lines = ['(role me) (goal me 50) (<= terminal (true end)) (init a) (next a)']
    for relation in RELATIONS:
        for unknown in range(3):
            args = ['?a', '?b']
            args.insert(unknown, '?x')
            asked = f'({relation} {" ".join(args)})'
            lines.append(f'(<= (legal me (is ?x)) (true ({relation}_{unknown} ?a ?b)) {asked})')
        lines.append(f'(<= (legal me yes) (true ({relation}_all ?a ?b ?c)) ({relation} ?a ?b ?c))')
    lines += [
        f'(<= (legal me yes) (true ({r}_all ?a ?b)) ({r} ?a ?b))' for r in ('less', 'greater')
    ]
    return '\n'.join(lines)


@pytest.fixture(scope='module')
def engine() -> Iterator[FirstOrderEngine]:
    with FirstOrderEngine(game_from_text(game_text()), time_limit=10) as engine:
        yield engine


def ask(engine: FirstOrderEngine, question: str, *args: Term | int) -> str | set[int]:
    """Return the values of the unknown argument, {0} or {} for a test, or the name of an error."""
    terms = tuple(Number(arg) if isinstance(arg, int) else arg for arg in args)
    try:
        moves = engine.legal_moves(frozenset({Compound(question, terms)}))[Symbol('me')]
    except RuleError:
        return 'infinitely many'
    except EngineLimitError as error:
        assert '64 bits' in str(error)
        return 'too large'
    return {_value(move) for move in moves}


def _value(move: Term) -> int:
    if isinstance(move, Compound):
        (number,) = move.args
        assert isinstance(number, Number)
        return number.value
    return 0


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def result(relation: str, a: int, b: int) -> int | None:
    if relation == 'add':
        return a + b
    if relation == 'sub':
        return a - b
    if relation == 'mult':
        return a * b
    if b == 0:
        return None
    return truncated(a, b) if relation == 'div' else a % b


@pytest.mark.parametrize('relation', RELATIONS)
@given(a=INTEGERS, b=INTEGERS)
@settings(max_examples=150, deadline=None)
def test_third_argument(engine: FirstOrderEngine, relation: str, a: int, b: int) -> None:
    c = result(relation, a, b)
    answer = ask(engine, f'{relation}_2', a, b)
    if c is None:
        assert answer == set()
    elif not -LARGEST <= c < LARGEST:
        assert answer == 'too large'
    else:
        assert answer == {c}
        assert ask(engine, f'{relation}_all', a, b, c) == {0}
        other = c + 1 if c < LARGEST - 1 else c - 1
        assert ask(engine, f'{relation}_all', a, b, other) == set()


@pytest.mark.parametrize('relation', ['add', 'sub', 'mult'])
@given(a=INTEGERS, c=INTEGERS)
@settings(max_examples=150, deadline=None)
def test_other_arguments(engine: FirstOrderEngine, relation: str, a: int, c: int) -> None:
    """What is found solves the question, and what cannot be shown is refused."""
    for unknown in (0, 1):
        answer = ask(engine, f'{relation}_{unknown}', a, c)
        if isinstance(answer, str):
            assert answer == 'too large' or (relation, a, c) == ('mult', 0, 0)
            continue
        if relation != 'mult':
            assert len(answer) == 1
        for x in answer:
            assert result(relation, *((x, a) if unknown == 0 else (a, x))) == c


@pytest.mark.parametrize('relation', RELATIONS)
@pytest.mark.parametrize('unknown', [0, 1])
def test_every_small_case(engine: FirstOrderEngine, relation: str, unknown: int) -> None:
    """All answers within ±200 are found, and an infinite set of answers is an error."""
    for known, c in product(range(-4, 5), repeat=2):
        wide = [
            x
            for x in range(-200, 201)
            if result(relation, *((x, known) if unknown == 0 else (known, x))) == c
        ]
        answer = ask(engine, f'{relation}_{unknown}', known, c)
        expected = 'infinitely many' if len(wide) > 50 else set(wide)
        assert answer == expected, (relation, unknown, known, c)


@given(a=INTEGERS, b=INTEGERS)
@settings(max_examples=100, deadline=None)
def test_comparisons(engine: FirstOrderEngine, a: int, b: int) -> None:
    assert ask(engine, 'less_all', a, b) == ({0} if a < b else set())
    assert ask(engine, 'greater_all', a, b) == ({0} if a > b else set())


@pytest.mark.parametrize('relation', RELATIONS)
def test_what_is_no_integer(engine: FirstOrderEngine, relation: str) -> None:
    for unknown in range(3):
        assert ask(engine, f'{relation}_{unknown}', Symbol('a'), 1) == set()
        assert ask(engine, f'{relation}_{unknown}', 1, Compound('f', (Number(1),))) == set()
