"""Compiled functions that are imported when they are needed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gdl_env.late_kernels import FEW, find_kernels


def test_threads_that_need_kernels_at_once_get_whole_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players of one process are asked at the same time: who came second met half a module."""
    (tmp_path / 'slow_to_import.py').write_text('import time\ntime.sleep(0.3)\nREADY = True\n')
    monkeypatch.syspath_prepend(tmp_path)

    def is_whole(_: int) -> bool:
        return hasattr(find_kernels('slow_to_import', FEW), 'READY')

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(is_whole, range(4))) == [True] * 4
