"""Compiled code is only taken from folders that no other user can write to."""

from __future__ import annotations

from collections.abc import Callable
import hashlib
import os
from pathlib import Path
import shutil
import stat
import subprocess
import sys

import pytest

from gdl_env.engine import cache
from gdl_env.engine.firstorder.compiler import compile_library
from gdl_env.private_folder import PrivateFolderError, check_private, make_private

ROOT = Path(__file__).parents[1]
TEXT = 'extern "C" int seven() { return 7; }'
NOBODY = 65534


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the cache is; it does not exist yet."""
    path = tmp_path / 'cache'
    monkeypatch.setenv('GDL_CACHE', str(path))
    return path


def open_to_group(path: Path) -> None:
    path.chmod(0o770)


def open_to_world(path: Path) -> None:
    # With the sticky bit, too: others can still add files.
    path.chmod(0o1777)


def give_away(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip('only root can give a folder to another user')
    os.chown(path, NOBODY, NOBODY)


def give_link_away(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip('only root can give a link to another user')
    real = path.with_name('real')
    path.rename(real)
    path.symlink_to(real)
    os.lchown(path, NOBODY, NOBODY)


FOREIGN = [open_to_group, open_to_world, give_away, give_link_away]


@pytest.mark.parametrize('mask', [0o000, 0o002, 0o077])
def test_cache_is_made_for_its_owner_alone(folder: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        cache.write_entry('entry', b'payload')
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert cache.read_entry('entry') == b'payload'


@pytest.mark.parametrize('spoil', FOREIGN)
def test_foreign_cache_is_refused(folder: Path, spoil: Callable[[Path], None]) -> None:
    cache.write_entry('entry', b'payload')
    spoil(folder)
    for use in (lambda: cache.read_entry('entry'), lambda: cache.write_entry('other', b'')):
        with pytest.raises(PrivateFolderError, match='set GDL_CACHE to a folder of your own'):
            use()
    assert not (folder / 'other').exists()


def test_entry_of_another_user_does_not_exist(folder: Path) -> None:
    cache.write_entry('entry', b'payload')
    (folder / 'entry').chmod(0o666)
    assert cache.read_entry('entry') is None
    cache.write_entry('entry', b'payload')
    assert cache.read_entry('entry') == b'payload'
    outside = folder.with_name('outside')
    (folder / 'entry').rename(outside)
    (folder / 'entry').symlink_to(outside)
    assert cache.read_entry('entry') is None


@pytest.fixture
def compiler() -> None:
    if not any(shutil.which(name) for name in ('c++', 'g++', 'clang++')):
        pytest.skip('needs a C++ compiler')


@pytest.mark.usefixtures('compiler')
@pytest.mark.parametrize('spoil', FOREIGN)
def test_library_in_a_foreign_folder_is_refused(
    folder: Path, spoil: Callable[[Path], None]
) -> None:
    path = compile_library(TEXT)
    spoil(folder)
    with pytest.raises(PrivateFolderError, match='whose compiled code would be run as yours'):
        compile_library(TEXT)
    assert path.name


@pytest.mark.usefixtures('compiler')
def test_library_that_others_could_write_is_built_again(folder: Path) -> None:
    path = compile_library(TEXT)
    good = path.read_bytes()
    # With a checksum that fits, as whoever puts it there would see to.
    path.write_bytes(b'evil')
    path.with_suffix('.sha256').write_text(hashlib.sha256(b'evil').hexdigest(), 'ascii')
    path.chmod(0o777)
    assert compile_library(TEXT).read_bytes() == good
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


@pytest.mark.usefixtures('compiler')
def test_command_ends_with_a_sentence(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    code = 'import sys; from gdl_env.cli.main import main; sys.exit(main(sys.argv[1:]))'
    command = [sys.executable, '-c', code, 'random', 'tictactoe', '-n', '1']
    environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 1
    assert 'Traceback' not in done.stderr
    assert f'{folder} can be written by other users (mode 777)' in done.stderr
    assert 'set GDL_CACHE to a folder of your own' in done.stderr


KERNEL = """
from gdl_env.compiling import compile_kernel

@compile_kernel()
def seven():
    return 7

print(seven(), sum(seven.stats.cache_hits.values()))
"""


def test_kernels_are_not_kept_in_a_foreign_folder(tmp_path: Path) -> None:
    script = tmp_path / 'kernel.py'
    script.write_text(KERNEL)
    folder = tmp_path / 'numba'
    environment = {**os.environ, 'PYTHONPATH': str(ROOT), 'NUMBA_CACHE_DIR': str(folder)}

    def run() -> subprocess.CompletedProcess[str]:
        command = ['/bin/sh', '-c', 'umask 0; exec "$@"', 'sh', sys.executable, str(script)]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    assert run().stdout == '7 0\n'
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert run().stdout == '7 1\n'
    open_to_world(folder)
    refused = run()
    assert refused.returncode == 1
    assert 'set NUMBA_CACHE_DIR to a folder of your own' in refused.stderr


def test_folder_that_does_not_exist_passes(tmp_path: Path) -> None:
    check_private(tmp_path / 'nowhere', '')
    make_private(tmp_path / 'new' / 'deep', '')
    assert stat.S_IMODE((tmp_path / 'new' / 'deep').stat().st_mode) == 0o700
