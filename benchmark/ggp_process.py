"""A GGP player of others as a process: started, paused, measured, ended."""

from __future__ import annotations

from contextlib import suppress
from http.client import HTTPConnection, HTTPException
import os
from pathlib import Path
import shlex
import signal
import subprocess
from time import monotonic, sleep
from urllib.parse import urlsplit

_TICKS = os.sysconf('SC_CLK_TCK')
# Seconds until a player must listen.
_PATIENCE = 120.0


class ForeignProcess:
    """A player at an address, and the command that starts it; '' if it runs already.

    Without a command it can be neither paused nor measured.
    """

    def __init__(self, command: str, url: str) -> None:
        self._command = shlex.split(command)
        self._url = urlsplit(url)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ForeignProcess:
        """Start it, and wait until it listens. Raises SystemExit if it does not."""
        if self._command:
            self._process = subprocess.Popen(
                self._command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        end = monotonic() + _PATIENCE
        while not self._is_up():
            if monotonic() > end or (self._process and self._process.poll() is not None):
                self.__exit__()
                raise SystemExit(f'no player listens at {self._url.geturl()}')
            sleep(0.5)
        return self

    def __exit__(self, *_: object) -> None:
        """End what was started here."""
        if self._process is not None:
            self.resume()
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def pause(self) -> None:
        """Stop its processes until they are resumed."""
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        """Let its processes run."""
        self._send(signal.SIGCONT)

    def seconds(self) -> float:
        """Return the processor time of its processes; 0 if it was not started here [s]."""
        if self._process is None:
            return 0.0
        total = 0.0
        for path in Path('/proc').glob('[0-9]*/stat'):
            with suppress(OSError):
                # The name of a program may contain anything; what follows has no parentheses.
                fields = path.read_text().rpartition(')')[2].split()
                if int(fields[2]) == self._process.pid:
                    total += (int(fields[11]) + int(fields[12])) / _TICKS
        return total

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _is_up(self) -> bool:
        connection = HTTPConnection(self._url.hostname or '', self._url.port or 80, timeout=5)
        try:
            connection.request('POST', '/', b'(INFO)', {'Content-Type': 'text/acl'})
            return connection.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()
