"""Processes that pages have started: bounded in number, ended with the server unless detached."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from time import monotonic, sleep

from gdl_env.gui.spare_nodes import SpareNodes
from gdl_env.gui.texts import TextError
from gdl_env.ros.launch.executables import find_executable
from gdl_env.ros.launch.node_process import command_line, die_with_parent, node_environment
from gdl_env.ros.launch.node_requirements import require_nodes
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.parameter_files import write

MOST = 24
_PATIENCE = 8.0
_LINES = 200


@dataclass
class Child:
    """A process; what it says is kept, the newest lines only."""

    label: str
    process: subprocess.Popen[bytes]
    # What it belongs to: a table or a run.
    group: str
    is_detached: bool = False
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES))
    node: str = ''

    @property
    def exit_code(self) -> int | None:
        """Return the exit code, if it has ended."""
        return self.process.poll()


class ChildProcesses:
    """Starts and ends processes."""

    def __init__(self, folder: Path, spares: int = 0) -> None:
        """Keep so many nodes of each kind ready to be used."""
        self._folder = folder
        self.spares = SpareNodes(folder, spares)
        self.children: list[Child] = []
        self._parameters = Path(tempfile.mkdtemp(prefix='gdl_gui_'))

    def start_node(self, spec: NodeSpec, group: str) -> Child:
        """Start a node. Raises GuiError or LaunchError."""
        require_nodes([spec])
        files = [*spec.parameter_files]
        if spec.parameters:
            folder = Path(tempfile.mkdtemp(dir=self._parameters))
            files.append(write(folder, spec))
        command = command_line(spec, find_executable(spec.executable), files)
        child = self._start(spec.name, command, group)
        child.node = spec.full_name
        return child

    def start_launch(self, arguments: list[str], group: str, *, is_detached: bool) -> Child:
        """Start `gdl launch` with arguments, in its own process. Raises GuiError."""
        command = [sys.executable, '-m', 'gdl_env.cli.main', 'launch', *arguments]
        return self._start(f'gdl launch {arguments[0]}', command, group, is_detached=is_detached)

    def stop(self, child: Child) -> None:
        """End a process: asked first, then made to. It is waited for elsewhere."""
        threading.Thread(target=_end, args=(child,), daemon=True).start()

    def stop_group(self, group: str) -> None:
        """End everything that belongs together."""
        for child in self.group(group):
            self.stop(child)

    def group(self, group: str) -> list[Child]:
        """Return the running processes that belong together."""
        return [c for c in self.children if c.group == group and c.exit_code is None]

    def failed(self, group: str) -> list[Child]:
        """Return the processes of a group that ended in failure."""
        return [child for child in self.children if child.group == group and child.exit_code]

    def find(self, node: str) -> Child | None:
        """Return the running process of a node, by its full name, if it was started here."""
        for child in self.children:
            if child.node == node and child.exit_code is None:
                return child
        return None

    def poll(self) -> None:
        """Forget processes that ended, but for the newest: what they said may be asked for."""
        ended = [child for child in self.children if child.exit_code is not None]
        for child in ended[:-MOST]:
            self.children.remove(child)

    def close(self) -> None:
        """End everything that was not to stay."""
        self.spares.close()
        own = [c for c in self.children if not c.is_detached and c.exit_code is None]
        threads = [threading.Thread(target=_end, args=(child,)) for child in own]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        shutil.rmtree(self._parameters, ignore_errors=True)

    def _start(
        self, label: str, command: list[str], group: str, *, is_detached: bool = False
    ) -> Child:
        running = [child for child in self.children if child.exit_code is None]
        if len(running) >= MOST:
            raise TextError('trouble.too_many', count=MOST)
        process = None if is_detached else self.spares.take(command)
        process = process or self._open(command, is_detached=is_detached)
        child = Child(label, process, group, is_detached)
        self.children.append(child)
        if process.stdout is not None:
            threading.Thread(target=_read, args=(child,), daemon=True).start()
        return child

    def _open(self, command: list[str], *, is_detached: bool) -> subprocess.Popen[bytes]:
        wrapper = [] if is_detached else die_with_parent()
        stdout: int = subprocess.DEVNULL if is_detached else subprocess.PIPE
        return subprocess.Popen(
            [*wrapper, *command],
            cwd=self._folder,
            env=node_environment(),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _read(child: Child) -> None:
    assert child.process.stdout is not None
    for line in child.process.stdout:
        child.lines.append(line.decode('utf-8', 'replace').rstrip())


def _end(child: Child) -> None:
    """Ask a process group to end, and make it after a while."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if child.exit_code is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(child.process.pid, number)
        deadline = monotonic() + _PATIENCE
        while child.exit_code is None and monotonic() < deadline:
            sleep(0.05)
