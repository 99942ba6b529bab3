"""Which source files a module depends on: itself, and all it imports, directly or not.

Found from the text of the files, without importing anything, and only within the packages of this
project and the package that the module belongs to; other libraries have versions of their own.

All imports count, those inside functions too; only blocks `if TYPE_CHECKING:` do not, since
nothing in them is ever executed.
"""

# At every start: strings take half the time of `Path`.
# ruff: noqa: PTH118, PTH123, PTH208
from __future__ import annotations

import ast
from collections.abc import Iterator
import contextlib
from dataclasses import dataclass
from functools import cache
import hashlib
import os
from pathlib import Path
import re

# The folder that holds these packages, here or where they are installed.
_HOME = str(Path(__file__).parents[1])
_PACKAGES = frozenset({'gdl_env', 'gdl_agents'})

# Parsing whole files would take most of a second at every start: only statements that look like
# imports are parsed. What does not parse was a line of text.
_IMPORT = re.compile(
    r'\n[ \t]*((?:from[ \t]+[\w.]+|from[ \t]*\.[\w. \t]*)[ \t]+import[ \t]*'
    r'(?:\([^)]*\)|[^\n(#;]+)|import[ \t]+[^\n#;]+)'
)
# Imports that do not begin a line, or continue after a backslash, are rare: such files are parsed.
_HIDDEN_IMPORT = re.compile(r'[;:][ \t]*(?:import|from)[ \t]+[\w.]+|import[^\n]*\\\n')
_TYPES_ONLY = re.compile(r'\nif (?:typing\.)?TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+')


@cache
def closure_digest(file: Path) -> str:
    """Return a digest of a module and of everything it imports within the known packages."""
    digest = hashlib.sha256()
    for module in sorted(_closure(str(file))):
        digest.update(_source(module).digest)
    return digest.hexdigest()


def import_closure(file: Path) -> frozenset[Path]:
    """Return the files of a module and of everything it imports, directly or not."""
    return frozenset(map(Path, _closure(str(file))))


# ---- inside: paths are plain strings


def _closure(file: str) -> set[str]:
    found = {file}
    waiting = [file]
    while waiting:
        new = _source(waiting.pop()).imports - found
        found |= new
        waiting += new
    return found


@dataclass(frozen=True)
class _Source:
    """What a file says: its name and text as a digest, and the files that it imports."""

    digest: bytes
    imports: frozenset[str]


@cache
def _source(file: str) -> _Source:
    with open(file, 'rb') as stream:
        data = stream.read()
    folder, base = os.path.split(file)
    home, package = _package_of(folder)
    name = '.'.join((*package, base))
    imports = {
        path
        for statement in _import_statements(data.decode('utf-8', 'replace'), package[:1])
        for path in _files_of(statement, home, package)
    }
    return _Source(
        hashlib.sha256(name.encode() + b'\0' + data).digest(), frozenset(imports - {file})
    )


@cache
def _package_of(folder: str) -> tuple[str, tuple[str, ...]]:
    """Return the folder that the outermost package lies in, and the names down to a folder."""
    if '__init__.py' not in _entries(folder):
        return folder, ()
    parent, name = os.path.split(folder)
    home, names = _package_of(parent)
    return home, (*names, name)


@cache
def _entries(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def _import_statements(text: str, top: tuple[str, ...]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Return the import statements of a module in a package, at least those that may matter."""
    # Most imports stand at the top: what follows the last one need not be searched.
    last = text.rfind('import')
    end = text.find(')' if text[last + 6 : last + 8].lstrip()[:1] == '(' else '\n', last)
    top_part = '\n' + (text[: end + 1] if end >= 0 else text)
    if _HIDDEN_IMPORT.search(top_part):
        yield from _parsed(text)
        return
    if 'TYPE_CHECKING:' in top_part:
        top_part = _TYPES_ONLY.sub('\n', top_part + '\n')
    known = (*_PACKAGES, *top, ' .')
    statements = [
        s for s in _IMPORT.findall(top_part) if not top or any(name in s for name in known)
    ]
    try:
        yield from _parsed('\n'.join(statements))
    except SyntaxError:
        for statement in statements:
            with contextlib.suppress(SyntaxError):
                yield from _parsed(statement)


def _parsed(text: str) -> list[ast.Import | ast.ImportFrom]:
    nodes = ast.walk(ast.parse(text))
    return [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]


def _files_of(
    statement: ast.Import | ast.ImportFrom, home: str, package: tuple[str, ...]
) -> Iterator[str]:
    """Return the files that a statement in a module of a package imports."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            parts = tuple(alias.name.split('.'))
            # `import a.b` gives access to `a` as well.
            for end in range(1, len(parts) + 1):
                yield from _find(parts[:end], home, package)
        return
    base = tuple(statement.module.split('.')) if statement.module else ()
    if statement.level:
        base = package[: len(package) - statement.level + 1] + base
    yield from _find(base, home, package)
    for alias in statement.names:
        # What is imported from a package may be a module of it.
        yield from _find((*base, alias.name), home, package)


def _find(name: tuple[str, ...], home: str, package: tuple[str, ...]) -> Iterator[str]:
    """Return the file of a module, if it belongs to a known package."""
    if not name:
        return
    if name[0] in _PACKAGES:
        home = _HOME
    elif package and name[0] != package[0]:
        return
    path = _module_file(home, name)
    # Beside a script there may be all the packages of an installation: only modules count.
    if path and (package or name[0] in _PACKAGES or not path.endswith('__init__.py')):
        yield path


@cache
def _module_file(home: str, name: tuple[str, ...]) -> str | None:
    folder = os.path.join(home, *name[:-1])
    if f'{name[-1]}.py' in _entries(folder):
        return os.path.join(folder, f'{name[-1]}.py')
    if name[-1] in _entries(folder) and '__init__.py' in _entries(os.path.join(folder, name[-1])):
        return os.path.join(folder, name[-1], '__init__.py')
    return None
