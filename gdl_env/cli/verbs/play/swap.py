"""Replace the agent that plays a role in a running ROS 2 match.

The new agent starts while the old one plays, takes over between two ticks, and then the old one
ends. The match does not stop, and no tick is lost. Write AGENT as in a launch: name[:detail].
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import sys

from gdl_env.cli.verb import Group, Verb
from gdl_env.errors import GdlError


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument('role', metavar='ROLE', help='the role')
    parser.add_argument('agent', metavar='AGENT', help='the agent that takes over')
    parser.add_argument(
        '--namespace', metavar='NAME', help='namespace of the match [the only one there is]'
    )
    parser.add_argument(
        '--timeout',
        type=float,
        default=330.0,
        metavar='SECONDS',
        help='longest wait for the change [330]',
    )


def run(options: Namespace) -> int:
    """Ask the match; print who plays."""
    try:
        from gdl_env.ros.match.swap_client import swap
    except ImportError as error:
        raise GdlError(f'this needs ROS 2 and gdl_msgs: {error}') from error
    response = swap(
        options.role,
        options.agent,
        options.namespace,
        options.timeout,
        lambda: print(
            f'waiting until {options.agent} is ready; after installation it compiles for a minute',
            file=sys.stderr,
        ),
    )
    if not response.success:
        raise GdlError(response.message)
    ended = f'; {response.former} has ended' if response.former and not response.message else ''
    print(f'{response.owner} plays {options.role}{ended}')
    if response.message:
        print(response.message)
    return 0


VERB = Verb(
    name='swap',
    group=Group.PLAY,
    summary='replace an agent of a running match',
    description=__doc__,
    examples="""
    gdl swap x mcts                                      x is played by mcts from the next tick on
    gdl swap red rainbow:runs/connect_four/mine --namespace club/table_1
    """,
    configure=configure,
    run=run,
)
