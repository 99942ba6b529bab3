"""Let every agent play every other one, in every role, and report the results.

The matches are launches of their own, one after the other, each in a namespace below this node's.
"""

from __future__ import annotations

from pathlib import Path
import sys
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from gdl_env.errors import GdlError
from gdl_env.language.load import open_game
from gdl_env.ros.declaring import declare
from gdl_env.ros.launch.arguments import LaunchError
from gdl_env.ros.launch.prefixed_output import PrefixedOutput
from gdl_env.ros.launch.supervisor import Supervisor
from gdl_env.ros.launch.topology import NATURE, TOPOLOGIES
from gdl_env.ros.match.table import MatchResult
from gdl_env.ros.parameters import TOURNAMENT
from gdl_env.ros.tournament.cross_plot import save_plot
from gdl_env.ros.tournament.cross_table import CrossTable, Pairing
from gdl_env.ros.tournament.pairings import pairings

# Arguments of a match that are passed on as they are.
PASSED_ON = tuple(name for name in TOURNAMENT if name not in ('agents', 'self_play', 'out'))


class Tournament:
    """Plays all matches; `run` returns the exit code."""

    def __init__(self, values: dict[str, Any], namespace: str) -> None:
        self._values = values
        self._namespace = namespace.strip('/')
        self._agents = list(values['agents'])
        self._out = Path(values['out'])
        game = open_game(values['game'])
        self._name = game.name
        self._roles = [str(role) for role in game.roles if str(role) != NATURE]

    def run(self) -> int:
        """Play, then write and print the tables."""
        assignments = pairings(
            self._agents, len(self._roles), has_self_play=bool(self._values['self_play'])
        )
        played = []
        for number, agents in enumerate(assignments, 1):
            shown = ', '.join(f'{r}: {a}' for r, a in zip(self._roles, agents, strict=True))
            _say(f'match {number} of {len(assignments)}: {shown}')
            code, result = self._play(number, agents)
            if code > 128:
                # Stopped from outside, and so is all of this.
                return code
            if result is None or not result.is_success:
                reason = result.message if result else f'exit code {code}'
                raise LaunchError(f'match {number} ({shown}) failed: {reason}')
            played.append(Pairing(agents, result))
            # After every match, so that nothing is lost if a later one fails.
            self._save(CrossTable(self._roles, self._agents, played))
        for table in CrossTable(self._roles, self._agents, played).tables():
            _say(f'\n{table.to_text()}')
        _say(f'written to {self._out}')
        return 0

    def _play(self, number: int, agents: tuple[str, ...]) -> tuple[int, MatchResult | None]:
        file = self._out / 'matches' / f'{number:03}.json'
        file.unlink(missing_ok=True)
        arguments = {
            **{name: str(self._values[name]) for name in PASSED_ON},
            **dict(zip(self._roles, agents, strict=True)),
            'namespace': '/'.join(filter(None, [self._namespace, f'match_{number}'])),
            'result_file': str(file),
            'use_sim_time': str(self._values['use_sim_time']),
        }
        nodes = TOPOLOGIES['match'].nodes(arguments)
        output = PrefixedOutput([node.name for node in nodes], is_chatty=False)
        code = Supervisor(nodes, output=output).run()
        return code, MatchResult.load(file) if file.exists() else None

    def _save(self, table: CrossTable) -> None:
        self._out.mkdir(parents=True, exist_ok=True)
        tables = table.tables()
        (self._out / 'results.csv').write_text(table.to_csv(), encoding='utf-8')
        (self._out / 'cross_table.csv').write_text(tables[0].to_csv(), encoding='utf-8')
        save_plot(tables, self._name, self._out / 'cross_table.png')


def _say(text: str) -> None:
    sys.stdout.write(f'{text}\n')
    sys.stdout.flush()


def _read_parameters() -> tuple[dict[str, Any], str]:
    """Return the parameters this was started with, and its namespace."""
    # The matches take care of signals.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = Node('tournament_node')
    try:
        values = declare(node, TOURNAMENT)
        # Every node has this one.
        values['use_sim_time'] = node.get_parameter('use_sim_time').value
        return values, node.get_namespace()
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def main() -> int:
    """Run the tournament; return 0 if all matches were played."""
    try:
        return Tournament(*_read_parameters()).run()
    except GdlError as error:
        sys.stderr.write(f'tournament_node: {error}\n')
        return 1
    except KeyboardInterrupt:
        return 130
