"""Benchmarks in parts: which are measured, and rows that are kept as they come."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
import fcntl
import json
import os
from pathlib import Path
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]


def make_parser(doc: str, parts: Collection[str]) -> argparse.ArgumentParser:
    """Return a parser for the parts of a benchmark; `doc` is that of its script."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('parts', nargs='*', metavar='PART', help=', '.join(parts))
    parser.add_argument('--write-doc', action='store_true', help='write doc/benchmarks.md')
    return parser


def read_options(
    parser: argparse.ArgumentParser,
    argv: Sequence[str] | None,
    parts: Collection[str],
    default: Collection[str] = (),
) -> argparse.Namespace:
    """Read the command line; without parts, all (or the default ones) if no doc is wanted."""
    options = parser.parse_args(argv)
    wrong = [name for name in options.parts if name not in parts]
    if wrong:
        parser.error(f'no part {wrong[0]!r}; parts: {", ".join(parts)}')
    if not options.parts and not options.write_doc:
        options.parts = list(default or parts)
    return options


class KeptRows:
    """Rows in a file, one of each key: a newer one takes the place of the older."""

    def __init__(
        self,
        path: Path,
        key: Callable[[Row], Hashable],
        order: Callable[[Row], Any] = lambda row: 0,
    ) -> None:
        self._path = path
        self._key = key
        self._order = order

    def read(self) -> list[Row]:
        """Return everything that was measured so far."""
        found: list[Row] = json.loads(self._path.read_text('utf-8')) if self._path.exists() else []
        return found

    def find(self, key: Hashable) -> Row | None:
        """Return the row of a key."""
        return next((row for row in self.read() if self._key(row) == key), None)

    def keep(self, row: Row) -> None:
        """Add a row, or put it where an older one is."""
        with self._locked():
            rows = self.read()
            places = [i for i, old in enumerate(rows) if self._key(old) == self._key(row)]
            if places:
                rows[places[0]] = row
            else:
                rows.append(row)
            self._write(rows)

    def forget(self, is_old: Callable[[Row], bool]) -> None:
        """Remove rows."""
        with self._locked():
            self._write([row for row in self.read() if not is_old(row)])

    def _write(self, rows: list[Row]) -> None:
        # Whole or not at all: whoever is stopped here loses nothing.
        new = self._path.with_suffix('.new')
        new.write_text(json.dumps(sorted(rows, key=self._order), indent=1) + '\n', 'utf-8')
        new.replace(self._path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep others that measure at the same time from writing."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
