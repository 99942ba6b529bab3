"""Results of long computations on disk: written by this user, never half-written.

An entry begins with a checksum of the rest. It is written under another name and moved into place,
so that several processes may write the same one; what does not fit its checksum does not exist.
Entries become programs: a folder that other users can write to is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
import tempfile

from gdl_env.private_folder import check_private, is_own_file, make_private

VARIABLE = 'GDL_CACHE'
REMEDY = f'set {VARIABLE} to a folder of your own'
_DIGEST = 32


def cache_folder() -> Path:
    """Return where entries are kept: $GDL_CACHE, or gdl_env in the user's cache folder."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(base) / 'gdl_env'


def make_cache_folder() -> Path:
    """Return the folder, made if it was not there. Raises PrivateFolderError or OSError."""
    folder = cache_folder()
    make_private(folder, REMEDY)
    return folder


def read_entry(name: str) -> bytes | None:
    """Return an entry, or None where there is none, a damaged one, or one of another user.

    Raises PrivateFolderError if other users can write to the folder.
    """
    path = cache_folder() / name
    check_private(path.parent, REMEDY)
    try:
        if not is_own_file(path):
            return None
        data = path.read_bytes()
    except OSError:
        return None
    payload = data[_DIGEST:]
    return payload if hashlib.sha256(payload).digest() == data[:_DIGEST] else None


def write_entry(name: str, payload: bytes) -> None:
    """Write an entry; a cache that cannot be written is no cache, and no error.

    Raises PrivateFolderError if other users can write to the folder.
    """
    with contextlib.suppress(OSError):
        folder = make_cache_folder()
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
