"""Real nodes in processes and a domain of their own, and a node here that looks on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from domains import free_domain
from gdl_msgs.action import PlayMatches
from gdl_msgs.msg import RoleStatus, Status
import rclpy
from rclpy.action import ActionClient
from rclpy.serialization import deserialize_message

from gdl_env.ros.run_node import open_executor
from gdl_env.ros.transport.liveliness import shorten_lease
from gdl_env.ros.transport.passing_topics import (
    create_passing_publisher,
    create_passing_subscription,
)
from gdl_env.ros.transport.qos import status_qos

# Whatever is waited for comes within this time, even on a busy machine [s].
SECONDS = 60
SCRIPTS = Path(sys.executable).parent
HERE = Path(__file__).parent
# An agent that plays what its detail says.
SCRIPT = f'{HERE / "script_agent.py"}:Script'


class Process:
    """A node that was started; what it says is in a file."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.log = log
        with log.open('ab') as stream:
            self.popen = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env=environment,
            )

    @property
    def output(self) -> str:
        return self.log.read_text(errors='replace')

    def signal(self, number: int) -> None:
        self.popen.send_signal(number)

    def kill(self) -> None:
        """End it without a warning, as a crash would."""
        self.popen.kill()
        self.popen.wait(SECONDS)

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGINT)
        return self.popen.wait(SECONDS)

    def close(self) -> None:
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGCONT)
            self.popen.kill()
        self.popen.wait(SECONDS)


