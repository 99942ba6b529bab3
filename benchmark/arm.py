"""Games that a simulated arm plays against a simulated hand, through a camera, with physics.

    python benchmark/arm.py games tictactoe --games 100
    python benchmark/arm.py games chess --agent alphabeta:time=0.05 --keep
    python benchmark/arm.py games checkers --slips 0.05 --knocks 0.1 --blunders 0.1
    python benchmark/arm.py pictures tictactoe chess --noise 0 4 8 16 32 --keep
    python benchmark/arm.py report

`games` plays to the end: whoever is the first role has the arm. After every move, where pieces
really are is compared with the rules. `pictures` plays random moves by hand and counts which moves
the pictures explain; every so often a piece is moved, taken away or knocked over afterwards, and
the pictures have to show that. Positions and noise are by `--seed`; a busy machine changes no
figure. `--keep` adds the results to those of other seeds in doc/benchmarks/arm.json, from which
`report` writes the tables of doc/robots.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from arm_game import ArmGame, Count, Disturbances
from arm_pictures import PictureCount, PictureTest
from arm_tables import keep, tell, write_report

from gdl_env.robot.physics.table_camera import PictureNoise


def play_games(told: argparse.Namespace) -> None:
    """Play games of each kind."""
    trouble = Disturbances(told.slips, told.blunders, told.knocks)
    for name in told.names:
        table = ArmGame(name, told.seed, PictureNoise(told.noise[0]), trouble, tuple(told.size))
        for _ in range(told.games):
            if told.agent:
                table.play_as(told.agent, told.seed + table.count.games, told.moves)
            else:
                table.play(told.moves)
        table.close()
        _finish(told, name, told.noise[0], table.count)
        for word in table.count.words if told.words else ():
            print(f'    {word}')


def judge_pictures(told: argparse.Namespace) -> None:
    """Play random moves by hand, in each kind of game with each noise."""
    for name in told.names:
        for noise in told.noise:
            test = PictureTest(ArmGame(name, told.seed, PictureNoise(noise), size=told.size))
            test.run(told.moves)
            _finish(told, name, noise, test.count)
            for word in test.count.words if told.words else ():
                print(f'    {word}')


def _finish(
    told: argparse.Namespace, name: str, noise: float, count: Count | PictureCount
) -> None:
    """Print what was counted, and keep it if asked to."""
    counts = asdict(count)
    del counts['words']
    row = {'game': name, 'noise': noise, 'size': list(told.size), 'seed': told.seed}
    if told.what == 'games':
        shares = {'slips': told.slips, 'blunders': told.blunders, 'knocks': told.knocks}
        row |= {'agent': told.agent, 'moves_at_most': told.moves, **shares}
    tell({**row, **counts})
    if told.keep:
        keep(told.what, row, counts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('what', choices=('games', 'pictures', 'report'))
    parser.add_argument('names', nargs='*')
    parser.add_argument('--games', type=int, default=1)
    parser.add_argument('--moves', type=int, default=300, help='most moves of a game')
    parser.add_argument('--noise', type=float, nargs='+', default=[PictureNoise().pixels])
    parser.add_argument('--size', type=int, nargs=2, default=[960, 720], help='of pictures')
    parser.add_argument('--agent', default='', help='decides for the arm [random moves]')
    parser.add_argument('--slips', type=float, default=0.0)
    parser.add_argument('--blunders', type=float, default=0.0)
    parser.add_argument('--knocks', type=float, default=0.0)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--words', action='store_true', help='print what was told, too')
    parser.add_argument('--keep', action='store_true', help='add to doc/benchmarks/arm.json')
    told = parser.parse_args(arguments)
    if told.what == 'report':
        write_report()
        return
    if not told.names:
        parser.error('name a game')
    (play_games if told.what == 'games' else judge_pictures)(told)


if __name__ == '__main__':
    main()
