"""The Prolog engine as its callers rely on it: contract, isolation, limits, recovery."""

from __future__ import annotations

import os
from pathlib import Path
import signal

import pytest

from gdl_env.engine.contract import Engine
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.engine.prolog.transpile import transpile
from gdl_env.errors import EngineError, EngineLimitError, EngineUnavailableError
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, load_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term

pytestmark = pytest.mark.prolog

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


def engine_of(text: str, **options: float) -> PrologEngine:
    return PrologEngine(game_from_text(text), **options)  # type: ignore[arg-type]


def terms(*texts: str) -> frozenset[Term]:
    return frozenset(map(read_term, texts))


RUNAWAYS = {
    'endless terms': '(<= (grow (f ?x)) (grow ?x)) (grow a) (<= (legal me ?x) (grow ?x))',
    'huge count': (
        '(<= (legal me go) (less ?n 0)'
        '(count ?n (d ?a) (d ?b) (d ?c) (d ?e) (d ?f) (d ?g) (d ?h)))'
        + ' '.join(f'(d {n})' for n in range(40))
    ),
    'endless numbers': '(<= (n ?y) (n ?x) (add ?x 1 ?y)) (n 0) (<= (legal me go) (n -1))',
}


@pytest.mark.parametrize('rules', RUNAWAYS.values(), ids=RUNAWAYS.keys())
def test_runaway_rules_end_in_an_error(rules: str) -> None:
    text = (
        f'(role me) (init a) (next a) (legal me stay) (goal me 50) (<= terminal (true z)) {rules}'
    )
    game, _ = _unchecked(text)
    engine = PrologEngine(game, time_limit=1.0, memory_limit=256)
    with engine:
        for _ in range(2):
            with pytest.raises(EngineLimitError, match='ran'):
                engine.legal_moves(engine.initial_state)
        # Still usable for what does not run away.
        assert engine.next_state(engine.initial_state, {}) == terms('a')


def _unchecked(text: str):  # type: ignore[no-untyped-def]
    """Read a game without the checker, which would refuse some of these."""
    from gdl_env.language.load import read_game
    from gdl_env.language.source import Source

    return read_game(Source(text))


def test_a_lost_worker_is_replaced() -> None:
    with engine_of(COUNTER) as engine:
        state = engine.initial_state
        up, down = engine.roles
        moves = {up: read_term('(plus 1)'), down: read_term('(minus 2)')}
        expected = engine.next_state(state, moves)
        process = engine._process._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)
        assert engine.next_state(state, moves) == expected


def test_an_engine_ends_its_process() -> None:
    engine = engine_of(COUNTER)
    assert engine.initial_state
    process = engine._process._process
    assert process is not None
    engine.close()
    assert process.poll() is not None
    engine.close()


def test_without_prolog_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('PATH', '/nonexistent')
    with pytest.raises(EngineUnavailableError, match='swi-prolog-nox'):
        engine_of(COUNTER).roles  # noqa: B018


def test_a_program_prolog_cannot_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('gdl_env.engine.prolog.engine.program', lambda *_: 'p(:-). q(')
    engine: Engine = engine_of(COUNTER)
    with pytest.raises(EngineError, match='did not start'):
        engine.roles  # noqa: B018


def test_names_of_others_are_not_run(tmp_path: Path) -> None:
    """A name may come in a message, or be that of a file, and is written into a comment."""
    mark = tmp_path / 'mark'
    odd = f"x\n:- shell('touch {mark}').\n"
    for text in (transpile(game_from_text(COUNTER, odd)), transpile(_load(tmp_path, odd))):
        assert ':- shell' in text and '\n:- shell' not in text
    with PrologEngine(game_from_text(COUNTER, odd)) as engine:
        assert len(engine.roles) == 2
    assert not mark.exists()


def _load(folder: Path, name: str) -> Game:
    # Names of files hold anything but a slash.
    path = folder / f'{name.replace("/", " ")}.gdl'
    path.write_text(COUNTER)
    return load_game(path)
