"""Run the nodes of a launch as processes, where `launch_ros` is missing or not wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
import selectors
import signal
import sys
import tempfile
import threading
import time
from types import FrameType

from gdl_env.ros.launch.executables import find_executable
from gdl_env.ros.launch.node_process import NodeProcess, command_line
from gdl_env.ros.launch.node_requirements import require_nodes
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.parameter_files import write
from gdl_env.ros.launch.prefixed_output import PrefixedOutput
from gdl_env.ros.launch.restarts import Restarts

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# How nodes are stopped: the next signal follows if they are still there after a while.
ESCALATION = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
PATIENCE = 5.0
TICK = 0.05

Resolver = Callable[[str], Path]


class Supervisor:
    """Runs nodes until a leader ends, one fails for good, all have ended, or a signal comes.

    The exit code is that of the leader or of the first failure; 128 + signal if it was stopped.
    """

    def __init__(
        self,
        nodes: Sequence[NodeSpec],
        *,
        resolve: Resolver = find_executable,
        output: PrefixedOutput | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._nodes = tuple(nodes)
        self._resolve = resolve
        self._output = output or PrefixedOutput([node.name for node in nodes])
        self._patience = patience
        self._running: list[NodeProcess] = []
        # When to start a node again.
        self._due: list[tuple[float, NodeSpec]] = []
        self._restarts = {node.full_name: Restarts(node) for node in nodes}
        self._signals: list[int] = []
        self._exit_code: int | None = None
        # How far the escalation has come, and when it continues.
        self._level = 0
        self._next_level = 0.0
        self._selector: selectors.BaseSelector | None = None
        self._folder = Path()

    def run(self) -> int:
        """Run until the end; return the exit code.

        Raises LaunchError, before anything is started, if a program or what it imports is missing.
        """
        require_nodes(self._nodes, self._resolve)
        with (
            tempfile.TemporaryDirectory(prefix='gdl_launch_') as folder,
            selectors.DefaultSelector() as self._selector,
            self._taking_signals(),
        ):
            self._folder = Path(folder)
            try:
                for node in self._nodes:
                    self._start(node)
                while self._running or self._due:
                    self._step()
            finally:
                # Only after an error of our own is anything left.
                for process in self._running:
                    process.send(signal.SIGKILL)
                for path in (path for node in self._nodes for path in node.temporary_files):
                    path.unlink(missing_ok=True)
        return self._exit_code or 0

    def _step(self) -> None:
        self._pass_on_output()
        now = time.monotonic()
        while self._signals:
            number = self._signals.pop(0)
            if self._exit_code is None:
                self._stop(128 + number, signal.Signals(number).name)
            else:
                # Asked again: do not wait.
                self._next_level = now
        # After the signals: a terminal sends them to those who read there, too.
        self._look_for_ends()
        if self._exit_code is None:
            self._start_due(now)
        elif self._running and now >= self._next_level:
            self._escalate(now)

    def _start(self, spec: NodeSpec) -> None:
        assert self._selector is not None
        own = [write(self._folder, spec)] if spec.parameters else []
        command = command_line(spec, self._resolve(spec.executable), [*spec.parameter_files, *own])
        process = NodeProcess(spec, command)
        self._running.append(process)
        if process.output is not None:
            self._selector.register(process.output, selectors.EVENT_READ, process)
        self._output.print_message(f'{spec.name} started, process {process.pid}')

    def _pass_on_output(self) -> None:
        assert self._selector is not None
        for key, _ in self._selector.select(TICK):
            process: NodeProcess = key.data
            lines = process.read_lines()
            if lines is None:
                self._selector.unregister(key.fileobj)
            else:
                self._output.write(process.spec.name, lines)

    def _look_for_ends(self) -> None:
        for process in list(self._running):
            code = process.poll()
            if code is not None:
                self._running.remove(process)
                self._forget_output(process)
                self._handle_exit(process.spec, code)

    def _forget_output(self, process: NodeProcess) -> None:
        assert self._selector is not None
        if process.output is not None and process.output in self._selector.get_map():
            self._selector.unregister(process.output)
        self._output.write(process.spec.name, process.take_rest())

    def _handle_exit(self, spec: NodeSpec, code: int) -> None:
        """Decide what the end of a node means."""
        how = f'{spec.name} ended' if not code else f'{spec.name} failed with exit code {code}'
        if self._exit_code is not None:
            self._output.print_message(
                f'{spec.name} ended' + (f' with exit code {code}' if code else '')
            )
        elif code and self._restarts[spec.full_name].allow(time.monotonic(), code):
            self._due.append((time.monotonic() + spec.respawn_delay, spec))
            self._output.print_message(
                f'{how}; starting it again in {spec.respawn_delay:g} s', is_problem=True
            )
        elif code or spec.is_leader:
            self._stop(code, how)
        else:
            self._output.print_message(how)

    def _start_due(self, now: float) -> None:
        for entry in [entry for entry in self._due if entry[0] <= now]:
            self._due.remove(entry)
            self._start(entry[1])

    def _stop(self, code: int, reason: str) -> None:
        self._exit_code = code
        self._due.clear()
        left = ', '.join(process.spec.name for process in self._running)
        self._output.print_message(
            f'{reason}; stopping {left}' if left else reason, is_problem=code != 0
        )
        self._next_level = 0.0

    def _escalate(self, now: float) -> None:
        number = ESCALATION[min(self._level, len(ESCALATION) - 1)]
        for process in self._running:
            if self._level:
                how = f'{process.spec.name} does not stop; sending {number.name}'
                self._output.print_message(how, is_problem=True)
            # The terminal has sent the signal to its own processes already.
            has_heard = self._exit_code == 128 + signal.SIGINT and sys.stdin.isatty()
            if not (process.spec.needs_terminal and has_heard and self._level == 0):
                process.send(number)
        self._level += 1
        self._next_level = now + self._patience

    @contextmanager
    def _taking_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def on_signal(number: int, _: FrameType | None) -> None:
            self._signals.append(number)

        before = {number: signal.signal(number, on_signal) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
