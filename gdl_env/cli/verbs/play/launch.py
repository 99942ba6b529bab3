"""Start the nodes of a launch file: an environment, its agents and spectators.

Does the same as `ros2 launch gdl_env FILE`, and works where ros2 launch is not installed. FILE is
match, human, robot, selfplay or tournament. Arguments are written name:=value; the roles of the
game are arguments as well and take an agent: x:=random. ctrl-C stops all nodes. The exit code is
that of the node that ended the launch.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdl_env.cli.verb import Group, Verb

if TYPE_CHECKING:
    from gdl_env.ros.launch.topology import Topology


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('file', metavar='FILE', help='match, human, robot, selfplay or tournament')
    parser.add_argument('arguments', metavar='NAME:=VALUE', nargs='*', help='see --show-args')
    parser.add_argument(
        '-s', '--show-args', action='store_true', help='print the arguments of the launch file'
    )
    parser.add_argument(
        '-p', '--print-description', action='store_true', help='print what would be started'
    )


def run(options: Namespace) -> int:
    """Start the nodes; return the exit code of the launch."""
    from gdl_env.ros.launch.arguments import parse_pairs
    from gdl_env.ros.launch.supervisor import Supervisor
    from gdl_env.ros.launch.topology import find_topology

    topology = find_topology(options.file)
    if options.show_args:
        _show(topology)
        return 0
    nodes = topology.nodes(parse_pairs(options.arguments))
    if options.print_description:
        for node in nodes:
            print(node.describe())
        return 0
    return Supervisor(nodes).run()


def _show(topology: Topology) -> None:
    from textwrap import fill

    print(f"{topology.summary}\nArguments (pass arguments as '<name>:=<value>'):")
    for argument in topology.arguments:
        print(f'\n  {argument.name}  (default: {argument.default or "empty"})')
        print(fill(argument.description, 78, initial_indent='    ', subsequent_indent='    '))
        if argument.choices:
            print(f'    One of: {", ".join(argument.choices)}.')


VERB = Verb(
    name='launch',
    group=Group.PLAY,
    summary='start an environment and agents as ROS 2 nodes',
    description=__doc__,
    examples="""
    gdl launch match game:=tictactoe x:=random o:=legal episodes:=100    agents play
    gdl launch human game:=connect_four                  you play the first role
    gdl launch tournament agents:="random legal"         a cross table
    gdl launch match --show-args                         all arguments
    gdl launch match x:=legal --print-description        what would be started
    """,
    configure=configure,
    run=run,
)