class Graph:
    """Starts nodes in one namespace of one domain, and watches and asks them from a node here."""

    def __init__(self, folder: Path, domain: int, namespace: str = '/match') -> None:
        self.folder = folder
        self.domain = domain
        self.namespace = namespace
        self.processes: list[Process] = []
        shorten_lease()
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node('onlooker', namespace=namespace, context=self.context)
        self.statuses: list[Status] = []
        # Nodes come and go: see passing_topics.
        create_passing_subscription(
            self.node, Status, 'status', self.statuses.append, status_qos()
        )
        self._executor = open_executor(self.context)
        self._executor.add_node(self.node)
        self._goals = ActionClient(self.node, PlayMatches, 'play_matches')
        self._asked: list[Any] = []
        self._is_open = True
        self._work: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    # ---- processes

    def start(self, executable: str, *arguments: str, **parameters: object) -> Process:
        """Start a node with parameters; `node` names it, `namespace` puts it elsewhere."""
        name = str(parameters.pop('node', executable))
        namespace = str(parameters.pop('namespace', self.namespace))
        path = HERE / f'{executable}.py'
        program = [sys.executable, str(path)] if path.exists() else [str(SCRIPTS / executable)]
        command = [*program, *arguments, '--ros-args', '-r', f'__ns:={namespace}']
        if name != executable:
            command += ['-r', f'__node:={name}']
        for key, value in parameters.items():
            command += ['-p', f'{key}:={_literal(value)}']
        environment = {
            **os.environ,
            'ROS_DOMAIN_ID': str(self.domain),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'PYTHONUNBUFFERED': '1',
        }
        number = len(self.processes)
        process = Process(command, environment, self.folder / f'{number}_{name}.log')
        self.processes.append(process)
        return process

    def environment(self, game: str = 'tictactoe', **parameters: object) -> Process:
        """Start an environment, and wait until it is heard."""
        self.statuses.clear()
        process = self.start('env_node', game=game, **parameters)
        self.wait(lambda: bool(self.statuses) or process.popen.poll() is not None)
        return process

    def close(self) -> None:
        for process in self.processes:
            process.close()
        self._is_open = False
        self._thread.join(SECONDS)
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        self._goals.destroy()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    # ---- looking on

    def wait(self, condition: Callable[[], Any], seconds: float = SECONDS) -> Any:
        """Wait until something is the case, and return it; fail with what the nodes said."""
        deadline = time.monotonic() + seconds
        while not (found := condition()):
            assert time.monotonic() < deadline, self.report()
            time.sleep(0.01)
        return found

    def status(self, condition: Callable[[Status], Any], seconds: float = SECONDS) -> Status:
        """Wait for a status of which something is the case."""

        def find() -> Status | None:
            return next((s for s in reversed(self.statuses[-3:]) if condition(s)), None)

        found: Status = self.wait(find, seconds)
        return found

    def collect(self, kind: type, topic: str, qos: Any) -> list[bytes]:
        """Return a list to which the bytes of every message on a topic will be added."""
        found: list[bytes] = []
        # None is to be missed, however busy the machine is.
        qos.depth = 1000
        self.do(
            lambda: create_passing_subscription(
                self.node, kind, topic, found.append, qos, raw=True
            )
        )
        return found

    def publisher(self, kind: type, topic: str, qos: Any) -> Any:
        """Return a publisher."""
        return self.do(lambda: create_passing_publisher(self.node, kind, topic, qos))

    def call(self, kind: Any, name: str, **fields: object) -> Any:
        """Call a service and return its response."""
        client = self.do(lambda: self.node.create_client(kind, name))
        self.wait(client.service_is_ready)
        future = self.do(lambda: client.call_async(kind.Request(**fields)))
        self.wait(future.done)
        self.do(lambda: self.node.destroy_client(client))
        return future.result()

    def ask(self, episodes: int, seed: int = -1) -> Any:
        """Send a goal; return its handle, accepted or not."""
        self.wait(self._goals.server_is_ready)
        goal = PlayMatches.Goal(episodes=episodes, seed=seed)
        future = self.do(lambda: self._goals.send_goal_async(goal))
        self.wait(future.done)
        handle = future.result()
        self._asked.append(handle)
        return handle

    def cancel_all(self) -> None:
        """Cancel the goals that are left: a test that failed has not done so."""
        for handle in self._asked:
            if handle.accepted:
                self.do(handle.cancel_goal_async)
        self._asked.clear()

    def result(self, goal: Any, seconds: float = SECONDS) -> PlayMatches.Result:
        """Wait for the result of a goal."""
        future = self.do(goal.get_result_async)
        self.wait(future.done, seconds)
        return future.result().result

    def play(self, episodes: int, seed: int = -1, seconds: float = SECONDS) -> PlayMatches.Result:
        """Have episodes played to their end."""
        goal = self.ask(episodes, seed)
        assert goal.accepted, self.report()
        result = self.result(goal, seconds)
        assert result.success, (result, self.report())
        return result

    def report(self) -> str:
        """Return the last status, and what all processes said."""
        last = self.statuses[-1] if self.statuses else None
        return '\n'.join(
            [str(last), *(f'--- {p.log}\n{p.output[-3000:]}' for p in self.processes)]
        )

    def do(self, work: Callable[[], Any]) -> Any:
        """Do something in the thread that spins: the lists of a node are for one thread.

        An answer that comes before a client has noted its question, in another thread, is lost.
        """
        found: list[Any] = []
        self._work.append(lambda: found.append(work()))
        self.wait(lambda: found)
        return found[0]

    def _spin(self) -> None:
        while self._is_open:
            self._executor.spin_once(timeout_sec=0.02)
            while self._work:
                self._work.pop(0)()


@contextmanager
def open_graph(folder: Path, namespace: str = '/match') -> Iterator[Graph]:
    """Open a graph in a domain that nobody else on this machine uses who asks here."""
    with free_domain() as domain:
        graph = Graph(folder, domain, namespace)
        try:
            yield graph
        finally:
            graph.close()


def role_of(told: Any, role: str) -> RoleStatus:
    """Return what a status or a result says of a role."""
    return next(found for found in told.roles if found.role == role)


def read_all(messages: list[bytes], kind: type) -> list[Any]:
    """Unpack messages."""
    return [deserialize_message(data, kind) for data in list(messages)]


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f'[{", ".join(map(_literal, value))}]'
    if isinstance(value, (int, float)):
        return str(value)
    return f"'{value}'"
