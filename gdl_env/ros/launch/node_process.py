"""One running node: its process, its output line by line, its end."""

from __future__ import annotations

from contextlib import suppress
import os
from pathlib import Path
import shutil
import signal
import subprocess
from typing import IO

from gdl_env.ros.launch.executables import PREFIX_VARIABLE, prefixes
from gdl_env.ros.launch.node_spec import NodeSpec

CHUNK = 65536


def command_line(spec: NodeSpec, executable: Path, parameter_files: list[Path]) -> list[str]:
    """Return the words that start a node, in the language of ROS 2."""
    namespace = spec.full_name.rpartition('/')[0] or '/'
    words = [
        str(executable),
        '--ros-args',
        '-r',
        f'__node:={spec.name}',
        '-r',
        f'__ns:={namespace}',
    ]
    for path in parameter_files:
        words += ['--params-file', str(path)]
    return [*words, '--log-level', spec.log_level]


class NodeProcess:
    """A process in a session of its own, so that it and all its children can be stopped.

    A node that needs the terminal stays in ours instead, and writes there directly. So does one
    whose output is not read here.
    """

    def __init__(self, spec: NodeSpec, command: list[str], *, is_read: bool = True) -> None:
        self.spec = spec
        self._rest = b''
        output = subprocess.PIPE if is_read and not spec.needs_terminal else None
        self._process = subprocess.Popen(
            [*die_with_parent(), *command],
            env=node_environment(),
            stdin=None if spec.needs_terminal else subprocess.DEVNULL,
            stdout=output,
            stderr=None if output is None else subprocess.STDOUT,
            start_new_session=not spec.needs_terminal,
        )
        if self._process.stdout is not None:
            os.set_blocking(self._process.stdout.fileno(), False)

    @property
    def pid(self) -> int:
        """Return the id of the process."""
        return self._process.pid

    @property
    def output(self) -> IO[bytes] | None:
        """Return the pipe with its output, if it has one."""
        return self._process.stdout

    def read_lines(self) -> list[str] | None:
        """Return the lines that are complete by now; None once there will be no more."""
        chunk = self._read()
        if chunk == b'':
            return None
        *lines, self._rest = (self._rest + (chunk or b'')).split(b'\n')
        return [line.decode('utf-8', 'replace') for line in lines]

    def take_rest(self) -> list[str]:
        """Return what is left of the output of a process that has ended; close the pipe."""
        if self._process.stdout is None:
            return []
        # A child of the process may still hold the pipe: take what is there, wait for nothing.
        while chunk := self._read():
            self._rest += chunk
        self._process.stdout.close()
        return self._rest.decode('utf-8', 'replace').splitlines()

    def _read(self) -> bytes | None:
        """Return what is there; None if that is nothing at the moment, b'' at the end."""
        assert self._process.stdout is not None
        try:
            return os.read(self._process.stdout.fileno(), CHUNK)
        except BlockingIOError:
            return None

    def poll(self) -> int | None:
        """Return the exit code if it has ended, as shells count: 128 + signal if it was killed."""
        # Not yet reaped, the number of its group cannot be another's: now its children can be
        # killed safely.
        if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return None
        if not self.spec.needs_terminal:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        code = self._process.wait()
        return 128 - code if code < 0 else code

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process and its children. It must not have been polled as ended."""
        with suppress(ProcessLookupError):
            if self.spec.needs_terminal:
                os.kill(self.pid, number)
            else:
                os.killpg(self.pid, number)


def die_with_parent() -> list[str]:
    """Return words by which the kernel ends a process whose parent was killed, if it can."""
    setpriv = shutil.which('setpriv')
    return [setpriv, '--pdeathsig', 'TERM', '--'] if setpriv else []


def node_environment() -> dict[str, str]:
    """Return our own environment, completed by where things are installed."""
    known = [entry for entry in os.environ.get(PREFIX_VARIABLE, '').split(os.pathsep) if entry]
    paths = dict.fromkeys([*known, *map(str, prefixes())])
    return {
        **os.environ,
        PREFIX_VARIABLE: os.pathsep.join(paths),
        # Lines are to appear when they are written.
        'PYTHONUNBUFFERED': '1',
    }
