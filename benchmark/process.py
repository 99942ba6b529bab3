"""The other end of a worker."""

from __future__ import annotations

from contextlib import suppress
import json
import os
from pathlib import Path
from select import select
import subprocess
import tempfile
from time import perf_counter
from typing import IO

from contestants import Entry
from measure import NotAvailableError, Run, Sample
from rows import ROOT, Row

_WORKER = Path(__file__).with_name('worker.py')


class Process:
    """A contestant in a process of its own."""

    def __init__(
        self,
        entry: Entry,
        row: Row,
        python: str,
        core: int,
        environment: dict[str, str],
        time_limit: float,
    ) -> None:
        """Start a worker and wait until it is ready. Raises NotAvailableError."""
        self._time_limit = time_limit
        # A file, not a pipe: nobody reads while the worker works.
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        paths = [str(ROOT), *filter(None, [os.environ.get('PYTHONPATH')])]
        start = perf_counter()
        try:
            self._process = subprocess.Popen(
                [python, str(_WORKER), entry.name, row.name, str(core)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._words,
                env=os.environ | environment | {'PYTHONPATH': os.pathsep.join(paths)},
            )
        except OSError as error:
            self._words.close()
            raise NotAvailableError(f'not installed: {error}') from error
        try:
            first = self._read()
            if 'missing' in first:
                raise NotAvailableError(str(first['missing']))
        except NotAvailableError:
            self.close()
            raise
        # Until ready, with and without the start of Python and its imports.
        self.start_seconds = perf_counter() - start
        self.open_seconds = float(str(first['seconds']))

    def play(self, seconds: float) -> Run:
        """Measure random play. Raises NotAvailableError if the worker fails."""
        return Run(**self._ask('play', seconds))

    def sample(self, seconds: float) -> Sample:
        """Ask how random games go. Raises NotAvailableError if the worker fails."""
        return Sample(**self._ask('sample', seconds))

    def facts(self) -> dict[str, object]:
        """Ask for sizes, versions and memory. Raises NotAvailableError if the worker fails."""
        return self._ask('facts')

    def close(self) -> None:
        """End the worker: by the end of its input, or by force."""
        with suppress(OSError):
            self._pipe(self._process.stdin).close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._pipe(self._process.stdout).close()
        self._words.close()

    def _ask(self, verb: str, seconds: float = 0.0) -> dict:  # type: ignore[type-arg]
        request = json.dumps({'verb': verb, 'seconds': seconds}) + '\n'
        stdin = self._pipe(self._process.stdin)
        try:
            stdin.write(request.encode())
            stdin.flush()
        except OSError as error:
            raise NotAvailableError(f'the worker has ended: {error}') from error
        return self._read()

    def _read(self) -> dict:  # type: ignore[type-arg]
        stdout = self._pipe(self._process.stdout)
        if not select([stdout], [], [], self._time_limit)[0]:
            self._process.kill()
            raise NotAvailableError(f'took more than {self._time_limit:g} s')
        line = stdout.readline()
        if not line:
            self._words.seek(0)
            lines = self._words.read().decode(errors='replace').strip().splitlines()
            # The last line of a traceback says what was wrong; the others are of this machine.
            raise NotAvailableError(f'failed: {lines[-1] if lines else self._process.wait()}')
        return json.loads(line)  # type: ignore[no-any-return]

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe
