"""The parameters of match_node and tournament_node: defaults, descriptions."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import ParameterDescriptor

from gdl_env.ros.environment.parameters import Parameter
from gdl_env.ros.node_protocol import RosNode


def _fixed(default: Any, description: str) -> Parameter:
    return Parameter(default, ParameterDescriptor(description=description, read_only=True))


MATCH: dict[str, Parameter] = {
    'episodes': _fixed(1, 'Episodes to play, over all lanes [1 or more]'),
    'seed': _fixed(-1, "Decides all chance; negative: the environment's own"),
    'result_file': _fixed('', 'File for the result, as JSON; empty: none'),
    'wait_timeout': _fixed(
        600.0, 'How long an environment may be silent, or not there yet [s; 0: without end]'
    ),
    'allow_programs': _fixed(
        False, 'Whether the service `swap` may start programs and code of files: external, file.py'
    ),
    'progress_period': _fixed(5.0, 'Time between two lines about progress [s; 0: none]'),
}

TOURNAMENT: dict[str, Parameter] = {
    'game': _fixed('tictactoe', 'Name of a game, or path of a rule file'),
    'agents': _fixed(
        ['random', 'legal'], 'Who takes part, each name[:detail] or file.py:Class[:detail]'
    ),
    'self_play': _fixed(False, 'Whether agents also play against themselves'),
    'episodes': _fixed(100, 'Episodes of each match [1 or more]'),
    'lanes': _fixed(1, 'Games played side by side [1 or more]'),
    'seed': _fixed(-1, 'Decides all chance; negative: another one each time'),
    'move_clock': _fixed(10.0, 'Time for a move [s; 0: as long as it takes]'),
    'start_clock': _fixed(60.0, 'Time for agents to get ready [s; 0: as long as it takes]'),
    'params': _fixed('', 'Parameter file for all nodes of the matches; empty: none'),
    'out': _fixed('tournament', 'Folder for tables, plots and results'),
    'log_level': _fixed('warn', 'How much the nodes of the matches tell'),
}


def declare(node: RosNode, parameters: dict[str, Parameter]) -> dict[str, Any]:
    """Declare parameters on a node; return their values."""
    return {
        name: node.declare_parameter(name, parameter.default, parameter.descriptor).value
        for name, parameter in parameters.items()
    }
