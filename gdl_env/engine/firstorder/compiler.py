"""C++ text → shared library, kept in a cache folder.

An entry is a library and a checksum of it. It is written under another name and moved into place,
so that several processes may build the same one; an entry that does not fit its checksum is built
again. The checksum finds damage; against other users, owner and permissions are checked.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
import shutil
import subprocess
import tempfile

from gdl_env.engine.cache import REMEDY, cache_folder
from gdl_env.errors import EngineError, EngineLimitError, EngineUnavailableError
from gdl_env.private_folder import check_private, is_own_file, make_private

# Beyond this many characters a unit takes too long to optimise in full.
_LARGE = 120_000
_COMPILE_SECONDS = 600.0
OPTIMISATION = '-O2'
_FLAGS = ('-std=c++17', '-fPIC', '-shared', '-fno-strict-aliasing', '-w')
_MISSING = (
    'no C++ compiler is installed, so the first-order engine is not available; '
    'install g++ (Debian, Ubuntu: apt install g++) and try again'
)


def find_compiler() -> str:
    """Return the C++ compiler. Raises EngineUnavailableError if there is none."""
    for name in ('c++', 'g++', 'clang++'):
        path = shutil.which(name)
        if path is not None:
            return path
    raise EngineUnavailableError(_MISSING)


def compile_library(text: str, folder: Path | None = None) -> Path:
    """Return the library of a C++ text, from the cache if it is there.

    Raises EngineUnavailableError, EngineLimitError or EngineError if it cannot be compiled, and
    PrivateFolderError if other users can write to the folder.
    """
    compiler = find_compiler()
    flags = ('-O1' if len(text) > _LARGE else OPTIMISATION, *_FLAGS)
    path = (folder or cache_folder()) / f'{_key(text, compiler, flags)}.so'
    check_private(path.parent, REMEDY)
    if not _is_intact(path):
        _build(text, compiler, flags, path)
    return path


def _key(text: str, compiler: str, flags: tuple[str, ...]) -> str:
    """Return a name that differs as soon as the library could differ."""
    real = Path(compiler).resolve()
    status = real.stat()
    parts = (text, str(real), str(status.st_size), str(status.st_mtime_ns), *flags)
    return hashlib.sha256('\0'.join(parts).encode()).hexdigest()[:40]


def _is_intact(path: Path) -> bool:
    try:
        expected = _checksum_path(path).read_text('ascii')
        return is_own_file(path) and hashlib.sha256(path.read_bytes()).hexdigest() == expected
    except (OSError, UnicodeDecodeError):
        return False


def _checksum_path(path: Path) -> Path:
    return path.with_suffix('.sha256')


def _build(text: str, compiler: str, flags: tuple[str, ...], path: Path) -> None:
    try:
        make_private(path.parent, REMEDY)
        with tempfile.TemporaryDirectory(prefix='.build_', dir=path.parent) as folder:
            built = Path(folder) / path.name
            _run(text, compiler, flags, built)
            # Whatever the user's mask is: see `is_own_file`.
            built.chmod(0o700)
            checksum = _checksum_path(built)
            checksum.write_text(hashlib.sha256(built.read_bytes()).hexdigest(), 'ascii')
            # Whoever reads between the two finds a checksum that does not fit, and builds too.
            built.replace(path)
            checksum.replace(_checksum_path(path))
    except OSError as error:
        raise EngineError(f'{path.parent}: no library can be built there: {error}') from error


def _run(text: str, compiler: str, flags: tuple[str, ...], output: Path) -> None:
    command = [compiler, *flags, '-x', 'c++', '-', '-o', str(output)]
    try:
        done = subprocess.run(
            command,
            input=text.encode(),
            capture_output=True,
            timeout=_COMPILE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EngineLimitError(
            f'compiling the rules took more than {_COMPILE_SECONDS:g} s'
        ) from None
    if done.returncode != 0:
        words = done.stderr.decode(errors='replace').strip()
        raise EngineError(f'{compiler} could not compile the rules: {words[:500]}')
