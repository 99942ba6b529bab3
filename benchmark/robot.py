"""Which share of moves is recognised from pictures, and how much an arm has to move for a move.

    python benchmark/robot.py                 all games and cameras
    python benchmark/robot.py --games chess   some of them

Random games are played; after each move a simulated camera takes pictures, at most ten, until one
is explained. All results are counts, so a busy machine changes nothing. Failures: a piece lies on
another square, and the pictures have to show it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from gdl_env.engine.contract import Engine, State
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import open_game
from gdl_env.robot.arranger import confirm
from gdl_env.robot.perception import BoardVerdict, Recogniser, SeenSquares
from gdl_env.robot.piece_motions import plan_motions
from gdl_env.robot.positions import Position, PositionReader
from gdl_env.robot.robot_setup import Geometry, default_setup
from gdl_env.robot.simulated_camera import CameraNoise, look_at

GAMES = ('tictactoe', 'connect_four', 'othello', 'breakthrough', 'checkers', 'chess', 'gomoku')
CAMERAS = {
    'perfect': CameraNoise(confidence=1.0),
    'default': CameraNoise(),
    '2 % hidden': CameraNoise(blind=0.02),
    '10 % hidden': CameraNoise(blind=0.1),
    '1 % wrong': CameraNoise(wrong=0.01),
    '5 % wrong': CameraNoise(wrong=0.05),
}
# Pictures of a move, as a camera that sends five a second has them after two seconds.
PICTURES = 10


@dataclass
class Count:
    """Results of moves, failures, and the motions that they take."""

    moves: int = 0
    recognised: int = 0
    wrong: int = 0
    pictures: int = 0
    failures: int = 0
    noticed: int = 0
    motions: int = 0


def play(engine: Engine, reader: PositionReader, moves: int) -> Iterator[tuple[State, str, State]]:
    """Yield states before, moves and states after, of random games."""
    match, random, seed, count = Interpreter(engine, 0), Random(1), 0, 0
    while count < moves:
        seed += 1
        match.reset(seed)
        while (actors := match.actors()) and count < moves:
            before = match.state
            step = match.step({role: random.choice(match.legal_moves(role)) for role in actors})
            count += 1
            yield before, str({str(r): str(m) for r, m in step.played.items()}), step.state


def misplace(
    reader: PositionReader, before: Position, after: Position, random: Random
) -> Position:
    """Return a position in which one of the pieces that arrived lies somewhere else."""
    arrived = sorted(place for place in after if before.get(place) != after[place])
    free = [place for place in reader.places if place not in after and place not in before]
    if not arrived or not free:
        return after
    place = random.choice(arrived)
    return {**{p: s for p, s in after.items() if p != place}, random.choice(free): after[place]}


def show(
    position: Position, reader: PositionReader, noise: CameraNoise, random: Random
) -> SeenSquares:
    """Return a picture."""
    return look_at(position, reader.places, reader.pieces, noise, random)


def measure(name: str, noise: CameraNoise, moves: int) -> Count:
    """Play a game with a camera."""
    game = open_game(name)
    engine = open_engine(game)
    reader = PositionReader(game, name)
    start = reader.read(engine.initial_state)
    geometry = Geometry(default_setup(reader, start), reader)
    flips = geometry.setup.flips
    recogniser, random, count = Recogniser(engine, reader, flips), Random(2), Count()
    for before, played, after in play(engine, reader, moves):
        position, wanted = reader.read(before), reader.read(after)
        count.moves += 1
        trays = geometry.empty_trays()
        count.motions += len(plan_motions(position, wanted, trays, (), flips).motions)
        for _ in range(PICTURES):
            seen = show(wanted, reader, noise, random)
            found = recogniser.recognise(before, seen)
            count.pictures += 1
            if found.verdict is BoardVerdict.MOVED:
                count.recognised += str(dict(found.moves)) == played
                count.wrong += str(dict(found.moves)) != played
                break
        failed = misplace(reader, position, wanted, random)
        if failed != wanted:
            count.failures += 1
            touched = [place for place in wanted if position.get(place) != wanted[place]]
            # As an arm looks at what it did.
            check = confirm(
                recogniser, wanted, touched, partial(show, failed, reader, noise, random)
            )
            count.noticed += check is not None and bool(check.advice)
    return count


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--games', nargs='+', default=GAMES)
    parser.add_argument('--cameras', nargs='+', choices=CAMERAS, default=tuple(CAMERAS))
    parser.add_argument('--moves', type=int, default=300)
    told = parser.parse_args()
    print('| game | camera | moves | recognised | wrongly | pictures a move | failures noticed |')
    print('|---|---|---|---|---|---|---|')
    for name in told.games:
        motions = moves = 0
        for camera in told.cameras:
            found = measure(name, CAMERAS[camera], told.moves)
            motions, moves = motions + found.motions, moves + found.moves
            print(
                f'| {name} | {camera} | {found.moves} | {found.recognised / found.moves:.2%} |'
                f' {found.wrong} | {found.pictures / found.moves:.2f} |'
                f' {found.noticed} of {found.failures} |',
                flush=True,
            )
        print(f'{name}: {motions / moves:.2f} motions a move')


if __name__ == '__main__':
    main()
