"""In which order literals can be evaluated, and what never gets a value."""

from __future__ import annotations

import pytest

from gdl_env.language.load import build_game
from gdl_env.language.ordering import Order, names, order
from gdl_env.language.parser import parse
from gdl_env.language.source import Source
from gdl_env.language.terms import variables


def ordered(rule: str) -> Order:
    (found,) = build_game(parse(Source(rule))).rules
    return order(found.body, outside=names(variables(found.head)))


ORDERS = [
    ('(<= h (distinct ?x 1) (p ?x))', ['(p ?x)', '(distinct ?x 1)']),
    ('(<= h (not (q ?x)) (p ?x))', ['(p ?x)', '(not (q ?x))']),
    ('(<= h (less ?y 3) (add ?x 1 ?y) (p ?x))', ['(p ?x)', '(add ?x 1 ?y)', '(less ?y 3)']),
    ('(<= h (not (distinct ?x ?y)) (p ?y))', ['(p ?y)', '(not (distinct ?x ?y))']),
    ('(<= h (count ?n (q ?x ?y)) (p ?x))', ['(p ?x)', '(count ?n (q ?x ?y))']),
    ('(<= h (add ?n ?n 6) (p ?n))', ['(p ?n)', '(add ?n ?n 6)']),
    ('(<= h (not (count 0 (q ?x))) p)', ['(not (count 0 (q ?x)))', 'p']),
    ('(<= h (not (count ?n (q ?x ?y))) (p ?n))', ['(p ?n)', '(not (count ?n (q ?x ?y)))']),
    ('(<= h (not (count 1 (q ?x ?y))) (p ?y))', ['(p ?y)', '(not (count 1 (q ?x ?y)))']),
    (
        '(<= h (not (or (count 1 (less ?x 2) (q ?x)) (count 2 (q ?x)))))',
        ['(not (or (count 1 (q ?x) (less ?x 2)) (count 2 (q ?x))))'],
    ),
    # A factor that is not 0 leaves one value: it is asked before what may have endless ones.
    (
        '(<= h (mod ?x 1 ?n) (mult 2 ?x 0) (p ?n))',
        ['(mult 2 ?x 0)', '(mod ?x 1 ?n)', '(p ?n)'],
    ),
    ('(<= h (mod ?x 1 2) (mult ?x -3 6))', ['(mult ?x -3 6)', '(mod ?x 1 2)']),
    ('(<= h (not (true (q ?x))))', ['(not (true (q ?x)))']),
    ('(<= h (not (does ?r (q ?x))) (p ?x))', ['(p ?x)', '(not (does ?r (q ?x)))']),
]


@pytest.mark.parametrize(('rule', 'expected'), ORDERS)
def test_order(rule: str, expected: list[str]) -> None:
    found = ordered(rule)
    assert [str(formula) for formula in found.formulas] == expected
    assert found.unbound == ()


UNBOUND = [
    ('(<= (h ?x) (not (q ?x)))', 'x'),
    ('(<= h (not (q ?x)) (not (p ?x)))', 'x'),
    ('(<= (h ?x) (not (true (q ?x))))', 'x'),
    ('(<= h (not (true (q ?x))) (not (true (p ?x))))', 'x'),
    ('(<= h (distinct ?x 1))', 'x'),
    ('(<= h (p ?x) (add ?x ?y ?z))', 'y z'),
    ('(<= (h ?x) (count ?n (p ?x)))', 'x'),
    ('(<= h (add ?n ?n 6))', 'n'),
    ('(<= h (add ?n 1 ?n))', 'n'),
    ('(<= h (not (count ?n (p ?x))))', 'n'),
    ('(<= (h ?x) (not (count 0 (p ?x))))', 'x'),
    ('(<= h (not (and (p ?x) (count 0 (q ?x)))))', 'x'),
    ('(<= h (not (and (count 1 (p ?x)) (count 0 (q ?x)))))', 'x'),
    ('(<= h (not (count 0 (p ?x) (less ?x ?y))))', 'y'),
    ('(<= h (or (p ?x) (less ?x 1)))', 'x'),
]


@pytest.mark.parametrize(('rule', 'missing'), UNBOUND)
def test_unbound(rule: str, missing: str) -> None:
    found = ordered(rule)
    assert names(v for item in found.unbound for v in item.variables) == set(missing.split())
