"""What the tests of the networks share: shapes of games, and one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gdl_env.engine.mapping import open_encoding
from gdl_env.language.load import load_game

# Without PyTorch the tests are skipped, but this file is read.
if TYPE_CHECKING:
    from gdl_agents.learning.networks import Shape

GAMES = Path(__file__).resolve().parents[3] / 'games'


@cache
def shape_of(name: str) -> Shape:
    from gdl_agents.learning.networks import Shape

    game = load_game(GAMES / f'{name}.gdl')
    return Shape.of(game, open_encoding(game))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `game_shape` on every game there is."""
    if 'game_shape' in metafunc.fixturenames:
        names = sorted(file.stem for file in GAMES.glob('*.gdl'))
        metafunc.parametrize('game_shape', names, indirect=True)


@pytest.fixture
def game_shape(request: pytest.FixtureRequest) -> Shape:
    return shape_of(request.param)


@pytest.fixture(scope='session')
def shapes() -> Callable[[str], Shape]:
    """Give the shape of a game by its name."""
    return shape_of


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Leave the other cores, and the chance of other tests, alone."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        yield
    torch.set_num_threads(threads)
