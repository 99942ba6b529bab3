"""Functions compiled by numba and kept on disk, made anew when any code they may call has changed.

numba itself looks at the file of a function only: after a change in a file from which it calls
something, it would go on with the old code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
import hashlib
from pathlib import Path
from typing import Any

from numba import njit

# Compiled functions anywhere may call those in here.
_SHARED = Path(__file__).parent / 'circuit'
_MARK = b'@compile_kernel('


def compile_kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: numba's `njit` with these options, kept on disk."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(cache=True, **options)(function)
        # There is none where compiling is switched off, or no folder can be written.
        index = getattr(getattr(dispatcher, '_cache', None), '_cache_file', None)
        if index is not None:
            # numba has no public way to say what an entry depends on.
            index._source_stamp = digest_of(Path(function.__code__.co_filename).parent)
        return dispatcher

    return decorate


@cache
def digest_of(folder: Path) -> str:
    """Return a digest of all files with compiled functions in a folder and in the engine."""
    digest = hashlib.sha256()
    for source in (_SHARED, folder):
        for file in sorted(source.glob('*.py')):
            text = file.read_bytes()
            if _MARK in text:
                digest.update(file.name.encode() + text)
    return digest.hexdigest()
