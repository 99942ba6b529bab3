"""Write an access policy for SROS 2: which node of a match may use which topics and services.

Every role gets its own enclave. The agent in it reaches the topics and services of its role, and
none of another role. The environment, the recorder, the web interface and the node that requests
matches have enclaves too; with --arm or --hand, so do the nodes that work with real pieces. Pass
the policy to `ros2 security` and give the nodes the names in it: see doc/security.md.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
import re

from gdl_env.cli.game_options import add_game, load, positive_count
from gdl_env.cli.verb import Group, UsageError, Verb
from gdl_env.errors import GdlError

# As in the names of ROS, without the slash at the front.
_NAMESPACE = re.compile(r'[A-Za-z_]\w*(?:/[A-Za-z_]\w*)*', re.ASCII)


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        '-o', '--output', type=Path, required=True, metavar='DIR', help='folder for the policy'
    )
    parser.add_argument(
        '--namespace', default='match', metavar='NAME', help='namespace of the match [match]'
    )
    parser.add_argument(
        '--team',
        action='append',
        default=[],
        metavar='NAME=ROLE,ROLE',
        help='roles that may exchange messages, as in the parameter `teams`; may be repeated',
    )
    parser.add_argument(
        '--seat',
        action='append',
        default=[],
        metavar='ROLE',
        help='a role that a person plays in the web interface, which may then see its view; may be'
        ' repeated',
    )
    parser.add_argument(
        '--arm',
        action='append',
        default=[],
        metavar='ROLE',
        help='a role whose moves an arm plays (robot:AGENT); may be repeated',
    )
    parser.add_argument(
        '--hand',
        action='append',
        default=[],
        metavar='ROLE',
        help='a role of a person whose moves a camera sees (hand); may be repeated',
    )
    parser.add_argument(
        '--cohorts',
        type=positive_count,
        default=1,
        metavar='N',
        help='parts of the lanes, as in the parameter `cohorts` of the environment [1]',
    )


def run(options: Namespace) -> int:
    """Write the policy; print what it is used by."""
    from gdl_env.cli.files import write_atomically
    from gdl_env.engine.contract import NATURE
    from gdl_env.language.game import Information
    from gdl_env.ros.security.access import MatchAccess
    from gdl_env.ros.security.policy_file import enclave_path, write_policy

    namespace = options.namespace.strip('/')
    if not _NAMESPACE.fullmatch(namespace):
        raise UsageError(f'{options.namespace!r} cannot be a namespace of ROS')
    game = load(options.game)
    roles = tuple(str(role) for role in game.roles if role != NATURE)
    access = MatchAccess(
        roles,
        is_open=game.information is Information.COMPLETE,
        teams=dict(_read_team(text, roles) for text in options.team),
        seats=tuple(_check_role(role, roles) for role in options.seat),
        arms=tuple(_check_role(role, roles) for role in options.arm),
        hands=tuple(_check_role(role, roles) for role in options.hand),
        cohorts=options.cohorts,
    )
    path = options.output / f'{namespace.replace("/", ".")}.policy.xml'
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GdlError(f'{options.output} cannot be made: {error.strerror}') from error
    write_atomically(path, write_policy(namespace, access.nodes()))
    print(f'{path}: enclaves and the nodes they are for, in the namespace /{namespace}')
    for node in access.nodes():
        print(f'  {enclave_path(namespace, node)}  {node.node}')
    return 0


def _read_team(text: str, roles: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    name, equals, members = text.partition('=')
    if not equals or not name or not members:
        raise UsageError(f'expected NAME=ROLE,ROLE, got {text!r}')
    return name, tuple(_check_role(member, roles) for member in members.split(','))


def _check_role(role: str, roles: tuple[str, ...]) -> str:
    if role not in roles:
        raise UsageError(f'{role!r} is not a role; roles: {", ".join(roles)}')
    return role


VERB = Verb(
    name='security',
    group=Group.PLAY,
    summary='write a policy for ROS 2 with security',
    description=__doc__,
    examples="""
    gdl security kuhn_poker -o policies                    an enclave for each role, and for others
    gdl security skat -o policies --namespace skat --seat forehand
    gdl security doppelkopf -o policies --team re=north,south
    gdl security chess -o policies --arm white --hand black   an arm plays a person
    """,
    configure=configure,
    run=run,
)
