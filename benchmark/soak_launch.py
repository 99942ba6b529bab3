"""A launch that is killed piece by piece: its nodes, and the supervisor itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from gdl_msgs.msg import Status
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
import rclpy

from gdl_env.ros.run_node import open_executor
from gdl_env.ros.transport.names import STATUS
from gdl_env.ros.transport.qos import status_qos

SUPERVISOR = 'supervisor'
# Nodes whose supervisor was killed end by themselves within this time [s].
_PATIENCE = 60.0
_SETTLING = 5.0
_STARTED = re.compile(r'(\w+) started, process (\d+)')


class Launch:
    """`gdl launch` with fixed words. Killed as a whole, it can be started again."""

    def __init__(self, words: list[str], domain: int, log: Path) -> None:
        self._words = words
        self._domain = domain
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        # Where the output of the current life begins [bytes].
        self._begin = 0

    def start(self) -> None:
        """Start the supervisor, which starts the nodes."""
        self._begin = self._log.stat().st_size if self._log.exists() else 0
        environment = {
            **os.environ,
            'ROS_DOMAIN_ID': str(self._domain),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'PYTHONUNBUFFERED': '1',
        }
        with self._log.open('ab') as stream:
            self._process = subprocess.Popen(
                [sys.executable, '-m', 'gdl_env.cli.main', 'launch', 'selfplay', *self._words],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )

    @property
    def exit_code(self) -> int | None:
        """Return the exit code; None while it runs."""
        return None if self._process is None else self._process.poll()

    def list_processes(self) -> dict[str, int]:
        """Return the processes that run now, by the names of their nodes."""
        with self._log.open('rb') as stream:
            stream.seek(self._begin)
            text = stream.read().decode(errors='replace')
        found = {name: int(number) for name, number in _STARTED.findall(text)}
        if self._process is not None:
            found[SUPERVISOR] = self._process.pid
        return {name: pid for name, pid in found.items() if is_alive(pid)}

    def kill(self, name: str) -> int:
        """Kill a node, or the supervisor, which is started again; return the process."""
        processes = self.list_processes()
        pid = processes[name]
        os.kill(pid, signal.SIGKILL)
        if name == SUPERVISOR:
            assert self._process is not None
            self._process.wait(_PATIENCE)
            others = [pid for other, pid in processes.items() if other != SUPERVISOR]
            deadline = time.monotonic() + _PATIENCE
            while any(map(is_alive, others)) and time.monotonic() < deadline:
                time.sleep(0.1)
            for left in filter(is_alive, others):
                os.kill(left, signal.SIGKILL)
            self.start()
        return pid

    def stop(self) -> None:
        """End it, if it still runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE)
            if self._process.poll() is None:
                self._process.kill()
                self._process.wait()


class Onlooker:
    """Hears how many steps were played, and can pause the match."""

    def __init__(self, node: Any) -> None:
        self.status = Status()
        node.create_subscription(Status, STATUS, self._on_status, status_qos())
        self._client = node.create_client(ChangeState, 'env_node/change_state')

    @property
    def steps(self) -> int:
        """Return the steps of the match so far."""
        return int(self.status.steps)

    def pause(self) -> None:
        """Have the environment stop asking, and wait until what it has played is settled."""
        deadline = time.monotonic() + _PATIENCE
        deactivate = Transition(id=Transition.TRANSITION_DEACTIVATE)
        while self.status.phase != Status.PHASE_PAUSED and time.monotonic() < deadline:
            self._client.call_async(ChangeState.Request(transition=deactivate))
            time.sleep(2.0)
        # Until recorder and learner have heard the last of it.
        time.sleep(_SETTLING)

    def _on_status(self, status: Status) -> None:
        self.status = status


@contextmanager
def look_on(domain: int) -> Iterator[Onlooker]:
    """Listen to the match of a domain."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node('onlooker', context=context)
    onlooker = Onlooker(node)
    executor = open_executor(context)
    executor.add_node(node)
    is_over = threading.Event()

    def spin() -> None:
        while not is_over.is_set():
            executor.spin_once(timeout_sec=0.1)

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    try:
        yield onlooker
    finally:
        is_over.set()
        thread.join()
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has only to be reaped does not."""
    try:
        state = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
    except OSError:
        return False
    return state not in {'Z', 'X'}
