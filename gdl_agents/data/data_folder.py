"""The folder of a data set: the order, shards, and in the end what it all is.

job.json                  the order; the same order continues where a killed program stopped
positions-00000.npz       a shard of a table, in each format
shard-00000.json          written after the files of the shard: it is whole
rules.gdl                 the rules
data.json, README.md      written last: what is in it, for programs and for people
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
import hashlib
from io import BufferedReader
import json
from pathlib import Path
from typing import Any

from gdl_agents.data.columns import DataColumn, Table, count_rows
from gdl_agents.data.errors import DataError
from gdl_agents.data.job import DataJob
from gdl_agents.data.table_files import to_bytes
from gdl_env.errors import GdlError
from gdl_env.whole_file import write_whole

DATA, CARD, RULES, JOB = 'data.json', 'README.md', 'rules.gdl', 'job.json'
# What a killed program was writing.
_PARTS = '.*.[0-9]*'


class DataFolder:
    """Paths and files of one data set; every file is written whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def is_complete(self) -> bool:
        """Tell whether everything was written."""
        return (self.path / CARD).exists() and (self.path / DATA).exists()

    @contextmanager
    def open_for(self, job: DataJob) -> Iterator[None]:
        """Make the folder for an order, or continue it; no other program can meanwhile.

        Raises DataError if it holds something else.
        """
        target = self.path / JOB
        wanted = json.loads(json.dumps(job.to_dict()))
        is_new = not target.exists()
        if is_new:
            if self.path.exists() and not _is_empty(self.path):
                raise DataError(f'{self.path} holds other files: choose another folder')
            _write(target, _to_json(wanted))
        with target.open('rb') as stream:
            if not _lock(stream):
                raise DataError(f'another program is writing to {self.path}')
            _compare(self.path, _read_json(target), wanted)
            for part in self.path.glob(_PARTS):
                part.unlink()
            try:
                yield
            except GdlError:
                # An order that cannot be carried out leaves nothing behind.
                if is_new and {path.name for path in self.path.iterdir()} == {JOB}:
                    target.unlink()
                    self.path.rmdir()
                raise

    def read_shard(self, number: int) -> dict[str, Any] | None:
        """Return what is known of a shard; None if it is not whole."""
        path = self.path / f'shard-{number:05d}.json'
        return _read_json(path) if path.exists() else None

    def write_shard(
        self,
        number: int,
        tables: Mapping[str, tuple[tuple[DataColumn, ...], Table]],
        formats: tuple[str, ...],
        about: Mapping[str, Any],
    ) -> dict[str, Any]:
        """Write the tables of a shard, and return what is known of it."""
        files, rows = {}, {}
        for name, (columns, table) in tables.items():
            rows[name] = count_rows(columns, table)
            for form in formats:
                data = to_bytes(columns, table, form)
                file = f'{name}-{number:05d}.{form}'
                _write(self.path / file, data)
                files[file] = hashlib.sha256(data).hexdigest()
        known = {'rows': rows, 'files': files, **about}
        _write(self.path / f'shard-{number:05d}.json', _to_json(known))
        return known

    def finish(self, about: Mapping[str, Any], card: str, rules: str) -> None:
        """Write what is in the data set."""
        _write(self.path / RULES, rules.encode())
        _write(self.path / DATA, _to_json(about))
        _write(self.path / CARD, card.encode())

    def read_about(self) -> dict[str, Any]:
        """Return what is in the data set. Raises DataError if it is not complete."""
        if not self.is_complete:
            job = self.path / JOB
            if not job.exists():
                raise DataError(f'{self.path} is no data set: there is no {DATA} in it')
            command = DataJob.from_dict(_read_json(job)).to_command()
            raise DataError(f'{self.path} is not complete; continue: {command} --out {self.path}')
        return _read_json(self.path / DATA)


def _lock(stream: BufferedReader) -> bool:
    """Tell whether no other program has locked a file, and lock it until it is closed."""
    try:
        import fcntl
    except ImportError:
        # Only Unix can tell.
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_empty(path: Path) -> bool:
    """Tell whether a folder has no files but those that a killed program was writing."""
    return path.is_dir() and set(path.iterdir()) <= set(path.glob(_PARTS))


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as error:
        raise DataError(f'{path} cannot be written: {error.strerror}') from error


def _compare(path: Path, held: dict[str, Any], wanted: dict[str, Any]) -> None:
    names = [n for n in {**held, **wanted} if held.get(n) != wanted.get(n)]
    if names:
        told = ', '.join(f'{n} {held.get(n)!r} instead of {wanted.get(n)!r}' for n in names)
        raise DataError(f'{path} holds another data set ({told}): choose another folder')


def _to_json(held: Mapping[str, Any]) -> bytes:
    return (json.dumps(held, indent=1, ensure_ascii=False) + '\n').encode()


def _read_json(path: Path) -> dict[str, Any]:
    try:
        held = json.loads(path.read_text('utf-8'))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f'{path} cannot be read: {error}') from error
    if not isinstance(held, dict):
        raise DataError(f'{path} cannot be read: it holds no object')
    return held
