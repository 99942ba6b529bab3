"""Take part in General Game Playing, with the players and servers of other projects.

`serve` offers any agent as a GGP player on a network port, for a game server such as GGP-Base.
`match` is the game server: it runs a match between players, each an address or a local agent.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import add_game, add_seed, load, positive_count, seed_from
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_agents.ggp.manager import Manager

_SERVE = 'offer an agent as a player to GGP servers'
_MATCH = 'run a match between players'
# Where GGP players listen, by custom.
_PORT = 9147


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parts = parser.add_subparsers(dest='part', required=True, metavar='serve|match')
    serve = parts.add_parser('serve', help=_SERVE, description=f'{_SERVE[0].upper()}{_SERVE[1:]}.')
    serve.add_argument('--agent', default='mcts', help='the agent that plays (default: mcts)')
    serve.add_argument(
        '--host',
        default='127.0.0.1',
        help='address to listen on (default: 127.0.0.1, this machine only)',
    )
    serve.add_argument(
        '--port',
        type=int,
        default=_PORT,
        help=f'port to listen on; 0: any free one (default: {_PORT})',
    )
    serve.add_argument(
        '--name', default='gdl_env', help='name that servers display (default: gdl_env)'
    )
    serve.add_argument(
        '--matches',
        type=positive_count,
        default=4,
        metavar='N',
        help='matches at the same time (default: 4)',
    )
    serve.add_argument(
        '--ponder', action='store_true', help='think while others do, too (default: no)'
    )
    add_seed(serve)
    match = parts.add_parser('match', help=_MATCH, description=f'{_MATCH[0].upper()}{_MATCH[1:]}.')
    add_game(match)
    match.add_argument(
        'players',
        metavar='ROLE=PLAYER',
        nargs='*',
        help='who plays a role: http://host:port, or an agent',
    )
    match.add_argument(
        '--start-clock',
        type=float,
        default=30.0,
        metavar='SECONDS',
        help='time to prepare (default: 30)',
    )
    match.add_argument(
        '--play-clock',
        type=float,
        default=10.0,
        metavar='SECONDS',
        help='time for each move (default: 10)',
    )
    match.add_argument(
        '-o',
        '--record',
        type=Path,
        metavar='FILE',
        help='add the match to a recording (JSON lines)',
    )
    match.add_argument(
        '--json', type=Path, metavar='FILE', help='write a match record in the format of GGP-Base'
    )
    match.add_argument('--xml', type=Path, metavar='FILE', help='write such a record as XML')
    match.add_argument(
        '--max-steps',
        type=positive_count,
        default=0,
        metavar='STEPS',
        help='stop a match that has not ended by then (default: never)',
    )
    add_seed(match)


def run(options: Namespace) -> int:
    """Serve, or run a match."""
    return _serve(options) if options.part == 'serve' else _match(options)


def _serve(options: Namespace) -> int:
    import logging

    from gdl_agents.ggp.player_server import GgpPlayer, open_server
    from gdl_agents.registry import open_agent

    logging.basicConfig(level=logging.INFO, format='%(message)s', stream=sys.stderr)
    # A name that is wrong should be known now, not when a match begins.
    open_agent(options.agent)
    player = GgpPlayer(
        options.agent,
        options.name,
        most=options.matches,
        seed=options.seed or 0,
        ponders=options.ponder,
    )
    try:
        server = open_server(player, options.host, options.port)
    except (OSError, OverflowError) as error:
        raise UsageError(f'cannot listen on {options.host}:{options.port}: {error}') from error
    print(f'{options.agent} listens on http://{options.host}:{server.server_port}', flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return 0
    finally:
        server.server_close()
        player.close()
    return 0


def _match(options: Namespace) -> int:
    from gdl_agents.ggp.manager import Manager, MatchClocks
    from gdl_agents.ggp.match_record import write_json, write_xml
    from gdl_agents.ggp.seats import open_seat
    from gdl_env.cli.seats import assign_roles
    from gdl_env.engine.recordings.recording import RecordingWriter
    from gdl_env.engine.registry import open_engine

    if options.start_clock <= 0 or options.play_clock <= 0:
        raise UsageError('clocks are seconds, more than 0')
    game = load(options.game)
    names = assign_roles(game, options.players, f'http://localhost:{_PORT}', with_person=False)
    seed = seed_from(options)
    seats = {role: open_seat(name, seed + i) for i, (role, name) in enumerate(names.items())}
    clocks = MatchClocks(options.start_clock, options.play_clock)
    name = f'gdl.{game.name.partition("(")[0]}.{seed}'
    writer = RecordingWriter(options.record) if options.record else None
    with open_engine(game) as engine, writer or nullcontext():
        manager = Manager(engine, seats, clocks, name, seed)
        if writer is not None:
            writer.start(manager.match, seed)
        shown = 0

        def show() -> None:
            nonlocal shown
            for step in manager.match.history[shown:]:
                print(
                    '  '.join(f'{role}: {move}' for role, move in step.played.items()), flush=True
                )
            shown = len(manager.match.history)
            if writer is not None:
                writer.follow(manager.match)

        manager.run(show, options.max_steps)
        if writer is not None:
            writer.end(manager.match)
        if options.json:
            write_json(options.json, manager, clocks, names)
        if options.xml:
            write_xml(options.xml, manager, clocks, names)
        return _report(manager, names)


def _report(manager: Manager, names: dict[str, str]) -> int:
    """Print how the match ended; 1 if it did not end, or a player had strikes."""
    for strike in manager.strikes:
        print(f'step {strike.step}: {strike.role}: {strike.reason}', file=sys.stderr)
    match = manager.match
    if not match.is_terminal:
        print(f'stopped after {len(match.history)} steps')
        return 1
    for role, goal in match.goals().items():
        print(f'{role} ({names[str(role)]}): {goal}')
    return 1 if manager.strikes else 0


VERB = Verb(
    name='ggp',
    group=Group.PLAY,
    summary='play with GGP players and servers of other projects',
    description=__doc__,
    examples="""
    gdl ggp serve --agent mcts                              be a player, for any GGP server
    gdl ggp match connect_four red=http://localhost:9147    against a player of another project
    gdl ggp match tictactoe x=mcts o=http://localhost:9147 --play-clock 2 -o matches.jsonl
    """,
    configure=configure,
    run=run,
)
