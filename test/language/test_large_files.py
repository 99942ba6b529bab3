"""Files of a size that programs write are checked in seconds."""

from __future__ import annotations

import time

import pytest

from gdl_env.language.diagnostics import Diagnostic
from gdl_env.language.load import read_game
from gdl_env.language.source import Source

FRAME = """
(role r)
(init (at 1))
(<= (legal r go) (true (at 1)))
(<= (next (at 2)) (does r go))
(<= terminal (true (at 2)))
(goal r 100)
"""

# A tenth of what a user may have: 40,000 facts, 10,000 rules.
FACTS = ''.join(f'(edge n{i} n{i * 7 % 40_000})\n' for i in range(40_000))
CHAIN = ''.join(
    f'(<= (p{i + 1} ?x) (true (at ?x)) (p{i} ?x) (not (true (at {i}))))\n' for i in range(10_000)
)
FILES = {
    'facts': f'{FACTS} (<= (next (at ?x)) (true (at ?y)) (edge ?y ?x))',
    'rules': f'(p0 1) {CHAIN} (<= (goal r 0) (p10000 ?x))',
}


# Each of these once took time that grows with the square of its length, or the grammar's.
UNDEFINED = ''.join(f'(<= (goal r 0) (unknown_{i} ?x))\n' for i in range(10_000))
NEGATIONS = ''.join(f'(<= (p ?x n{i + 1}) (role ?x) (not (p ?x n{i})))\n' for i in range(5_000))
LOOSE = ''.join(f'(<= (p n{i} ?y) (p n0 ?x) (p ?x ?y) (not (q ?y)))\n' for i in range(2_000))
BLANKS = ''.join(f'(<= (next (at [1, 2]:?x)) (true (at ?x)) (at {i} ?x))\n' for i in range(5_000))
SHORTER = CHAIN[: CHAIN.index('(<= (p4000 ')]
ODD_FILES = {
    'undefined': UNDEFINED,
    'negations': f'(p r n0) {NEGATIONS} (<= (goal r 0) (p ?x n5))',
    'loose': f'(p n0 n1) {LOOSE} (<= (q ?x) (p ?y ?x) (p ?x ?y) (not (p ?x ?x)))',
    'blanks': BLANKS,
    'unclosed': f'(p0 1) {SHORTER}'.replace('(p2000 ?x)', '(p2000 ?x', 1),
    'colon': f'(p0 1) {SHORTER} (<= (goal r 0) (p1 :?x))',
}


@pytest.mark.parametrize('name', FILES)
def test_a_large_file(name: str) -> None:
    findings = check_within(4, FILES[name])
    assert findings == ()


@pytest.mark.parametrize('name', ODD_FILES)
def test_an_odd_large_file(name: str) -> None:
    codes = {finding.code for finding in check_within(4, ODD_FILES[name])}
    expected = {
        'undefined': {'undefined'},
        'blanks': {'undefined'},
        'loose': {'unstratified'},
        'unclosed': {'unbalanced'},
        'colon': {'bad-annotation'},
    }
    assert expected.get(name, set()) <= codes


def check_within(seconds: float, rules: str) -> tuple[Diagnostic, ...]:
    """Check rules in a time of the processor: twice what it takes on a loaded machine."""
    source = Source(FRAME + rules)
    began = time.process_time()
    _, findings = read_game(source)
    assert time.process_time() - began < seconds
    return findings
