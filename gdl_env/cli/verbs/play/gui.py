"""Open the web interface: watch matches, play and train in the browser.

Without a game it shows all matches on the ROS graph. With a game it opens a table: you play every
role for which you name no agent (`o=random`). A browser opens where there is a display. Only this
machine can reach the page, unless --host says otherwise; visitors from other machines need a
token, from --token-file or the environment variable GDL_GUI_TOKEN. Pages start agents that run a
program, such as `external:…`, only with --allow-programs. ctrl-C ends the interface and everything
it started. See doc/gui.md.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
import os
import re
import secrets
import sys

from gdl_env.cli.verb import Group, UsageError, Verb

_NODE = 'gui_node'
# The parameters of the node, by the options that set them.
_SAME = ('host', 'port', 'token_file')
# role=agent; a game may have options in parentheses, name(option=value).
_PLAYER = re.compile(r'[^\s()=]+=')


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        'words', metavar='GAME ROLE=AGENT', nargs='*', help='a game, and who plays its roles'
    )
    parser.add_argument('--host', metavar='ADDRESS', help='address to serve at [127.0.0.1]')
    parser.add_argument(
        '--port', type=int, metavar='N', help='port to serve at [8080, or the next one free]'
    )
    parser.add_argument(
        '--token-file',
        metavar='FILE',
        help='file with the token that visitors need; created if it does not exist',
    )
    parser.add_argument(
        '--allow-programs',
        action='store_true',
        help='let pages start agents that run a program or a file of code',
    )
    parser.add_argument(
        '--no-browser',
        action='store_true',
        help='open no browser; by default one opens where there is a display and no token',
    )
    parser.add_argument('--namespace', default='', metavar='NAME', help='namespace of the node')


def run(options: Namespace) -> int:
    """Become the node: signals go to it."""
    if sys.stdout.isatty():
        # The server takes a moment to start: a person should see that something happens.
        print('starting the web interface', flush=True)
    from gdl_env.errors import GdlError
    from gdl_env.ros.launch.executables import find_executable
    from gdl_env.ros.launch.node_requirements import require_nodes
    from gdl_env.ros.launch.node_spec import NodeSpec

    require_nodes([NodeSpec(_NODE, _NODE)])
    players = [word for word in options.words if _PLAYER.match(word)]
    games = [word for word in options.words if word not in players]
    if len(games) > 1 or (players and not games):
        raise UsageError('name one game, then who plays: gdl gui tictactoe o=random')
    parameters: dict[str, object] = {
        name: value for name in _SAME if (value := getattr(options, name)) is not None
    }
    if not options.no_browser:
        parameters['browser'] = True
    if options.allow_programs:
        parameters['allow_programs'] = True
    if games:
        parameters['game'] = games[0]
        _check(games[0], players)
    # Anyone may open one, and roles belong to a node by its name: each has its own.
    command = [str(find_executable(_NODE)), '--ros-args']
    command += ['-r', f'__node:={_NODE}_{secrets.token_hex(2)}']
    if options.namespace:
        command += ['-r', f'__ns:=/{options.namespace.strip("/")}']
    for name, value in parameters.items():
        command += ['-p', f'{name}:={value!r}']
    if players:
        command += ['-p', f'players:={players!r}']
    try:
        os.execv(command[0], command)
    except OSError as error:
        raise GdlError(f'{command[0]}: {error.strerror}') from error


def _check(game: str, players: list[str]) -> None:
    """Say what is wrong here, and not in the node. Raises GdlError."""
    from gdl_env.gui.tables import ME
    from gdl_env.language.load import open_game
    from gdl_env.ros.launch.players import parse_player

    roles = [str(role) for role in open_game(game).roles]
    for word in players:
        role, _, player = word.partition('=')
        if role not in roles:
            raise UsageError(f'{role!r} is not a role of {game}; roles: {", ".join(roles)}')
        if player != ME:
            parse_player(player)


VERB = Verb(
    name='gui',
    group=Group.PLAY,
    summary='watch, play and train in the browser',
    description=__doc__,
    examples="""
    gdl gui                                              the matches on the graph
    gdl gui tictactoe                                    play, both roles on your pages
    gdl gui chess black=mcts                             play white against an agent
    gdl gui --host 0.0.0.0 --token-file token            for others: give them the token
    """,
    configure=configure,
    run=run,
)
