"""The first-order engine against the reference engine: the same answers, state by state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
import time

import pytest

from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.engine.firstorder.engine import FirstOrderEngine
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.errors import EngineLimitError, GdlError
from gdl_env.language.game import Game, Turns
from gdl_env.language.load import load_game

pytestmark = pytest.mark.prolog

ROOT = Path(__file__).parents[3]
CORPUS = ROOT.parent / 'shared' / 'gdl-corpus' / 'games'
# Long rule files, in characters, take long to compile.
LONG = 20_000
GAMES = [
    pytest.param(path, marks=[pytest.mark.slow] if path.stat().st_size > LONG else [])
    for path in sorted((ROOT / 'games').glob('*.gdl'))
]
# Recursion, negation, arithmetic of their own, large boards, percepts, chance, odd texts: a
# spread over the whole corpus for every run, more of it on request.
SAMPLE = sorted(CORPUS.glob('*.*'))[3::130] if CORPUS.is_dir() else []
STATES = 100
SECONDS = 4.0


def walk(engine: Engine, game: Game, random: Random) -> Iterator[tuple[State, dict[Role, Move]]]:
    """Yield the states of random matches, each with the moves made there (none at the end)."""
    while True:
        state = engine.initial_state
        for _ in range(60):
            actors = engine.actors(state)
            if engine.is_terminal(state) or not actors:
                break
            if game.turns is Turns.SERIAL:
                actors = (random.choice(actors),)
            chosen = {role: random.choice(engine.legal_moves(state)[role]) for role in actors}
            drawn = {
                role: random.choice(engine.outcomes(state, move)).value
                for role, move in chosen.items()
            }
            yield state, drawn
            state = engine.next_state(state, drawn)
        yield state, {}


def compare(game: Game, states: int, seconds: float) -> int:
    """Compare the engines on random matches; return the number of states."""
    with FirstOrderEngine(game) as engine, PrologEngine(game) as reference:
        assert engine.roles == reference.roles
        assert engine.initial_state == reference.initial_state
        engine.prepare()
        end = time.monotonic() + seconds
        for number, (state, moves) in enumerate(walk(engine, game, Random(1))):
            if number == states or (number and time.monotonic() > end):
                return number
            where = f'state {number} {sorted(map(str, state))}'
            assert engine.is_terminal(state) == reference.is_terminal(state), where
            assert engine.legal_moves(state) == reference.legal_moves(state), where
            assert engine.goals(state) == reference.goals(state), where
            assert engine.experiments(state) == reference.experiments(state), where
            for role in engine.roles:
                assert engine.view(state, role) == reference.view(state, role), where
            if moves:
                where = f'{moves} in {where}'
                assert engine.percepts(state, moves) == reference.percepts(state, moves), where
                assert engine.next_state(state, moves) == reference.next_state(state, moves), where
    raise AssertionError('unreachable: a walk has no end')


@pytest.mark.usefixtures('quick')
@pytest.mark.parametrize('path', GAMES, ids=lambda path: path.stem)
def test_own_games(path: Path) -> None:
    # Large games get as far as the time goes.
    assert compare(load_game(path), STATES, SECONDS) >= 5


@pytest.mark.usefixtures('quick')
@pytest.mark.skipif(not SAMPLE, reason='the corpus of public games is not there')
@pytest.mark.parametrize('path', SAMPLE, ids=lambda path: path.name)
def test_corpus_sample(path: Path) -> None:
    _compare_public(path)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.usefixtures('quick')
@pytest.mark.skipif(not SAMPLE, reason='the corpus of public games is not there')
@pytest.mark.parametrize('part', range(4))
def test_corpus(part: int) -> None:
    for path in sorted(CORPUS.glob('*.*'))[part::50]:
        _compare_public(path, is_skipping=False)


def _compare_public(path: Path, is_skipping: bool = True) -> None:
    try:
        game = load_game(path)
    except GdlError:
        if is_skipping:
            pytest.skip('not a game without errors')
        return
    try:
        assert compare(game, STATES, SECONDS) > 0, path
    except EngineLimitError as error:
        if is_skipping:
            pytest.skip(f'too slow for Prolog: {error}')
