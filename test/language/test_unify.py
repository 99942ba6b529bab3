"""Whether two terms have a common instance."""

from __future__ import annotations

import pytest

from gdl_env.language.parser import parse_term
from gdl_env.language.unify import unifiable

CASES = [
    ('(goal ?r 0)', '(goal ?r 100)', False),
    ('(goal ?r 100)', '(goal x 100)', True),
    ('(p ?x ?x)', '(p 1 2)', False),
    ('(p ?x ?x)', '(p ?x 2)', True),
    ('(p ?x (f ?x))', '(p 1 (f 2))', False),
    ('(p ?x (f ?x))', '(p ?y ?y)', True),
    ('(p mark:?x)', '(p x)', True),
    ('(p [1,3]:1)', '(p 1)', True),
    ('(p 1)', '(p 1 2)', False),
    ('(p ?x ?y ?x)', '(p ?a ?a (f ?a))', True),
    ('(p ?x ?x ?y ?y ?x)', '(p (f ?a) ?a (f ?b) ?b ?b)', True),
    ('p', 'p', True),
    ('p', 'q', False),
]


@pytest.mark.parametrize(('left', 'right', 'expected'), CASES)
def test_unifiable(left: str, right: str, expected: bool) -> None:
    assert unifiable(parse_term(left), parse_term(right)) is expected
    assert unifiable(parse_term(right), parse_term(left)) is expected
