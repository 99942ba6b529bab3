"""Results of long computations on disk: never trusted, never half-written.

An entry begins with a checksum of the rest. It is written under another name and moved into place,
so that several processes may write the same one; what does not fit its checksum does not exist.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
import tempfile

_DIGEST = 32


def cache_folder() -> Path:
    """Return where entries are kept: $GDL_CACHE, or gdl_env in the user's cache folder."""
    chosen = os.environ.get('GDL_CACHE')
    if chosen:
        return Path(chosen)
    base = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(base) / 'gdl_env'


def read_entry(name: str) -> bytes | None:
    """Return an entry, or None where there is none, or a damaged one."""
    try:
        data = (cache_folder() / name).read_bytes()
    except OSError:
        return None
    payload = data[_DIGEST:]
    return payload if hashlib.sha256(payload).digest() == data[:_DIGEST] else None


def write_entry(name: str, payload: bytes) -> None:
    """Write an entry; a cache that cannot be written is no cache, and no error."""
    folder = cache_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix='.entry_', dir=folder)
        try:
            with os.fdopen(handle, 'wb') as file:
                file.write(hashlib.sha256(payload).digest() + payload)
            Path(temporary).replace(folder / name)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise


def code_version(*packages: Path) -> str:
    """Return a digest of source files: an entry made by other code is another entry."""
    digest = hashlib.sha256()
    for package in packages:
        for file in sorted(package.rglob('*.py')):
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]
