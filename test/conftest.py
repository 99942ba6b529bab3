"""What all tests share: skipping what needs a program that is not here; Python without modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import os
from pathlib import Path
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

# Tests share modules of this folder, which pytest does not put on the path by itself.
sys.path.insert(0, str(Path(__file__).parent))

from domains import free_domain

if TYPE_CHECKING:
    from scheduling import CrashSafeScheduling

# Every stage of the circuit compiler is checked, in the processes that tests start, too.
os.environ.setdefault('GDL_VERIFY', '1')

MakePackage = Callable[..., Path]

# What takes seconds for these games is left to `./gdl test --all` where every game is tried.
LARGE_GAMES = frozenset(
    ('backgammon', 'checkers', 'chess', 'chinese_poker', 'doppelkopf', 'gomoku', 'skat')
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the processes of `-n auto`: tests of nodes wait more than they compute."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> CrashSafeScheduling | None:
    """Return what shares out files of tests so that the crash of a process is survived."""
    from scheduling import CrashSafeScheduling

    if config.getoption('dist') != 'loadfile':
        return None
    return CrashSafeScheduling(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Print how a process ended that crashed."""
    from scheduling import describe_end

    if error:
        sys.stderr.write(f'\n[{node.gateway.id}] {describe_end(node)}\n')


# Before pytest selects by markers.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked `prolog` where SWI-Prolog is missing; run those of real graphs again.

    Tests marked `each_game` are slow for large games.

    Nodes and browsers of a test compete for processors with everything else that runs, and a
    node that is discovered late can cost a test its time. What fails three times is broken; the
    summary counts what was run again.
    """
    again = pytest.mark.flaky(reruns=2, reruns_delay=2)
    skip = pytest.mark.skip(reason='SWI-Prolog is not installed: apt install swi-prolog-nox')
    for item in items:
        if item.get_closest_marker('prolog') and shutil.which('swipl') is None:
            item.add_marker(skip)
        if item.get_closest_marker('each_game') and LARGE_GAMES & set(_parameters(item)):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker('ros') or item.get_closest_marker('browser'):
            item.add_marker(again)


def _parameters(item: pytest.Item) -> list[str]:
    """Return the parts of a test's name in brackets."""
    return item.name.partition('[')[2].rstrip(']').split('-')


@pytest.fixture
def own_domain(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Keep the nodes of a test away from all others: a domain of its own, on this machine only."""
    with free_domain() as domain:
        monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
        monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        yield domain


@pytest.fixture
def make_package(tmp_path: Path) -> MakePackage:
    """Return a function that installs a package of agents into a folder, which it returns.

    Who has that folder on the path of Python has the package, as one that pip has installed.
    """

    def make(name: str, agents: Mapping[str, str], code: str = '', metadata: str = '') -> Path:
        folder = tmp_path / f'{name}_site'
        info = folder / f'{name}-1.5.dist-info'
        info.mkdir(parents=True)
        (folder / f'{name}.py').write_text(code)
        (info / 'METADATA').write_text(
            f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n{metadata}'
        )
        lines = ''.join(f'{agent} = {place}\n' for agent, place in agents.items())
        (info / 'entry_points.txt').write_text(f'[gdl_env.agents]\n{lines}')
        return folder

    return make


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_without(tmp_path: Path) -> Run:
    """Run Python with arguments where some modules cannot be imported, in all its children too."""
    folder = tmp_path / 'hiding'
    folder.mkdir()
    (folder / 'sitecustomize.py').write_text(
        'import os, sys\nsys.modules.update(dict.fromkeys(os.environ["HIDDEN"].split()))\n'
    )

    def run(modules: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, [str(folder), os.environ.get('PYTHONPATH')]))
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, 'PYTHONPATH': path, 'HIDDEN': modules},
            capture_output=True,
            text=True,
            timeout=100,
        )

    return run
