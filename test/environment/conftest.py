"""What the tests of the environment share: every rule file of `games/`."""

from __future__ import annotations

from pathlib import Path
import sys

import pytest

from gdl_env.language.game import Game
from gdl_env.language.load import load_game

HERE = Path(__file__).parent
GAMES = HERE.parents[1] / 'games'

sys.path.insert(0, str(HERE))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `rule_file` on every game there is."""
    if 'rule_file' in metafunc.fixturenames:
        files = sorted(GAMES.glob('*.gdl'))
        names = [file.stem for file in files]
        metafunc.parametrize('rule_file', files, ids=names, scope='module')


@pytest.fixture(scope='module')
def game(rule_file: Path) -> Game:
    return load_game(rule_file)
