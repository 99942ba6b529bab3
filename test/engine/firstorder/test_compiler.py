"""The cache of compiled libraries: found again, rebuilt when damaged, safe for many writers."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

import pytest

from gdl_env.engine.firstorder import compiler
from gdl_env.engine.firstorder.compiler import cache_folder, compile_library
from gdl_env.engine.firstorder.engine import FirstOrderEngine
from gdl_env.engine.firstorder.unit import translate
from gdl_env.errors import EngineError
from gdl_env.language.load import load_game

pytestmark = pytest.mark.usefixtures('quick')

TEXT = 'extern "C" int seven() { return 7; }'
ROOT = Path(__file__).parents[3]


def test_an_entry_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = compile_library(TEXT, tmp_path)
    monkeypatch.setattr(compiler, '_run', lambda *_: pytest.fail('compiled again'))
    assert compile_library(TEXT, tmp_path) == path
    assert sorted(p.suffix for p in tmp_path.iterdir()) == ['.sha256', '.so']


def test_another_text_or_flag_is_another_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compile_library(TEXT, tmp_path)
    assert compile_library(TEXT + '\n', tmp_path) != first
    monkeypatch.setattr(compiler, 'OPTIMISATION', '-O1')
    assert compile_library(TEXT, tmp_path) != first


@pytest.mark.parametrize('damage', ['truncated', 'changed', 'no checksum', 'odd checksum', 'gone'])
def test_a_damaged_entry_is_rebuilt(tmp_path: Path, damage: str) -> None:
    path = compile_library(TEXT, tmp_path)
    good = path.read_bytes()
    checksum = path.with_suffix('.sha256')
    if damage == 'truncated':
        path.write_bytes(good[: len(good) // 2])
    elif damage == 'changed':
        path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    elif damage == 'no checksum':
        checksum.unlink()
    elif damage == 'odd checksum':
        checksum.write_bytes(b'\xff\xfe')
    else:
        path.unlink()
    assert compile_library(TEXT, tmp_path) == path
    assert path.read_bytes() == good


def test_many_writers_at_once(tmp_path: Path) -> None:
    """Every process gets a whole library, and nothing is left over."""
    script = (
        'import ctypes, sys; from pathlib import Path\n'
        'from gdl_env.engine.firstorder.compiler import compile_library\n'
        f'path = compile_library({TEXT!r}, Path(sys.argv[1]))\n'
        'assert ctypes.CDLL(str(path)).seven() == 7\n'
    )
    environment = {**os.environ, 'PYTHONPATH': str(ROOT)}
    processes = [
        subprocess.Popen([sys.executable, '-c', script, str(tmp_path)], env=environment)
        for _ in range(6)
    ]
    assert [process.wait(120) for process in processes] == [0] * 6
    assert sorted(p.suffix for p in tmp_path.iterdir()) == ['.sha256', '.so']


def test_what_cannot_be_compiled_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match='could not compile'):
        compile_library('int', tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    with pytest.raises(EngineError, match='no library can be built there'):
        compile_library(TEXT, tmp_path / 'file')


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_CACHE', '/somewhere')
    assert cache_folder() == Path('/somewhere')
    monkeypatch.delenv('GDL_CACHE')
    monkeypatch.setenv('XDG_CACHE_HOME', '/else')
    assert cache_folder() == Path('/else/gdl_env')
    monkeypatch.delenv('XDG_CACHE_HOME')
    assert cache_folder() == Path.home() / '.cache' / 'gdl_env'


def test_the_same_game_gives_the_same_text() -> None:
    """Else nothing would ever be found again."""
    script = (
        'import hashlib, sys; from pathlib import Path\n'
        'from gdl_env.language.load import load_game\n'
        'from gdl_env.engine.firstorder.unit import translate\n'
        'print(hashlib.sha256(translate(load_game(Path(sys.argv[1]))).encode()).hexdigest())\n'
    )
    texts = {
        subprocess.run(
            [sys.executable, '-c', script, str(ROOT / 'games/connect_four.gdl')],
            env={**os.environ, 'PYTHONPATH': str(ROOT), 'PYTHONHASHSEED': seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ('1', '2', '3')
    }
    assert len(texts) == 1


def test_a_library_that_cannot_be_loaded_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load_game(ROOT / 'games/tictactoe.gdl')
    broken = tmp_path / 'broken.so'
    broken.write_bytes(b'not a library')
    monkeypatch.setattr('gdl_env.engine.firstorder.engine.compile_library', lambda _: broken)
    with pytest.raises(EngineError, match='cannot be loaded'):
        FirstOrderEngine(game).prepare()


def test_no_warnings_in_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler finds nothing odd in the runtime and in what is written for a game."""
    flags = ('-std=c++17', '-fPIC', '-shared', '-Wall', '-Wextra', '-Werror')
    quiet = ('-Wno-unused-parameter', '-Wno-unused-variable', '-Wno-unused-function')
    monkeypatch.setattr(compiler, '_FLAGS', (*flags, *quiet))
    for name in ('tictactoe', 'pig', 'simultaneous_krieg_tictactoe'):
        compile_library(translate(load_game(ROOT / f'games/{name}.gdl')), tmp_path)
