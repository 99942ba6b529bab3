"""The generated program under plain `swipl` gives the answers that the rules mean."""

from __future__ import annotations

from pathlib import Path
import shutil
import subprocess
import sys

import pytest

from gdl_env.engine.prolog.transpile import transpile
from gdl_env.language.load import read_game
from gdl_env.language.source import Source

sys.path.insert(0, str(Path(__file__).parent.parent))

from rule_cases import CASES, text_of

pytestmark = pytest.mark.prolog

# The checker refuses it: its rule tells nothing of which numbers it is about.
REFUSED = {'recursion over numbers'}


def ask(text: str, folder: Path, *commands: str) -> list[str]:
    """Return the lines that the program of a game writes in reply to commands."""
    swipl = shutil.which('swipl')
    assert swipl is not None
    path = folder / 'game.pl'
    path.write_text(transpile(read_game(Source(text))[0]), 'utf-8')
    done = subprocess.run(
        [swipl, path],
        input=''.join(f'{command}\n' for command in commands),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, '')
    return done.stdout.splitlines()


@pytest.mark.parametrize('name', sorted(CASES.keys() - REFUSED))
def test_rules(name: str, tmp_path: Path) -> None:
    rules, expected = CASES[name]
    moves = [line[5:-1] for line in ask(text_of(rules), tmp_path, 'legal me')]
    assert sorted(moves) == sorted(expected)
