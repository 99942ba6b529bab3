"""Compiled functions on disk: compiled again when, and only when, code they use has changed."""

from __future__ import annotations

import os
from pathlib import Path
import runpy
import subprocess
import sys

import numba
import numpy as np
import pytest

from gdl_env import compiling
from gdl_env.compiling import compile_kernel

# A small package: `caller` imports `called`, which imports a constant; the others do not matter.
PACKAGE = {
    '__init__': '',
    'limits': 'TOP = 1\n',
    'constants': 'from pkg.limits import TOP\n\nVALUE = TOP\n',
    'inlined': (
        'from gdl_env.compiling import compile_kernel\n\n\n'
        "@compile_kernel(inline='always')\ndef inlined():\n    return 10\n"
    ),
    'called': (
        'from gdl_env.compiling import compile_kernel\n'
        'from pkg.constants import VALUE\n\n\n'
        '@compile_kernel()\ndef called():\n    return VALUE\n'
    ),
    'caller': (
        'from gdl_env.compiling import compile_kernel\n'
        'from pkg import called\n'
        'from .inlined import inlined\n\n'
        'called = called.called\n\n\n'
        '@compile_kernel(nogil=True)\ndef caller():\n    return 100 + called() + inlined()\n'
    ),
    'other': (
        'from gdl_env.compiling import compile_kernel\n\n\n'
        '@compile_kernel()\ndef other():\n    return 7\n'
    ),
    '__main__': (
        'from pkg.caller import caller\nfrom pkg.other import other\n\n'
        'print(caller(), other(), *(sum(f.stats.cache_hits.values()) for f in (caller, other)))\n'
    ),
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / 'pkg'
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / f'{name}.py').write_text(text, 'utf-8')
    return folder


def run(package: Path, **environment: str) -> list[int]:
    """Run the package; return the two results, and for both kernels whether they were kept."""
    known = {name: text for name, text in os.environ.items() if name != 'NUMBA_CACHE_DIR'}
    command = [sys.executable, '-W', 'error', '-m', 'pkg']
    done = subprocess.run(
        command,
        cwd=package.parent,
        env={**known, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return [int(word) for word in done.stdout.split()]


def replace(package: Path, module: str, old: str, new: str) -> None:
    path = package / f'{module}.py'
    text = path.read_text('utf-8')
    assert old in text
    changed = path.stat().st_mtime + 2
    path.write_text(text.replace(old, new), 'utf-8')
    # Python compares bytecode with its source by seconds and size; a quick run takes no second.
    os.utime(path, (changed, changed))


def test_entries_are_kept(package: Path) -> None:
    assert run(package) == [111, 7, 0, 0]
    assert run(package) == [111, 7, 1, 1]


@pytest.mark.parametrize(
    ('module', 'old', 'new', 'result'),
    [
        pytest.param('caller', '100', '200', 211, marks=pytest.mark.slow),
        pytest.param('called', 'return VALUE', 'return VALUE + 1', 112, marks=pytest.mark.slow),
        pytest.param('constants', 'VALUE = TOP', 'VALUE = TOP + 5', 116, marks=pytest.mark.slow),
        ('limits', '1', '2', 112),
        ('inlined', '10', '20', 121),
    ],
)
def test_a_change_in_what_is_imported_is_noticed(
    package: Path, module: str, old: str, new: str, result: int
) -> None:
    run(package)
    replace(package, module, old, new)
    # The kernel beside it does not import the changed module: it is not compiled again.
    assert run(package) == [result, 7, 0, 1]
    assert run(package) == [result, 7, 1, 1]


def test_a_change_elsewhere_compiles_nothing_else(package: Path) -> None:
    run(package)
    replace(package, 'other', '7', '8')
    assert run(package) == [111, 8, 1, 0]


def test_old_entries_are_removed(package: Path) -> None:
    def entries() -> list[str]:
        return sorted(path.name for path in package.glob('__pycache__/*.nb?'))

    run(package)
    count = len(entries())
    assert count == 6
    for line in range(3):
        # Kernels move down and change.
        replace(package, 'called', 'def called', f'# {line}\ndef called')
        replace(package, 'limits', str(line + 1), str(line + 2))
        assert run(package)[0] == 112 + line
        assert len(entries()) == count


def test_installed_where_nothing_can_be_written(package: Path, tmp_path: Path) -> None:
    # A file in the place of the folder: not even an administrator can write there.
    (package / '__pycache__').write_text('', 'utf-8')
    home = tmp_path / 'home'
    assert run(package, XDG_CACHE_HOME=str(home)) == [111, 7, 0, 0]
    assert run(package, XDG_CACHE_HOME=str(home)) == [111, 7, 1, 1]
    assert len(list(home.rglob('*.nbi'))) == 3
    # Nowhere at all: it runs, with a warning.
    nowhere = {'XDG_CACHE_HOME': str(package / '__pycache__'), 'PYTHONWARNINGS': 'ignore'}
    command = [sys.executable, '-m', 'pkg']
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, **nowhere},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ['111', '7', '0', '0']


def test_the_folder_of_the_user_is_used(package: Path, tmp_path: Path) -> None:
    chosen = str(tmp_path / 'chosen')
    assert run(package, NUMBA_CACHE_DIR=chosen) == [111, 7, 0, 0]
    assert run(package, NUMBA_CACHE_DIR=chosen) == [111, 7, 1, 1]
    assert not list(package.glob('__pycache__/*.nbi'))


def test_locators_that_the_user_names_are_used(package: Path, tmp_path: Path) -> None:
    wish = {
        'NUMBA_CACHE_LOCATOR_CLASSES': 'UserWideCacheLocator',
        'XDG_CACHE_HOME': str(tmp_path / 'home'),
    }
    assert run(package, **wish) == [111, 7, 0, 0]
    assert run(package, **wish) == [111, 7, 1, 1]
    assert not list(package.glob('__pycache__/*.nbi'))


def test_compiling_can_be_switched_off(package: Path) -> None:
    replace(package, '__main__', 'sum(f.stats.cache_hits.values())', '0 * f()')
    assert run(package, NUMBA_DISABLE_JIT='1') == [111, 7, 0, 0]


def test_numba_without_the_hook_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(numba.config, 'CACHE_LOCATOR_CLASSES')
    with pytest.raises(ImportError, match=rf'numba {numba.__version__} has no cache locators'):
        runpy.run_path(str(compiling.__file__))


def test_numba_that_does_not_ask_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, 'njit', lambda **_: lambda function: function)
    with pytest.raises(RuntimeError, match='keeps compiled functions in another way'):
        compile_kernel()(test_entries_are_kept)


def test_functions_of_others_are_left_alone() -> None:
    before = numba.config.CACHE_LOCATOR_CLASSES
    compile_kernel()(run)
    assert before == numba.config.CACHE_LOCATOR_CLASSES
    assert compiling.KernelLocator.from_function(run, __file__) is None


@compile_kernel(makes_arrays=False)
def add_part(numbers):  # type: ignore[no-untyped-def]
    part = numbers[1:]
    part[0] += 1
    return part.sum()


@compile_kernel(makes_arrays=False)
def make_part(numbers):  # type: ignore[no-untyped-def]
    return numbers[1:].copy().sum()


def test_functions_that_make_arrays_must_say_so() -> None:
    numbers = np.arange(4)
    assert add_part(numbers) == 7
    assert numbers.tolist() == [0, 2, 2, 3]
    # Its memory would never be released.
    with pytest.raises(numba.core.errors.NumbaError, match='NRT required'):
        make_part(numbers)
