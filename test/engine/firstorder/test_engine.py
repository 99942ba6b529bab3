"""The first-order engine as its callers rely on it: contract, limits, recovery, threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
import threading

import pytest

from gdl_env.engine.firstorder.engine import FirstOrderEngine
from gdl_env.errors import EngineLimitError, EngineUnavailableError, RuleError
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, read_game
from gdl_env.language.reader import read_term
from gdl_env.language.source import Source
from gdl_env.language.terms import Number, Symbol, Term

pytestmark = pytest.mark.usefixtures('quick')

COUNTER = """
(role up) (role down)
(init (value 0)) (init (step 0))
(<= (legal up (plus ?n)) (amount ?n)) (amount 1) (amount 2)
(<= (legal down (minus ?n)) (amount ?n))
(<= (next (value ?v)) (true (value ?u)) (does up (plus ?p)) (does down (minus ?m))
    (add ?u ?p ?w) (sub ?w ?m ?v))
(<= (next (step ?n)) (true (step ?s)) (add ?s 1 ?n))
(<= terminal (true (step 3)))
(<= (goal up 100) (true (value ?v)) (greater ?v 0))
(<= (goal up 50) (true (value 0)))
(<= (goal up 0) (true (value ?v)) (less ?v 0))
(<= (goal down ?g) (goal up ?h) (sub 100 ?h ?g))
"""

TINY = '(role me) (init a) (next a) (legal me stay) (goal me 50) (<= terminal (true z))'


def engine_of(text: str, **options: float) -> FirstOrderEngine:
    return FirstOrderEngine(game_from_text(text), **options)  # type: ignore[arg-type]


def unchecked(text: str) -> Game:
    """Read a game without the checker, which would refuse some of these."""
    game, _ = read_game(Source(text))
    return game


def terms(*texts: str) -> frozenset[Term]:
    return frozenset(map(read_term, texts))


def test_threads_take_turns() -> None:
    with engine_of(COUNTER) as engine:
        up, down = engine.roles

        def run(plus: int) -> list[str]:
            state = engine.initial_state
            for _ in range(200):
                moves = {up: read_term(f'(plus {plus})'), down: read_term('(minus 1)')}
                state = engine.next_state(state, moves)
            return sorted(map(str, state))

        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(run, range(1, 9)))
        assert results == [['(step 200)', f'(value {200 * (n - 1)})'] for n in range(1, 9)]


# ---- limits

RUNAWAYS = {
    'endless terms': '(<= (grow (f ?x)) (grow ?x)) (grow a) (<= (legal me ?x) (grow ?x))',
    'huge count': (
        '(<= (legal me go) (less ?n 0)'
        '    (count ?n (d ?a) (d ?b) (d ?c) (d ?e) (d ?f) (d ?g) (d ?h)))'
        + ' '.join(f'(d {n})' for n in range(40))
    ),
    'endless numbers': '(<= (n ?y) (n ?x) (add ?x 1 ?y)) (n 0) (<= (legal me go) (n -1))',
    'endless pairs': (
        '(<= (n (p ?x ?y)) (n ?x) (n ?y)) (n 0) (<= (legal me go) (n ?x) (less ?x 0))'
    ),
    'a huge range': '(<= (legal me (say ?x)) (div ?x 4000000000000000000 0))',
    'a huge search': '(<= (legal me (say ?x)) (mod 9223372036854775807 ?x 2))',
    'endless calls': '(<= (n ?x) (sub ?x 1 ?y) (not (n ?y))) (<= (legal me go) (n 5))',
}


@pytest.mark.parametrize('rules', RUNAWAYS.values(), ids=RUNAWAYS.keys())
def test_runaway_rules_end_in_an_error(rules: str) -> None:
    engine = FirstOrderEngine(unchecked(TINY + rules), time_limit=1.0, memory_limit=64)
    with engine:
        for _ in range(2):
            with pytest.raises(EngineLimitError, match='ran'):
                engine.legal_moves(engine.initial_state)
            with pytest.raises(EngineLimitError, match='ran'):
                list(engine.playouts(1, seed=1, max_steps=5))
        # Still usable for what does not run away.
        assert engine.next_state(engine.initial_state, {}) == terms('a')


def test_runaway_on_a_small_stack() -> None:
    rules = '(<= (n ?x) (sub ?x 1 ?y) (not (n ?y))) (<= (legal me go) (n 5))'
    engine = FirstOrderEngine(unchecked(TINY + rules), time_limit=5.0)
    caught: list[str] = []

    def run() -> None:
        try:
            engine.legal_moves(engine.initial_state)
        except EngineLimitError as error:
            caught.append(str(error))

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    engine.close()
    assert len(caught) == 1


@pytest.mark.parametrize('relation', ['add', 'mult'])
def test_numbers_beyond_64_bits_are_refused(relation: str) -> None:
    text = (
        '(role me) (init (n 9223372036854775807)) (goal me 50) (<= terminal (true z))'
        f'(<= (legal me (say ?y)) (true (n ?x)) ({relation} ?x 2 ?y)) (<= (next ?f) (true ?f))'
    )
    with engine_of(text) as engine:
        with pytest.raises(EngineLimitError, match='64 bits'):
            engine.legal_moves(engine.initial_state)
        with pytest.raises(EngineLimitError, match='64 bits'):
            engine.legal_moves(frozenset({Number(2**70)}))
        (me,) = engine.roles
        assert engine.legal_moves(terms('(n 4)'))[me]
    with pytest.raises(EngineLimitError, match='64 bits'):
        engine_of(text.replace('9223372036854775807', '9223372036854775808')).prepare()


def test_memory_is_freed_as_a_long_game_goes_on() -> None:
    """Terms that no state holds any more do not fill the memory."""
    text = (
        '(role me) (init (n 0)) (goal me 50) (<= terminal (true z)) (legal me go)'
        '(<= (next (n ?y)) (true (n ?x)) (add ?x 3 ?y))'
    )
    with FirstOrderEngine(game_from_text(text), memory_limit=4) as engine:
        (me,) = engine.roles
        state = terms('(n 0)')
        for _ in range(100_000):
            state = engine.next_state(state, {me: Symbol('go')})
        assert state == terms('(n 300000)')


def test_an_unbound_head_is_told_in_words() -> None:
    game = unchecked(TINY + '(<= (p ?x ?y) (q ?x)) (q 1) (<= (legal me (say ?y)) (p 1 ?y))')
    with FirstOrderEngine(game) as engine, pytest.raises(RuleError, match='no value'):
        engine.legal_moves(engine.initial_state)


def test_without_a_compiler_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv('PATH', '/nonexistent')
    with pytest.raises(EngineUnavailableError, match=r'g\+\+'):
        engine_of(COUNTER).roles  # noqa: B018


def test_a_closed_engine_may_be_closed_again() -> None:
    engine = engine_of(COUNTER)
    assert engine.initial_state
    engine.close()
    engine.close()
