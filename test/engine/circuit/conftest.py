"""What the tests of the circuit engine share."""

from __future__ import annotations

from pathlib import Path
import sys

import pytest

# Tests share modules of this folder, which pytest does not put on the path by itself.
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a test a cache of its own, empty at first."""
    monkeypatch.setenv('GDL_CACHE', str(tmp_path / 'cache'))
