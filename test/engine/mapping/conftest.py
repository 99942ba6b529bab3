"""What the tests of the mappings share: every game of `games/`, engines, random matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.contract import Engine
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import open_engine
from gdl_env.language.game import Game, Turns
from gdl_env.language.load import load_game

ROOT = Path(__file__).resolve().parents[3]
GAMES = ROOT / 'games'
# Its scores and turns are too many to be grounded quickly.
SLOW_TO_GROUND = {'pig'}
# Moves.
MANY = 1000


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `rule_file` on every game there is."""
    if 'rule_file' in metafunc.fixturenames:
        files = [
            pytest.param(
                file,
                id=file.stem,
                marks=[pytest.mark.prolog] if file.stem in SLOW_TO_GROUND else [],
            )
            for file in sorted(GAMES.glob('*.gdl'))
        ]
        metafunc.parametrize('rule_file', files, scope='module')


@pytest.fixture(scope='module')
def game(rule_file: Path) -> Game:
    return load_game(rule_file)


@pytest.fixture(scope='module')
def engine(game: Game) -> Iterator[Engine]:
    with open_engine(game, 'prolog' if game.name in SLOW_TO_GROUND else 'circuit') as engine:
        yield engine


@pytest.fixture(scope='session')
def wander() -> Callable[..., Iterator[Interpreter]]:
    """Play random moves; give the match before each of them and after the last."""

    def play(engine: Engine, seed: int, steps: int = 60) -> Iterator[Interpreter]:
        if isinstance(engine, CircuitEngine) and len(engine.vocabulary.legal) > MANY:
            # Each step of a game with thousands of moves takes a while.
            steps //= 4
        random = Random(seed)
        match = Interpreter(engine, seed)
        yield match
        while (actors := match.actors()) and len(match.history) < steps:
            if engine.game.turns is Turns.SERIAL:
                actors = (random.choice(actors),)
            match.step({role: random.choice(match.legal_moves(role)) for role in actors})
            yield match

    return play
