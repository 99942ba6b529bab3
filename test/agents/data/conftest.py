"""Make data sets as people do, by the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gdl_agents.data.reader import DataSet, read_data
from gdl_env.cli.main import main

Make = Callable[..., DataSet]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Run `gdl data` with these words, and read what it wrote."""
    count = 0

    def run(*words: object) -> DataSet:
        nonlocal count
        count += 1
        folder = tmp_path / f'set_{count}'
        assert main(['data', *map(str, words), '--out', str(folder)]) == 0
        return read_data(folder)

    return run


@pytest.fixture
def refuse(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., str]:
    """Run `gdl data` with words that it must refuse, and return what it says."""

    def run(*words: object, code: int = 2) -> str:
        capsys.readouterr()
        folder = tmp_path / 'refused'
        assert main(['data', *map(str, words), '--out', str(folder)]) == code
        assert not folder.exists()
        return capsys.readouterr().err

    return run
