"""Nodes that are started ahead: a table opens in the time its game takes, not its programs."""

from __future__ import annotations

from contextlib import suppress
import json
from pathlib import Path
import subprocess
import sys
from time import monotonic

from gdl_env.gui.spare_worker import ENVIRONMENT_NODE
from gdl_env.ros.launch.node_process import die_with_parent, node_environment
from gdl_env.ros.launch.players import AGENT_NODE

_KINDS = (ENVIRONMENT_NODE, AGENT_NODE)
_PATIENCE = 5.0
# A table that has just been opened comes first, and so does a page [s].
_OPENING = 6.0
_DRAWING = 3.0


class SpareNodes:
    """Keeps some processes of each kind that wait to be a node."""

    def __init__(self, folder: Path, count: int) -> None:
        """Keep so many of each kind, that is none if `count` is 0."""
        self._folder = folder
        self._count = count
        self._waiting: dict[str, list[subprocess.Popen[bytes]]] = {kind: [] for kind in _KINDS}
        # Kinds that cannot be started ahead: their executable is no script of Python's.
        self._refused: set[str] = set()
        self._due = monotonic() + _DRAWING

    def refill(self) -> None:
        """Start what is missing. To be called by a thread that stays: they end with it."""
        if monotonic() < self._due:
            return
        for kind, waiting in self._waiting.items():
            for process in [each for each in waiting if each.poll() is not None]:
                waiting.remove(process)
                _close_pipes(process)
                # Once is enough: the same would happen again.
                self._refused.add(kind)
            while len(waiting) < self._count and kind not in self._refused:
                waiting.append(self._start(kind))

    def postpone(self) -> None:
        """Leave the processors to a page that is being drawn."""
        self._due = max(self._due, monotonic() + _DRAWING)

    def take(self, command: list[str]) -> subprocess.Popen[bytes] | None:
        """Have a waiting process run a command of its kind; None where there is none."""
        waiting = self._waiting.get(Path(command[0]).name, [])
        while waiting:
            process = waiting.pop(0)
            self._due = monotonic() + _OPENING
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.write(json.dumps(command).encode() + b'\n')
                process.stdin.close()
                # Whoever waits for its end has nothing more to say to it.
                process.stdin = None
                if process.poll() is None:
                    return process
            _close_pipes(process)
        return None

    def close(self) -> None:
        """End those that wait."""
        for process in (each for waiting in self._waiting.values() for each in waiting):
            process.terminate()
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            _close_pipes(process)

    def _start(self, kind: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*die_with_parent(), sys.executable, '-m', 'gdl_env.gui.spare_worker', kind],
            cwd=self._folder,
            env=node_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Close what led to a process that has ended, or is not needed."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
