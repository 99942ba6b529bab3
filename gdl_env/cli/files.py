"""Writing whole files: readers never see half of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import os
from pathlib import Path
import shutil
import tempfile

from gdl_env.errors import GdlError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a new file to write to; it takes the place of `path` once all went well.

    Raises GdlError if the folder cannot be written.
    """
    # A link stays a link; what it points to is replaced.
    target = path.resolve()
    try:
        handle, name = tempfile.mkstemp(prefix=f'.{target.name}.', dir=target.parent)
        os.close(handle)
        draft = Path(name)
        _copy_mode(target, draft)
    except OSError as error:
        raise GdlError(f'cannot write {path}: {error.strerror or error}') from error
    try:
        yield draft
        draft.replace(target)
    except OSError as error:
        raise GdlError(f'cannot write {path}: {error.strerror or error}') from error
    finally:
        draft.unlink(missing_ok=True)


def write_atomically(path: Path, text: str, encoding: str = 'utf-8') -> None:
    """Write a text file. Raises GdlError if that fails; the old file then stays as it was."""
    with replacing(path) as draft:
        draft.write_bytes(text.encode(encoding))


def _copy_mode(target: Path, draft: Path) -> None:
    if target.exists():
        shutil.copymode(target, draft)
        return
    mask = os.umask(0)
    os.umask(mask)
    with suppress(OSError):
        draft.chmod(0o666 & ~mask)
