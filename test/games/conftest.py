"""What the tests of the games share: every rule file of `games/`, and engines for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import sys

import pytest

from gdl_env.engine.contract import Engine
from gdl_env.language.game import Game
from gdl_env.language.load import load_game

HERE = Path(__file__).parent
GAMES = HERE.parents[1] / 'games'

# The tests share modules of this folder, which pytest does not put on the path by itself.
sys.path.insert(0, str(HERE))

OpenEngine = Callable[[Game], Engine]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `rule_file` on every game there is."""
    if 'rule_file' in metafunc.fixturenames:
        files = sorted(GAMES.glob('*.gdl'))
        names = [file.stem for file in files]
        metafunc.parametrize('rule_file', files, ids=names, scope='module')


@pytest.fixture(scope='module')
def game(rule_file: Path) -> Game:
    return load_game(rule_file)


@pytest.fixture(scope='module')
def engine(game: Game) -> Iterator[Engine]:
    from gdl_env.engine.registry import open_engine

    with open_engine(game) as engine:
        yield engine


@pytest.fixture(scope='module')
def open_game() -> Iterator[Callable[[str], Engine]]:
    """Give engines by the name of their game, such as `hex(size=5)`; closed after the module."""
    from gdl_env.engine.registry import open_engine
    from gdl_env.language.families.designation import Designation

    opened: dict[str, Engine] = {}

    def open_named(name: str) -> Engine:
        if name not in opened:
            named = Designation.read(name)
            opened[name] = open_engine(load_game(GAMES / f'{named.game}.gdl', named.options))
        return opened[name]

    yield open_named
    for engine in opened.values():
        engine.close()
