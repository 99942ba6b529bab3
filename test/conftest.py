"""What all tests share: tests that need a program which is not here are skipped, with a reason."""

from __future__ import annotations

import shutil

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked `prolog` where SWI-Prolog is missing."""
    if shutil.which('swipl') is not None:
        return
    skip = pytest.mark.skip(reason='SWI-Prolog is not installed: apt install swi-prolog-nox')
    for item in items:
        if item.get_closest_marker('prolog'):
            item.add_marker(skip)
