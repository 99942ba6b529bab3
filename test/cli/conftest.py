"""Run the command line, in this process and in one of its own."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass
import fcntl
import os
from pathlib import Path
import pty
import select
import subprocess
import sys
import termios
import time

import pytest

from gdl_env.cli.main import main

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def gdl(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `gdl` with arguments in this process."""

    def run(*arguments: object) -> Result:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture
def gdl_process(tmp_path: Path) -> Run:
    """Run `gdl` as a user does: in a process and a folder of its own."""

    def run(*arguments: object, stdin: str = '', **environment: str) -> Result:
        command = [sys.executable, '-m', 'gdl_env.cli.main', *map(str, arguments)]
        done = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            env=os.environ | {'PYTHONPATH': str(ROOT)} | environment,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run


class Keyboard:
    """A person in front of a real terminal in which `gdl` runs."""

    def __init__(self, folder: Path, arguments: tuple[object, ...], environment: dict[str, str]):
        self.side, terminal = pty.openpty()
        self._decoder = codecs.getincrementaldecoder('utf-8')('replace')
        self._unread = ''
        settings = {'PYTHONPATH': str(ROOT), 'TERM': 'xterm-256color', 'LC_ALL': 'C.UTF-8'}
        kept = {key: value for key, value in os.environ.items() if key != 'NO_COLOR'}
        self.process = subprocess.Popen(
            [sys.executable, '-m', 'gdl_env.cli.main', *map(str, arguments)],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            cwd=folder,
            env=kept | settings | environment,
            start_new_session=True,
            # The terminal controls the process: ctrl-C reaches it.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(terminal)

    def type(self, text: str) -> None:
        """Press keys once `gdl` waits, as a person does who has read what is shown.

        A prompt is on the screen a moment before its reader waits for keys, and what is typed
        in that moment is lost: ctrl-D to the change of the terminal's mode, ctrl-C to a signal
        that nothing is there to interrupt.
        """
        asleep = 0
        end = time.monotonic() + 60
        while asleep < 3 and time.monotonic() < end and self.process.poll() is None:
            stat = Path(f'/proc/{self.process.pid}/stat').read_text()
            asleep = asleep + 1 if stat.rpartition(')')[2].split()[0] == 'S' else 0
            time.sleep(0.05)
        os.write(self.side, text.encode())

    def read_until(self, text: str, seconds: float = 120.0) -> str:
        """Return what is shown until a text appears, line ends as in files.

        What is shown behind it is left to be read.
        """
        end = time.monotonic() + seconds
        while text not in self._unread:
            assert time.monotonic() < end, f'waited for {text!r}, got {self._unread!r}'
            if select.select([self.side], [], [], 0.2)[0]:
                try:
                    shown = self._decoder.decode(os.read(self.side, 4096))
                except OSError:
                    raise AssertionError(f'ended before {text!r}: {self._unread!r}') from None
                self._unread = (self._unread + shown).replace('\r\n', '\n')
        before, _, self._unread = self._unread.partition(text)
        return before + text

    def wait(self) -> int:
        """Return the exit code, once the process has ended."""
        return self.process.wait(timeout=120)


@pytest.fixture
def keyboard(tmp_path: Path) -> Iterator[Callable[..., Keyboard]]:
    """Start `gdl` in a terminal of its own."""
    started: list[Keyboard] = []

    def start(*arguments: object, **environment: str) -> Keyboard:
        started.append(Keyboard(tmp_path, arguments, environment))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()
        os.close(one.side)
