"""One node that a launch starts, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gdl_env.agent_catalog import ChosenAgent
from gdl_env.ros.parameters import ParameterValue


@dataclass(frozen=True)
class NodeSpec:
    """What to start, under which name, with what, and what its end means.

    A leader's end is the end of the launch. Any other node that ends with 0 has done its work. One
    that fails is started again if `respawn` says so, and otherwise is the failure of the launch. A
    leader is started again if it was killed.
    """

    executable: str
    name: str
    # Relative: a launch that is included in another one is put below the other's namespace.
    namespace: str = ''
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    # YAML files, read before `parameters`.
    parameter_files: tuple[Path, ...] = ()
    respawn: bool = False
    # Seconds until it is started again.
    respawn_delay: float = 1.0
    # How often within `respawn_window`; negative: without end.
    max_respawns: int = -1
    # Seconds after which a restart no longer counts: one that works for a while may crash again.
    respawn_window: float = 300.0
    is_leader: bool = False
    # A person types and reads there.
    needs_terminal: bool = False
    log_level: str = 'info'
    # Executables that it starts in turn.
    starts: tuple[str, ...] = ()
    # Agents that it hosts or starts: each may need packages of its own.
    agents: tuple[ChosenAgent, ...] = ()
    # Files that are of no use once the launch is over.
    temporary_files: tuple[Path, ...] = ()

    @property
    def full_name(self) -> str:
        """Return the name on the graph."""
        return '/' + '/'.join(filter(None, [self.namespace.strip('/'), self.name]))

    def describe(self) -> str:
        """Return a few lines that say what would be started."""
        marks = [
            mark
            for mark, is_set in (
                ('its end is the end of all', self.is_leader),
                ('started again if it fails', self.respawn),
                ('has the terminal', self.needs_terminal),
            )
            if is_set
        ]
        remark = f' ({"; ".join(marks)})' if marks else ''
        lines = [f'{self.full_name}: {self.executable}{remark}']
        lines += [f'    parameters from {path}' for path in self.parameter_files]
        lines += [f'    {key}: {value!r}' for key, value in self.parameters.items()]
        return '\n'.join(lines)
