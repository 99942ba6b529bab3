"""Functions compiled by numba and kept on disk until code that they may use changes.

numba itself only notices changes in the file of a function. It would keep using old machine code
after a change in a function that is called, or in a constant, of another file. Here the digest of
the module and of everything it imports decides: see `import_closure`. numba has a documented hook
for that, its cache locators.

Entries lie where numba puts them: in $NUMBA_CACHE_DIR, in `__pycache__` beside the sources, or,
where that cannot be written, in the user's cache folder. Only the newest of a module are kept.
They are code, and are read with pickle: beside the sources they are as safe as these, and any
other folder must be one that no other user can write to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import contextlib
from pathlib import Path
import pkgutil
import re
import sys
import threading
from typing import Any, ClassVar
import warnings

import numba
from numba import config, njit
from numba.core import caching

from gdl_env.import_closure import closure_digest
from gdl_env.private_folder import check_private, make_private

_HOOK = 'CACHE_LOCATOR_CLASSES'
# Those of numba, in its order, for functions in files; and for all.
_LOCATORS = 'UserProvidedCacheLocator', 'InTreeCacheLocator', 'UserWideCacheLocator'
_ALL_LOCATORS = *_LOCATORS, 'IPythonCacheLocator', 'ZipCacheLocator'

_missing = [name for name in _LOCATORS if not hasattr(caching, name)]
if not hasattr(config, _HOOK) or _missing:
    raise ImportError(
        f'numba {numba.__version__} has no cache locators that can be replaced'
        f' ({", ".join([f"numba.config.{_HOOK}", *_missing])}): install numba 0.62 or newer, or'
        ' the version that constraints.txt pins'
    )

_REMEDY = 'set NUMBA_CACHE_DIR to a folder of your own'
_lock = threading.RLock()


def compile_kernel(
    *, makes_arrays: bool = True, **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: numba's `njit` with these options, kept on disk.

    - makes_arrays: whether the function makes arrays, other than parts of those it is given, or
      returns any. If not, references are not counted: that takes longer than the rest of a small
      function, since it must be safe between threads. Numba refuses to compile a function that
      makes arrays after all

    Raises RuntimeError where numba does not ask for the digest of the sources.
    """
    # Never left out: functions would inherit it from those that happen to call them first.
    options['_nrt'] = makes_arrays

    def decorate(function: Callable[..., Any]) -> Any:
        if config.DISABLE_JIT or not Path(function.__code__.co_filename).is_file():
            return njit(**options)(function)
        locator = KernelLocator.find(function)
        if locator is None:
            _warn_once()
            return njit(**options)(function)
        with _offer(locator):
            dispatcher = njit(cache=True, **options)(function)
        if not locator.is_asked:
            raise RuntimeError(
                f'numba {numba.__version__} keeps compiled functions in another way than gdl_env'
                ' knows, and would run old code after changes: install the version that'
                ' constraints.txt pins'
            )
        return dispatcher

    return decorate


class KernelLocator(caching.InTreeCacheLocator):  # type: ignore[misc]
    """Tells numba where the entries of a kernel lie, and which sources they were made from."""

    # The locator of the kernel that is being decorated.
    offered: ClassVar[KernelLocator | None] = None
    # Modules whose old entries have been removed by this process.
    _cleared: ClassVar[set[str]] = set()
    # Where entries lie, by the file of the kernels and numba's setting.
    _folders: ClassVar[dict[tuple[str, str], str | None]] = {}

    def __init__(self, function: Callable[..., Any], file: str, folder: str) -> None:
        super().__init__(function, file)
        self.function = function
        self._file = Path(file)
        self._folder = Path(folder)
        self.is_asked = False

    @classmethod
    def find(cls, function: Callable[..., Any]) -> KernelLocator | None:
        """Return the locator of a function; None where no folder can be written.

        Raises PrivateFolderError for a folder that other users can write to.
        """
        file = function.__code__.co_filename
        if getattr(config, _HOOK):
            # What the user names may look at the function.
            folder = _find_folder(function)
        else:
            # numba's own classes look at the file alone, and try to write there: once is enough.
            key = file, config.CACHE_DIR
            if key not in cls._folders:
                cls._folders[key] = _find_folder(function)
            folder = cls._folders[key]
        return cls(function, file, folder) if folder else None

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> KernelLocator | None:
        """Return the locator of the kernel at hand; None for functions of others."""
        offered = cls.offered
        return offered if offered is not None and offered.function is py_func else None

    def get_cache_path(self) -> str:
        """Return the folder of the entries."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return what decides whether an entry is up to date."""
        self.is_asked = True
        return closure_digest(self._file)

    def get_disambiguator(self) -> str:
        """Return a part of the names of files: not the line, or each edit would leave some."""
        return closure_digest(self._file)[:16]

    def ensure_cache_path(self) -> None:
        """Prepare for a new entry: remove those that were made from older sources."""
        super().ensure_cache_path()
        if str(self._file) in self._cleared:
            return
        self._cleared.add(str(self._file))
        version = f'py{sys.version_info[0]}{sys.version_info[1]}'
        entry = re.compile(rf'{re.escape(self._file.stem)}\..+-(\w+)\.{version}.*\.nb[ci]')
        for path in self._folder.iterdir():
            match = entry.fullmatch(path.name)
            if match and match[1] != self.get_disambiguator():
                path.unlink(missing_ok=True)


def _find_folder(function: Callable[..., Any]) -> str | None:
    """Return the first folder for entries that can be written.

    Raises PrivateFolderError for one that other users can write to.
    """
    file = function.__code__.co_filename
    for kind in _locator_classes():
        with contextlib.suppress(OSError):
            # Before numba makes it, with other permissions.
            _make_root(kind, function)
        found = kind.from_function(function, file)
        if found is not None:
            folder = Path(found.get_cache_path())
            if folder.parent != Path(file).parent:
                check_private(folder.parent, _REMEDY)
            return str(folder)
    return None


def _locator_classes() -> list[Any]:
    """Return what looks for a folder: numba's own classes, or those that the user names."""
    chosen = getattr(config, _HOOK)
    names = [name.strip() for name in chosen.split(',')] if chosen else _LOCATORS
    return [
        pkgutil.resolve_name(name if '.' in name else f'{caching.__name__}.{name}')
        for name in names
    ]


def _make_root(kind: Any, function: Callable[..., Any]) -> None:
    """Make the folder below which numba keeps entries, unless it is beside the sources.

    Raises PrivateFolderError or OSError.
    """
    is_chosen = kind is caching.UserProvidedCacheLocator and config.CACHE_DIR
    if is_chosen or kind is caching.UserWideCacheLocator:
        path = Path(kind(function, function.__code__.co_filename).get_cache_path())
        make_private(path.parent, _REMEDY)


@contextlib.contextmanager
def _offer(locator: KernelLocator) -> Iterator[None]:
    """Let numba ask this locator first, for functions that it decorates meanwhile."""
    with _lock:
        before = getattr(config, _HOOK)
        others = before or ','.join(name for name in _ALL_LOCATORS if hasattr(caching, name))
        KernelLocator.offered = locator
        setattr(config, _HOOK, f'{__name__}.{KernelLocator.__name__},{others}')
        try:
            yield
        finally:
            setattr(config, _HOOK, before)
            KernelLocator.offered = None


_has_warned: list[bool] = []


def _warn_once() -> None:
    if not _has_warned:
        _has_warned.append(True)
        warnings.warn(
            'no folder for compiled functions can be written: they are compiled at every start;'
            ' set NUMBA_CACHE_DIR',
            RuntimeWarning,
            stacklevel=3,
        )
