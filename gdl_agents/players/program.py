"""A program that is talked to by lines, and that may die, hang or write what it likes."""

from __future__ import annotations

from contextlib import suppress
import os
import selectors
import shlex
import signal
import subprocess
from time import monotonic

from gdl_agents.errors import AgentError, LateError

# Bytes that a program may leave unread, or write without ending its line.
_MOST = 64 * 1024 * 1024
# Seconds to exit after its input was closed, and again after it was asked to.
_PATIENCE = 1.0


class PlayerProgram:
    """A child process: lines in, lines out; what it writes to stderr is passed on as it is."""

    def __init__(self, command: str) -> None:
        """Take a command line as a shell would split it. Raises AgentError if it cannot be."""
        self.command = command
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise AgentError(f'command line {command!r}: {error}') from error
        if not self.words:
            raise AgentError('the command line of the program is missing')
        self._process: subprocess.Popen[bytes] | None = None
        self._unsent = bytearray()
        self._unread = bytearray()

    @property
    def is_running(self) -> bool:
        """Tell whether the program was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the program, afresh if it ran before. Raises AgentError if that is impossible."""
        self.close()
        try:
            # A session of its own: ctrl-C is for us, and whatever it starts ends with it.
            process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise AgentError(f'cannot start program {self.command!r}: {reason}') from error
        # A program that does not read must not hold us up.
        for pipe in (process.stdin, process.stdout):
            os.set_blocking(pipe.fileno(), False)  # type: ignore[union-attr]
        self._process = process
        self._unsent.clear()
        self._unread.clear()

    def send(self, line: str) -> None:
        """Send a line as soon as the program reads. Raises AgentError if it has ended."""
        self._unsent += line.encode() + b'\n'
        if len(self._unsent) > _MOST:
            raise AgentError(f'program {self.command!r} does not read what it is sent')
        self._flush()

    def read_line(self, deadline: float | None) -> str:
        """Return the next line of the program; None waits as long as it takes.

        Raises LateError at the deadline (by `time.monotonic`), AgentError if the program ended.
        """
        while b'\n' not in self._unread:
            self._wait(deadline)
            self._flush()
            self._receive()
        line, _, rest = bytes(self._unread).partition(b'\n')
        self._unread[:] = rest
        return line.decode(errors='replace').strip()

    def close(self) -> None:
        """End the program: close its input; if it stays, terminate it, then kill it."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(OSError):
            process.stdin.close()  # type: ignore[union-attr]
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
                break
        process.stdout.close()  # type: ignore[union-attr]

    def _wait(self, deadline: float | None) -> None:
        """Wait until the program has written, reads again, or the time is up."""
        process = self._running()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
            if self._unsent:
                selector.register(process.stdin, selectors.EVENT_WRITE)  # type: ignore[arg-type]
            rest = None if deadline is None else deadline - monotonic()
            if (rest is not None and rest <= 0) or not selector.select(rest):
                raise LateError(f'program {self.command!r} did not answer in time')

    def _flush(self) -> None:
        process = self._running()
        with suppress(BlockingIOError):
            try:
                while self._unsent:
                    del self._unsent[: os.write(process.stdin.fileno(), self._unsent)]  # type: ignore[union-attr]
            except BrokenPipeError:
                # It may have closed its input and still have said something: reading tells.
                self._unsent.clear()

    def _receive(self) -> None:
        with suppress(BlockingIOError):
            data = os.read(self._running().stdout.fileno(), 1 << 16)  # type: ignore[union-attr]
            if not data:
                raise AgentError(self._explain_end())
            self._unread += data
        if len(self._unread) > _MOST:
            raise AgentError(f'program {self.command!r} writes without ending its line')

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise AgentError(f'program {self.command!r} is not running')
        return self._process

    def _explain_end(self) -> str:
        """Say how the program ended, after it closed its output."""
        process = self._running()
        try:
            code = process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            return f'program {self.command!r} closed its output'
        if code < 0:
            return f'program {self.command!r} was ended by {signal.Signals(-code).name}'
        return f'program {self.command!r} ended with code {code}'
