"""Files of a size that programs write are checked in seconds."""

from __future__ import annotations

import time

import pytest

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


@pytest.mark.parametrize('name', FILES)
def test_a_large_file(name: str) -> None:
    source = Source(FRAME + FILES[name])
    began = time.process_time()
    _, findings = read_game(source)
    assert findings == ()
    # Twice what a loaded machine takes; the grammar alone would take longer.
    assert time.process_time() - began < 4
