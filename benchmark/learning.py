"""Train players with several seeds and print how they fare against random players.

python benchmark/learning.py                           tic-tac-toe, all modes, three seeds
python benchmark/learning.py --modes random gate --seeds 1 2 --set episodes=3000
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from time import process_time

from gdl_agents.learning.config import TrainingConfig
from gdl_agents.learning.config_file import make_config, read_settings
from gdl_agents.learning.evaluation import Score
from gdl_agents.learning.trainer import Trainer
from gdl_env.cli.game_options import load
from gdl_env.cli.tables import print_table

GAMES = 2_000
# Kusmenko et al. (2022), after 3,000 episodes, a random half of the games begun: shares of games
# won and drawn. The last line is what they found for a perfect player.
PUBLISHED = (
    ('rainbow', 'random', 0.86, 0.01),
    ('rainbow', 'gate', 0.78, 0.08),
    ('perfect player', '-', 0.89, 0.11),
)


def train(config: TrainingConfig) -> tuple[dict[str, Score], float, float]:
    """Train; return the scores of the strongest snapshot, its reward, and seconds of CPU."""
    start = process_time()
    trainer = Trainer(load(config.game), config)
    best, models = -100.0, {}
    while not trainer.is_done:
        taken = trainer.tick()
        for name, model in (taken or {}).items():
            # Several learners are judged together, as they are in the scores.
            if trainer.score >= best:
                models.update(dict.fromkeys(trainer.roles_of(name), model))
        if taken:
            best = max(best, trainer.score)
    seconds = process_time() - start
    scores = trainer.evaluate(GAMES, models)
    trainer.close()
    return scores, best, seconds


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--game', default='tictactoe')
    parser.add_argument('--algorithms', nargs='+', default=['rainbow', 'dqn'])
    parser.add_argument(
        '--modes', nargs='+', default=['random', 'selfplay', 'gate', 'league', 'together']
    )
    parser.add_argument('--seeds', nargs='+', type=int, default=[1, 2, 3])
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    options = parser.parse_args(argv)
    rows = []
    for algorithm in options.algorithms:
        for mode in options.modes:
            for seed in options.seeds:
                told = {'game': options.game, 'algorithm': algorithm, 'mode': mode, 'seed': seed}
                config = make_config(told, read_settings(options.set))
                scores, _, seconds = train(config)
                rows.append((algorithm, mode, seed, *_cells(scores), f'{seconds:.0f}'))
                print(*rows[-1], flush=True)
    for name, mode, won, drawn in PUBLISHED if options.game == 'tictactoe' else ():
        lost = max(0.0, 1 - won - drawn)
        rows.append(
            (f'{name} (2022)', mode, '-', *(f'{s:.1%}' for s in (won, drawn, lost)), '', '')
        )
    print()
    headers = ('algorithm', 'mode', 'seed#', 'won#', 'drawn#', 'lost#', 'lost by seat', 'CPU s#')
    print_table(headers, rows)


def _cells(scores: dict[str, Score]) -> list[str]:
    total = Score()
    for score in scores.values():
        total += score
    shares = [count / total.games for count in (total.wins, total.draws, total.losses)]
    seats = ' '.join(f'{role} {s.losses / s.games:.1%}' for role, s in scores.items())
    return [*(f'{share:.1%}' for share in shares), seats]


if __name__ == '__main__':
    main()
