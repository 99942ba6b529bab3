"""A worker process and the pipe to it: one request, one reply, and never a hang."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from typing import IO, NoReturn, Protocol

from gdl_env.errors import EngineError, EngineLimitError, EngineUnavailableError, RuleError

# A request that is over its limit gets this much longer to say so itself before it is killed.
_GRACE_SECONDS = 3.0
_START_SECONDS = 60.0
_MISSING = (
    'SWI-Prolog is not installed, so the Prolog engine is not available; '
    'install it (Debian, Ubuntu: apt install swi-prolog-nox) and try again'
)


def is_prolog_installed() -> bool:
    """Tell whether SWI-Prolog is on this machine."""
    return shutil.which('swipl') is not None


class Worker(Protocol):
    """A process that answers requests: what is used of subprocess.Popen."""

    @property
    def stdin(self) -> IO[bytes] | None:
        """Return where requests are written to."""

    @property
    def stdout(self) -> IO[bytes] | None:
        """Return where replies are read from."""

    @property
    def stderr(self) -> IO[bytes] | None:
        """Return where complaints are read from."""

    def poll(self) -> int | None:
        """Return None as long as it runs."""

    def kill(self) -> None:
        """End it."""

    def wait(self) -> int:
        """Wait for its end."""


class Launcher(Protocol):
    """Starts a worker for a program file."""

    def __call__(self, path: Path, time_limit: float, memory_limit: int) -> Worker:
        """Return the worker. Raises EngineError."""


def launch_worker(path: Path, time_limit: float, memory_limit: int) -> Worker:
    """Start a worker as a process of its own."""
    program = str(Path(__file__).with_name('worker.py'))
    return subprocess.Popen(
        [sys.executable, program, str(path), str(time_limit), str(memory_limit)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Ctrl-C in a terminal is for us alone: the worker ends when we close it.
        start_new_session=True,
    )


class PrologProcess:
    """SWI-Prolog with one program in a process of its own; starts again after it was lost."""

    def __init__(
        self,
        program: str,
        time_limit: float,
        memory_limit: int,
        launch: Launcher = launch_worker,
    ) -> None:
        self._program = program
        self._launch = launch
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._process: Worker | None = None
        self._buffer = b''

    @property
    def is_running(self) -> bool:
        """Tell whether the worker is there; if not, the next request starts a new one."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the worker. Raises EngineUnavailableError or EngineError."""
        self.close()
        if not is_prolog_installed():
            raise EngineUnavailableError(_MISSING)
        with tempfile.TemporaryDirectory(prefix='gdl_') as folder:
            path = Path(folder) / 'game.pl'
            path.write_text(self._program, 'utf-8')
            self._process = self._launch(path, self._time_limit, self._memory_limit)
            self._buffer = b''
            lines = self._read_until(b'ready\n', _START_SECONDS)
            if lines is None:
                raise EngineError(f'Prolog did not start: {self._last_words()}')

    def request(self, text: str) -> list[str]:
        """Send a request to the running worker and return the lines of its reply.

        Raises EngineLimitError or EngineError if there is none; the worker is gone then.
        """
        process = self._process
        if process is None or process.stdin is None:
            raise EngineError('Prolog is not running')
        try:
            process.stdin.write(text.encode() + b'\n')
            process.stdin.flush()
        except OSError:
            raise EngineError(f'Prolog ended unexpectedly: {self._last_words()}') from None
        reply = self._read_until(b'\nend\n', self._time_limit + _GRACE_SECONDS)
        if reply is None:
            if process.poll() is None:
                self.close()
                raise EngineLimitError(
                    f'the rules ran for more than {self._time_limit:g} s and were stopped'
                )
            raise EngineError(f'Prolog ended unexpectedly: {self._last_words()}')
        return reply.decode().split('\n')

    def close(self) -> None:
        """End the worker."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            _close(stream)

    def _read_until(self, mark: bytes, seconds: float) -> bytes | None:
        """Return what comes before the mark, or None if the time or the stream ends first."""
        assert self._process is not None and self._process.stdout is not None
        stream = self._process.stdout.fileno()
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while not self._buffer.endswith(mark):
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    return None
                data = os.read(stream, 1 << 16)
                if not data:
                    self._process.wait()
                    return None
                self._buffer += data
        reply, self._buffer = self._buffer[: -len(mark)], b''
        return reply

    def _last_words(self) -> str:
        """Return what the worker complained about, and end it."""
        process = self._process
        words = b''
        if process is not None and process.stderr is not None:
            process.kill()
            process.wait()
            words = process.stderr.read()
        self.close()
        text = ' '.join(words.decode(errors='replace').split())
        return text[-500:] or 'it said nothing'


def raise_error(text: str) -> NoReturn:
    """Raise the error that a reply `error KIND TEXT` tells of."""
    _, kind, words = text.split(' ', 2)
    error = {'limit': EngineLimitError, 'rule': RuleError}.get(kind, EngineError)
    raise error(words)


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with contextlib.suppress(OSError):
            stream.close()
