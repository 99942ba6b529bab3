"""Rate a position and its best moves, in games without hidden facts.

The position is the initial one, or the one after the moves of --after. Monte-Carlo tree search
rates it, or the agent that --agent names: alphabeta, or a trained player (alphazero:runs/…,
rainbow:runs/…). With --pipe, the command reads positions from standard input, one JSON object per
line. It rates each position until the next one arrives and prints several JSON objects per second,
one per line. The web interface uses this.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
import json
import sys
from time import monotonic
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import add_game, load, positive_number
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_agents.study.position_study import PositionStudy
    from gdl_agents.study.ratings import PositionRating
    from gdl_env.engine.contract import State
    from gdl_env.language.game import Game

# Between two lines about one position [s].
_NEWS = 0.25
# Moves in such a line.
_LISTED = 5


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    add_game(parser)
    parser.add_argument(
        '--seconds',
        type=positive_number,
        default=2.0,
        metavar='SECONDS',
        help='longest search of one position (default: 2)',
    )
    parser.add_argument(
        '--after', nargs='*', default=[], metavar='MOVE', help='moves that lead to the position'
    )
    parser.add_argument(
        '--agent',
        default='mcts',
        metavar='AGENT',
        help='the agent that rates positions (default: mcts)',
    )
    parser.add_argument('--pipe', action='store_true', help='read positions, write JSON lines')


def run(options: Namespace) -> int:
    """Rate one position, or all that come."""
    from gdl_agents.study.position_study import PositionStudy

    game = load(options.game)
    study = PositionStudy(game, options.agent)
    try:
        if options.pipe:
            _serve(study, options.seconds)
            return 0
        rating = _rate(study, _find_state(game, options.after), options.seconds)
    finally:
        study.close()
    if rating is None:
        print('no role has a choice here')
        return 0
    based = f'{rating.visits} visits' if rating.visits else f'{rating.depth} moves ahead'
    word = 'proven' if rating.is_proven else based if rating.visits + rating.depth else 'learned'
    print(f'{rating.role}: {100 * rating.value:.0f} of 100 ({word})')
    for move in rating.moves[:10]:
        certain = '  proven' if move.is_proven else ''
        print(f'{100 * move.value:5.0f}  {move.visits:8}  {move.move}{certain}')
    return 0


def _find_state(game: Game, moves: list[str]) -> State:
    from gdl_env.engine.interpreter import Interpreter
    from gdl_env.engine.registry import open_engine
    from gdl_env.language.reader import read_term

    with open_engine(game) as engine:
        match = Interpreter(engine, seed=0)
        for text in moves:
            actors = match.actors()
            if len(actors) != 1:
                raise UsageError(f'{text}: several roles move here, or none')
            match.step({actors[0]: read_term(text)})
        return match.state


def _rate(study: PositionStudy, state: State, seconds: float) -> PositionRating | None:
    position = study.open(state)
    if position is None:
        return None
    position.grow(seconds)
    return position.rate()


def _serve(study: PositionStudy, seconds: float) -> None:
    """Rate the newest position until there is another one, or nothing more to find."""
    from queue import SimpleQueue
    from threading import Thread

    lines: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        lines.put('')

    Thread(target=read, daemon=True).start()
    is_over = False
    while not is_over and (line := lines.get()):
        # Only the newest counts.
        while not lines.empty() and not is_over:
            newer = lines.get()
            line, is_over = newer or line, not newer
        for answer in _answer(study, line, seconds):
            print(json.dumps(answer), flush=True)
            if not lines.empty():
                break


def _answer(study: PositionStudy, line: str, seconds: float) -> Iterator[dict[str, object]]:
    """Yield what is known of a position, more and more of it."""
    from gdl_env.errors import GdlError
    from gdl_env.language.reader import read_term

    try:
        asked = json.loads(line)
        position = study.open(frozenset(map(read_term, asked['facts'])))
        if position is None:
            yield {'id': asked.get('id'), 'role': '', 'moves': [], 'is_done': True}
            return
        end, is_growing = monotonic() + seconds, True
        while is_growing:
            left = end - monotonic()
            is_growing = position.grow(min(_NEWS, left)) and left > _NEWS
            told = asdict(position.rate())
            told['moves'] = told['moves'][:_LISTED]
            yield {'id': asked.get('id'), 'is_done': not is_growing, **told}
    except (GdlError, ValueError, KeyError, TypeError) as error:
        yield {'error': str(error)}


VERB = Verb(
    name='study',
    group=Group.PLAY,
    summary='rate a position and its best moves',
    description=__doc__,
    examples="""
    gdl study tictactoe --after '(mark 1 1)' '(mark 2 1)'      proven at once
    gdl study connect_four --seconds 5                         an estimate
    gdl study breakthrough --agent alphabeta --seconds 5       the moves that lose least
    """,
    configure=configure,
    run=run,
)
