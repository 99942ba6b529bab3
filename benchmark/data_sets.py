"""How fast `gdl data` makes positions, beside the bare environment.

    python benchmark/data_sets.py                    Connect Four, random players
    python benchmark/data_sets.py othello --games 4000

Rates are positions a minute of processor time, files included, and the best of all rounds counts.
The ratio is that to the environment alone, which plays the same lanes and shows every decision to
a learner; both are measured in turns, so it hardly depends on what else the machine does.
"""

from __future__ import annotations

import argparse
from pathlib import Path
import tempfile
from time import process_time

from gdl_agents.data.data_folder import DataFolder
from gdl_agents.data.job import DataJob
from gdl_agents.data.make import make_data
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.language.game import Game
from gdl_env.language.load import open_game

LANES = 1_024
# What is wanted of every way, with random players.
GOAL = 1_000_000

# Of each way: endings, and who plays.
WAYS: dict[str, tuple[int, tuple[str, ...]]] = {
    'randomised': (4, ()),
    'battle': (1, ('random',)),
    'imitation': (4, ('random',)),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('game', nargs='?', default='connect_four')
    parser.add_argument('--games', type=int, default=8_192, help='endings in a measurement')
    parser.add_argument('--rounds', type=int, default=3)
    options = parser.parse_args()
    game = open_game(options.game)
    # Compiled code is loaded first.
    play_bare(game, LANES)
    print(
        '| way | format | million positions a minute | of the goal | environment alone | ratio |'
    )
    print('|---|---|---:|---:|---:|---:|')
    for how in WAYS:
        for form in ('npz', 'parquet'):
            made = bare = 0.0
            for number in range(options.rounds):
                bare = max(bare, play_bare(game, options.games))
                made = max(made, make(game, how, form, options.games, number))
            print(
                f'| {how} | {form} | {made / 1e6:.2f} | {made / GOAL:.1f} | {bare / 1e6:.1f}'
                f' | {made / bare:.3f} |',
                flush=True,
            )


def play_bare(game: Game, games: int) -> float:
    """Return decisions a minute of random games that are shown and forgotten."""
    environment = Environment.open(game, Options(LANES, 1, games))
    count, start = 0, process_time()
    while not environment.is_finished:
        count += len(environment.decisions())
        environment.play(environment.draw())
    rate = 60 * count / (process_time() - start)
    environment.close()
    return rate


def make(game: Game, how: str, form: str, games: int, seed: int) -> float:
    """Return positions a minute of a data set."""
    endings, agents = WAYS[how]
    extra = 0.1 if how == 'imitation' else 0.0
    job = DataJob(
        game.name,
        game.hash,
        how,
        seed,
        games // endings,
        endings,
        extra=extra,
        agents=agents,
        lanes=LANES,
        formats=(form,),
    )
    with tempfile.TemporaryDirectory() as folder:
        start = process_time()
        about = make_data(game, job, DataFolder(Path(folder) / 'set'))
        seconds = process_time() - start
    positions: int = about['rows']['positions']
    return 60 * positions / seconds


if __name__ == '__main__':
    main()
