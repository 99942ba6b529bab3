"""Which files a Python file imports that nobody has installed: they lie beside it.

Found from the text, without importing anything. What a file imports by other means, such as
`importlib`, is not found.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
import os
from pathlib import Path


def find_local_imports(file: Path) -> list[Path]:
    """Return the files that a file imports, directly or not, in order; not the file itself.

    They are looked for in its folder, the working folder, and those of PYTHONPATH.
    """
    file = file.resolve()
    paths = [entry for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep) if entry]
    roots = [file.parent, Path.cwd(), *map(Path, paths)]
    found = {file}
    waiting = [file]
    while waiting:
        for path in _imports_of(waiting.pop(), roots):
            if path not in found:
                found.add(path)
                waiting.append(path)
    return sorted(found - {file})


def _imports_of(file: Path, roots: list[Path]) -> Iterator[Path]:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        # Whoever loads it says so.
        return
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield from _find(alias.name, roots)
        elif isinstance(statement, ast.ImportFrom):
            base = statement.module or ''
            # A relative import is found from its own package.
            above = file.parents[statement.level - 1 : statement.level]
            places = list(above) if statement.level else roots
            for alias in statement.names:
                # It may be a module or what a module holds.
                yield from _find(f'{base}.{alias.name}'.strip('.'), places)


def _find(name: str, roots: list[Path]) -> Iterator[Path]:
    """Yield the files of a module and of the packages it is in, from the first root with any."""
    for root in roots:
        found = []
        place = root
        for part in name.split('.'):
            place = place / part
            found += [p for p in (place.with_suffix('.py'), place / '__init__.py') if p.is_file()]
        if found:
            yield from (path.resolve() for path in found)
            return
