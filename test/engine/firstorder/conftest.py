"""What the tests of the first-order engine share: a cache of their own, and quick compilation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import shutil
import sys

import pytest

HERE = Path(__file__).parent

# The tests share modules of the folder above, which pytest does not put on the path by itself.
sys.path.insert(0, str(HERE.parent))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip everything here where there is no compiler."""
    if any(shutil.which(name) for name in ('c++', 'g++', 'clang++')):
        return
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason='needs a C++ compiler'))


@pytest.fixture(autouse=True, scope='session')
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep libraries of this run apart from those of the user."""
    folder = tmp_path_factory.mktemp('gdl_cache')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('GDL_CACHE', str(folder))
        yield folder


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile without optimisation: for tests of what rules mean, not of speed."""
    monkeypatch.setattr('gdl_env.engine.firstorder.compiler.OPTIMISATION', '-O0')
