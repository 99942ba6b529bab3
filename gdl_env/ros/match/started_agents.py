"""Agents that were started beside a match: restarted if they fail, ended with the node."""

from __future__ import annotations

from pathlib import Path
import shutil
import signal
import tempfile
from threading import Lock
from time import monotonic, sleep

from gdl_env.ros.launch.arguments import LaunchError
from gdl_env.ros.launch.executables import find_executable
from gdl_env.ros.launch.match_specs import AGENT_RESPAWNS
from gdl_env.ros.launch.node_process import NodeProcess, command_line
from gdl_env.ros.launch.node_requirements import require_nodes
from gdl_env.ros.launch.node_spec import NodeSpec
from gdl_env.ros.launch.parameter_files import write
from gdl_env.ros.launch.players import AGENT_NODE, HUMAN, parse_player
from gdl_env.ros.launch.restarts import Restarts
from gdl_env.ros.node_protocol import Logger
from gdl_env.ros.transport.names import topic_part

# How long agents have to end before they are killed [s].
_PATIENCE = 5.0


class StartedAgent:
    """One agent: its process, and how it is to be restarted."""

    def __init__(self, spec: NodeSpec, folder: Path) -> None:
        self.spec = spec
        self._folder = folder
        self.restarts = Restarts(spec)
        self.exit_code: int | None = None
        # When it is to be restarted.
        self.due: float | None = None
        self.process = self.start()

    def start(self) -> NodeProcess:
        """Start it, for the first time or again."""
        self.exit_code = self.due = None
        files = [write(self._folder, self.spec)]
        command = command_line(self.spec, find_executable(self.spec.executable), files)
        self.process = NodeProcess(self.spec, command, is_read=False)
        return self.process

    def poll(self) -> bool:
        """Tell whether it has just ended."""
        if self.exit_code is None:
            self.exit_code = self.process.poll()
            return self.exit_code is not None
        return False


class StartedAgents:
    """Starts agents of a match, by the rules that a launch goes by; for several threads."""

    def __init__(self, namespace: str, log: Logger) -> None:
        self._namespace = namespace.strip('/')
        self._log = log
        self._folder = Path(tempfile.mkdtemp(prefix='gdl_agents_'))
        self._number = 0
        self._agents: list[StartedAgent] = []
        self._lock = Lock()

    def start(self, role: str, agent: str, log_level: str = 'info') -> StartedAgent:
        """Start an agent for a role. Raises GdlError if there is no such agent."""
        player = parse_player(agent)
        if player is None or player.name == HUMAN:
            raise LaunchError(f'{agent!r} cannot be started here: it needs a terminal of its own')
        self._number += 1
        spec = NodeSpec(
            AGENT_NODE,
            f'{topic_part(role)}_{topic_part(player.label)}_{self._number}',
            self._namespace,
            parameters={'agent': str(player), 'role': role},
            agents=(player,),
            respawn=True,
            max_respawns=AGENT_RESPAWNS,
            log_level=log_level,
        )
        require_nodes([spec])
        with self._lock:
            started = StartedAgent(spec, self._folder)
            self._agents.append(started)
        return started

    def poll(self) -> None:
        """Look for agents that ended: one that failed is restarted, as a launch does it."""
        now = monotonic()
        with self._lock:
            for agent in list(self._agents):
                if agent.poll():
                    self._handle_exit(agent, now)
                elif agent.due is not None and now >= agent.due:
                    agent.start()

    def _handle_exit(self, agent: StartedAgent, now: float) -> None:
        how = f'{agent.spec.name} ended with exit code {agent.exit_code}'
        if agent.exit_code and agent.restarts.allow(now, agent.exit_code):
            agent.due = now + agent.spec.respawn_delay
            self._log.error(f'{how}; starting it again in {agent.spec.respawn_delay:g} s')
            return
        self._agents.remove(agent)
        if agent.exit_code:
            self._log.error(how)

    def stop(self, agent: StartedAgent) -> None:
        """End one agent, and do not restart it."""
        with self._lock:
            if agent in self._agents:
                self._agents.remove(agent)
                _end([agent])

    def close(self) -> None:
        """End all agents."""
        with self._lock:
            _end(self._agents)
            self._agents.clear()
        shutil.rmtree(self._folder, ignore_errors=True)


def _end(agents: list[StartedAgent]) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        deadline = monotonic() + _PATIENCE
        for agent in agents:
            agent.poll()
            if agent.exit_code is None:
                agent.process.send(number)
        while any(agent.exit_code is None for agent in agents) and monotonic() < deadline:
            for agent in agents:
                agent.poll()
            sleep(0.02)
