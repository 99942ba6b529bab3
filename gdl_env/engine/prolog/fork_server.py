"""Workers by fork: a process that has SWI-Prolog ready, for one small game after the other."""

from __future__ import annotations

import json
import os
from pathlib import Path
import select
import signal
import socket
import subprocess
import sys
from types import TracebackType
from typing import IO

from gdl_env.engine.prolog.process import Worker
from gdl_env.errors import EngineError


class ForkServer:
    """Launches workers in a tenth of the time: `launch` is a Launcher."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        program = str(Path(__file__).with_name('worker.py'))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, program, '--serve', str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def launch(self, path: Path, time_limit: float, memory_limit: int) -> Worker:
        """Return a worker for a program file. Raises EngineError if the server is gone."""
        ours, theirs = _open_pipes()
        try:
            message = json.dumps((str(path), time_limit, memory_limit)).encode()
            socket.send_fds(self._socket, [message], theirs)
            reply = self._socket.recv(64)
        except OSError:
            reply = b''
        finally:
            for stream in theirs:
                os.close(stream)
        if not reply:
            for stream in ours:
                os.close(stream)
            raise EngineError('the process that starts Prolog is gone')
        return _ForkedWorker(int(reply), ours)

    @property
    def is_running(self) -> bool:
        """Tell whether it can launch workers."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the server; workers end when their pipes are closed."""
        self._socket.close()
        self._process.wait()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _ForkedWorker:
    """A process that is no child of ours, by its number, and the pipes to it."""

    def __init__(self, number: int, streams: tuple[int, int, int]) -> None:
        stdin, stdout, stderr = streams
        self.stdin: IO[bytes] = os.fdopen(stdin, 'wb')
        self.stdout: IO[bytes] = os.fdopen(stdout, 'rb')
        self.stderr: IO[bytes] = os.fdopen(stderr, 'rb')
        try:
            self._handle = os.pidfd_open(number)
        except ProcessLookupError:
            self._handle = -1

    def poll(self) -> int | None:
        if self._handle < 0 or select.select([self._handle], [], [], 0)[0]:
            return 0
        return None

    def kill(self) -> None:
        if self.poll() is None:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> int:
        if self._handle >= 0:
            select.select([self._handle], [], [])
            os.close(self._handle)
            self._handle = -1
        return 0


def _open_pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Return our ends and theirs of stdin, stdout and stderr."""
    (their_in, our_in), (our_out, their_out), (our_err, their_err) = (os.pipe() for _ in range(3))
    return (our_in, our_out, our_err), (their_in, their_out, their_err)
