"""How fast actors play, and how soon a player is strong, with 1 and 2 of them.

    .venv/bin/python benchmark/cluster_actors.py                       some minutes
    .venv/bin/python benchmark/cluster_actors.py --on processes --strength 60
    .venv/bin/python benchmark/cluster_actors.py --write-doc           and into doc/scaling.md

Actors of a run in processes and on a Ray cluster of this machine. All cells of a repetition are
measured one after the other, so that other programs slow down all of them alike; the table has
medians over repetitions. `--strength S` also trains for S seconds each, and shows the score
against a player that looks ahead.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import date
from itertools import product
import json
from math import isnan, nan
import os
from pathlib import Path
from statistics import median
import sys
from tempfile import TemporaryDirectory
from time import monotonic, process_time
from typing import Any

from doc_parts import write_part
from machine import describe_machine

from gdl_agents.cluster.job_pool import JobPool
from gdl_agents.cluster.open_pool import open_pool
from gdl_agents.cluster.process_pool import ProcessPool
from gdl_agents.learning.training.config_file import make_config
from gdl_agents.learning.training_runs import begin_run, open_trainer
from gdl_env.language.load import open_game

_MARKS = '<!-- cluster actors -->', '<!-- end of cluster actors -->'
# Rounds that are not measured: workers start, and open the game.
_WARM = 3


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--game', default='connect_four')
    parser.add_argument('--algorithm', default='alphazero')
    parser.add_argument('--lanes', type=int, default=64, help='of each actor')
    parser.add_argument('--actors', type=int, nargs='+', default=[1, 2])
    parser.add_argument('--on', nargs='+', default=['processes', 'ray'])
    parser.add_argument('--ticks', type=int, default=32, help='decisions of a lane in a round')
    parser.add_argument('--seconds', type=float, default=20.0)
    parser.add_argument('--repetitions', type=int, default=3)
    parser.add_argument('--strength', type=float, default=0.0, help='[s]; 0 is not measured')
    parser.add_argument('--write-doc', action='store_true')
    options = parser.parse_args()
    rates: dict[Any, list[Rate]] = defaultdict(list)
    scores: dict[Any, list[float]] = defaultdict(list)
    for repetition in range(options.repetitions):
        for cell in product(options.on, options.actors):
            rates[cell].append(measure_rate(options, *cell, repetition))
            print(json.dumps([*cell, asdict(rates[cell][-1])]), file=sys.stderr, flush=True)
            if options.strength:
                scores[cell].append(measure_strength(options, *cell, repetition))
                print(json.dumps([*cell, scores[cell][-1]]), file=sys.stderr, flush=True)
    table = report(options, rates, scores)
    print(table)
    if options.write_doc:
        write_part(table, *_MARKS, name='scaling.md')
    return 0


def configure(options: Any, actors: int, seed: int, **changes: Any) -> Any:
    """Return the options of a run whose actors have so many lanes each."""
    told = {'game': options.game, 'algorithm': options.algorithm, 'actors': actors, 'seed': seed}
    told['actor_ticks'] = options.ticks
    return make_config({**told, 'lanes': actors * options.lanes, 'episodes': 10**8, **changes})


@dataclass(frozen=True)
class Rate:
    """How fast actors played."""

    # Steps a second.
    steps: float
    # Processor time of a step, of the learner's process and of all workers [s].
    learner: float
    workers: float


def sum_times(pool: JobPool) -> float:
    """Return the processor time of all workers [s]; not a number where they are Ray's."""
    if not isinstance(pool, ProcessPool):
        return nan
    words = [
        Path(f'/proc/{number}/stat').read_text().rpartition(')')[2].split()
        for number in pool.process_ids
    ]
    # The fields utime and stime, counted from the one behind the name.
    return sum(int(each[11]) + int(each[12]) for each in words) / os.sysconf('SC_CLK_TCK')


def measure_rate(options: Any, on: str, actors: int, seed: int) -> Rate:
    """Return how fast actors play, while the learner learns nothing."""
    config = configure(options, actors, seed, learner={'warm_up': 10**6, 'capacity': 2 * 10**6})
    with open_pool(actors, on) as pool:
        trainer = open_trainer(open_game(options.game), config, pool)
        try:
            for _ in range(_WARM):
                trainer.tick()
            before, start = trainer.status().steps, monotonic()
            learner, workers = process_time(), sum_times(pool)
            while monotonic() - start < options.seconds:
                trainer.tick()
            steps = trainer.status().steps - before
            learner, workers = process_time() - learner, sum_times(pool) - workers
            return Rate(steps / (monotonic() - start), learner / steps, workers / steps)
        finally:
            trainer.close()


def measure_strength(options: Any, on: str, actors: int, seed: int) -> float:
    """Return the mean reward against a player that looks ahead, after some time of training."""
    changes = {'seconds': options.strength, 'judge': 'lookahead', 'levels': 0, 'snapshots': 1}
    config = configure(options, actors, seed, **changes, final_games=64, evaluation_games=64)
    with TemporaryDirectory() as folder, open_pool(actors, on) as pool:
        run = begin_run(open_game(options.game), config, Path(folder), pool=pool)
        try:
            run.run()
            return sum(score.reward for score in run.results.values()) / len(run.results)
        finally:
            run.trainer.close()


def report(options: Any, rates: dict[Any, list[Rate]], scores: dict[Any, list[float]]) -> str:
    """Return a table: a line for each place and number of actors."""
    machine = describe_machine()
    head = ['workers', 'actors', 'steps/s', 'against one actor']
    head += ['processor time of a step: workers [ms]', 'learner [ms]']
    if options.strength:
        head.append(f'reward against lookahead after {options.strength:g} s')
    command = ' '.join(['benchmark/cluster_actors.py', *sys.argv[1:]])
    lines = [
        f'`python {command}`, {date.today():%d %B %Y}; {machine["cpu"]}, {machine["cores"]} cores,'
        f' load {machine["load"]}. {options.game}, {options.algorithm}, {options.lanes} lanes an'
        f' actor, {options.ticks} ticks a round; medians of {options.repetitions}.',
        '',
        f'| {" | ".join(head)} |',
        '|---' + '|---:' * (len(head) - 1) + '|',
    ]
    for on, actors in product(options.on, options.actors):
        pairs = zip(rates[on, actors], rates[on, options.actors[0]], strict=True)
        times = median(many.steps / one.steps for many, one in pairs)
        known = rates[on, actors]
        row = [on, str(actors), f'{median(rate.steps for rate in known):,.0f}', f'{times:.2f}']
        for spent in ([rate.workers for rate in known], [rate.learner for rate in known]):
            row.append('-' if isnan(spent[0]) else f'{1e3 * median(spent):.3f}')
        if options.strength:
            row.append(f'{median(scores[on, actors]):.2f}')
        lines.append(f'| {" | ".join(row)} |')
    return '\n'.join(lines)


if __name__ == '__main__':
    os.environ.setdefault('OMP_NUM_THREADS', '1')
    sys.exit(main())
