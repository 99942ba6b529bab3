"""Opening a game takes bounded processor time; what takes longer is left to the next engine."""

from __future__ import annotations

from time import process_time

import pytest

from gdl_env.engine.circuit.compiled import compile_game
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.grounding import budget
from gdl_env.engine.grounding.budget import GroundingLimits
from gdl_env.engine.grounding.errors import TimeLimitError
from gdl_env.engine.registry import open_engine
from gdl_env.language.library import find_game
from gdl_env.language.load import game_from_text, load_game

# A cycle on the ground, and a choice.
LINKS = """
(role a) (node 1) (node 2) (init (link 1 2))
(<= (legal a (add ?x ?y)) (node ?x) (node ?y))
(<= (next (link ?x ?y)) (does a (add ?x ?y)))
(<= (path ?x ?y) (true (link ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
(<= terminal (path 2 1)) (goal a 50)
"""

# 2^40 alternatives.
ALTERNATIVES = (
    '(role a) (init s) (p 1) (legal a go) (next s) (goal a 50)'
    + '(<= terminal {})'.format(' '.join(f'(or (p {n}) (true (q {n})))' for n in range(40)))
)


pytestmark = pytest.mark.usefixtures('own_cache')


class Clock:
    """A second goes by whenever it is looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(budget.time, 'process_time', self.look)

    def look(self) -> float:
        self.now += 1
        return self.now


def test_every_step_looks_at_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_from_text(LINKS)
    steps: set[str] = set()
    Clock(monkeypatch)
    for seconds in range(10_000):
        try:
            compile_game(game, GroundingLimits(seconds=seconds))
        except TimeLimitError as error:
            assert f'not ready after {seconds} s of processor time' in str(error)
            steps.add(str(error).partition('(while ')[2].rstrip(')'))
        else:
            break
    else:
        pytest.fail('never ready')
    assert steps >= {
        'writing out its alternatives',
        'grounding it',
        'sorting its rules',
        'wiring it',
        'building random play',
        'scheduling it',
        'preparing it for single states',
    }


@pytest.mark.prolog
def test_the_next_engine_takes_the_game_and_the_refusal_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = load_game(find_game('tictactoe'))
    with monkeypatch.context() as patch:
        Clock(patch)
        patch.setattr('gdl_env.engine.firstorder.compiler.OPTIMISATION', '-O0')
        with open_engine(game) as engine:
            assert engine.name != 'circuit'
            assert engine.passed_over[0][0] == 'circuit'
            assert 'not ready after 120 s of processor time' in engine.passed_over[0][1]
    with open_engine(game) as engine:
        assert (engine.name, engine.passed_over) == ('circuit', ())


def test_endless_alternatives_are_given_up() -> None:
    start = process_time()
    with pytest.raises(TimeLimitError, match='writing out its alternatives'):
        CircuitEngine(game_from_text(ALTERNATIVES), GroundingLimits(seconds=1))
    assert process_time() - start < 10


def test_waiting_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine: hours go by while the process gets no time."""
    hours = iter(range(0, 10**9, 3600))
    monkeypatch.setattr('time.monotonic', lambda: float(next(hours)))
    monkeypatch.setattr('time.perf_counter', lambda: float(next(hours)))
    assert CircuitEngine(game_from_text(LINKS)).roles
