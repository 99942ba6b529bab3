"""Play a game at the terminal, against any agent or another person, or watch.

Each ROLE=AGENT says who plays a role: human, random, or any other agent, such as
mcts:playouts=500, rainbow:RUN@3, uci:stockfish or file.py:Class. If you name no person, you play
the first role without an agent; the remaining roles move at random. A role called `random` is
chance itself. You see only what your role may see. Type a move as you would write it (e2e4, 1 1,
drop 3) or its number in the list; `help` lists everything else you can type.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import (
    add_game,
    add_mapping,
    add_seed,
    load,
    positive_count,
    positive_number,
    seed_from,
)
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_env.cli.seats import SeatedAgent
    from gdl_env.cli.terminal_board import TerminalBoard
    from gdl_env.environment.environment import Environment
    from gdl_env.environment.protocol import MatchInfo
    from gdl_env.language.game import Game


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        'players', metavar='ROLE=AGENT', nargs='*', help='who plays a role: human, random, mcts …'
    )
    parser.add_argument(
        '-o',
        '--record',
        type=Path,
        metavar='FILE',
        help='add the match to a recording (JSON lines)',
    )
    parser.add_argument(
        '--turn',
        default='rotate',
        metavar='RULE',
        help='who moves where several could, one at a time: rotate, priority, random, or a'
        ' function as module:name or file.py:name (default: rotate)',
    )
    parser.add_argument(
        '--illegal',
        default='random',
        choices=('random', 'best', 'end'),
        help='what follows an illegal answer: a random legal move, the one the agent likes'
        ' best, or the end of the game (default: random)',
    )
    parser.add_argument(
        '--max-steps',
        type=positive_count,
        default=0,
        metavar='STEPS',
        help='stop a game that has not ended by then (default: never)',
    )
    parser.add_argument(
        '--play-clock',
        type=positive_number,
        default=0.0,
        metavar='SECONDS',
        help='time to move; then a random move is played (default: as long as it takes)',
    )
    parser.add_argument(
        '--delay',
        type=positive_number,
        default=0.0,
        metavar='SECONDS',
        help='pause after each step when no person plays (default: no pause)',
    )
    parser.add_argument(
        '--hints',
        metavar='AGENT',
        help='who answers hint, in games that hide nothing (default: mcts:time=1)',
    )
    add_mapping(parser)
    add_seed(parser)
    parser.add_argument(
        '--engine', default='auto', metavar='NAME', help='the engine to use (default: auto)'
    )


def run(options: Namespace) -> int:
    """Play one match."""
    if sys.stdout.isatty():
        # Rules and engines take a moment to load: a person should see that something happens.
        print(options.game, flush=True)
    game = load(options.game)
    from gdl_env.cli.seats import assign_roles, open_seats

    agents = assign_roles(game, options.players)
    _check(game, options)
    seats = open_seats(agents)
    seed = seed_from(options)
    print(', '.join(f'{role}: {agent}' for role, agent in agents.items()), flush=True)
    _play(game, seats, seed, options)
    return 0


def _check(game: Game, options: Namespace) -> None:
    from gdl_env.language.game import Information
    from gdl_env.play.turn_names import FIRST

    if options.turn == FIRST:
        raise UsageError('--turn first needs agents that answer at times of their own')
    if options.hints and game.information is not Information.COMPLETE:
        raise UsageError(f'--hints: {game.name} hides something, so there are no hints')


def _play(game: Game, seats: tuple[SeatedAgent, ...], seed: int, options: Namespace) -> None:
    from gdl_env.cli.match_log import MatchLog
    from gdl_env.cli.session import Pace, Session
    from gdl_env.cli.terminal_board import TerminalBoard, can_draw, open_console
    from gdl_env.engine.recordings.recording import RecordingWriter
    from gdl_env.environment.environment import Environment
    from gdl_env.environment.lanes.open_lanes import open_lanes
    from gdl_env.environment.options import Illegal, Options

    told = Options(
        seed=seed,
        episodes=1,
        max_steps=options.max_steps,
        illegal=Illegal(options.illegal),
        turn=options.turn,
    )
    writer = RecordingWriter(options.record) if options.record else None
    with writer or nullcontext():
        lanes = open_lanes(game, 1, options.engine, options.mapping)
        log = MatchLog(game, lanes.roles, seed, writer)
        lanes.trace = log
        environment = Environment(lanes, told)
        try:
            info = replace(environment.info(), play_clock=options.play_clock)
            console = open_console()
            board = TerminalBoard(game, info, console) if can_draw(console) else None
            _prepare(seats, environment, info, board, options)
            pace = Pace(options.play_clock, options.delay)
            Session(environment, info, seats, log, pace, board).run()
        finally:
            log.close()
            environment.close()


def _prepare(
    seats: tuple[SeatedAgent, ...],
    environment: Environment,
    info: MatchInfo,
    board: TerminalBoard | None,
    options: Namespace,
) -> None:
    """Give people what this match can do for them."""
    from gdl_agents.players.human import HumanAgent
    from gdl_env.cli.hints import Hints
    from gdl_env.language.game import Information

    is_open = environment.game.game.information is Information.COMPLETE
    for seat in seats:
        if isinstance(seat.agent, HumanAgent):
            seat.agent.can_take_back = True
            seat.agent.announces_end = False
            seat.agent.draw = board.draw if board is not None else None
            if is_open:
                seat.agent.advise = Hints(options.hints or 'mcts:time=1', info, seat.roles).advise


VERB = Verb(
    name='play',
    group=Group.PLAY,
    summary='play a game at the terminal, or watch one',
    description=__doc__,
    examples="""
    gdl play tictactoe                            you play x, o plays at random
    gdl play chess black=mcts                     you play white against a tree search
    gdl play tictactoe x=random                   you play o
    gdl play tictactoe x=human o=human            two people at one keyboard
    gdl play tictactoe x=mcts o=legal --delay 1   watch
    gdl play tictactoe -o matches.jsonl           keep the match; see gdl replay
    """,
    configure=configure,
    run=run,
)
