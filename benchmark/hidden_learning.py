"""Measure players that mix and remember: mmd in games with hidden or simultaneous moves.

    python benchmark/hidden_learning.py
    python benchmark/hidden_learning.py --games kuhn_poker leduc_poker --seeds 0 1 2 --seconds 120
    python benchmark/hidden_learning.py --write-doc     and put the tables into doc/benchmarks.md

Each run trains for as much processor time as is given, by the defaults of the algorithm. NashConv
is in units of the game, such as chips. In Krieg tic-tac-toe the best of many fixed scripts is
looked for: scripts are orders of the nine cells, of which the first one that is not known to be
taken is tried.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from itertools import permutations
import json
import sys
from time import process_time

from doc_parts import write_part
from machine import describe_machine
import numpy as np
from rows import ROOT

from gdl_agents.agent import Agent
from gdl_agents.learning.mmd.agent import MmdAgent
from gdl_agents.learning.mmd.model import MmdModel
from gdl_agents.learning.mmd.trainer import MmdTrainer
from gdl_agents.learning.training.config_file import make_config, read_settings
from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.random import RandomAgent
from gdl_env.cli.game_options import load
from gdl_env.environment.protocol import NO_ACTION, Answer, Question
from gdl_env.language.game import Game

_BEGIN = '<!-- hidden learning: written by benchmark/hidden_learning.py -->'
_END = '<!-- hidden learning: end -->'
# Goals of a unit, and the NashConv to reach.
_SMALL = {
    'kuhn_poker': (25.0, 0.05),
    'leduc_poker': (3.0, 0.5),
    'rock_paper_scissors': (50.0, 0.1),
}
_KRIEG = 'krieg_tictactoe'
# Scripts are tried for so many games each, and the best of them for so many more.
_TRIED, _SURE, _BEST = 64, 2_000, 12
# Episodes of a run that ends by its processor time: more than it can play.
_ENDLESS = 10**9


class ScriptAgent(Agent):
    """Tries cells in a fixed order."""

    name = 'script'

    def __init__(self, order: tuple[int, ...]) -> None:
        self._order = np.array(order)

    def choose(self, question: Question) -> Answer:
        """Take the first cell of the order that may be tried."""
        assert question.legal is not None
        legal = question.legal.unpack()[:, self._order]
        action = np.where(question.to_move, self._order[legal.argmax(axis=1)], NO_ACTION)
        return Answer(question.tick, question.role, self.name, action=action.astype(np.int32))


class TimedMmdTrainer(MmdTrainer):
    """Trains for some processor time: progress is the share of it that is spent."""

    def train(self, seconds: float) -> MmdModel:
        """Train; return the last model."""
        started = process_time()
        share = 0.0
        while share < 1:
            share = min(1.0, (process_time() - started) / seconds)
            self.advance(share)
        return self.model()


def main() -> int:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    known = [*_SMALL, 'remembering', _KRIEG]
    parser.add_argument('--games', nargs='+', choices=known, default=known, metavar='GAME')
    parser.add_argument('--seeds', nargs='+', type=int, default=[0, 1, 2], metavar='N')
    parser.add_argument('--seconds', type=float, default=110.0, help='of training, each')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    parser.add_argument('--write-doc', action='store_true', help='write doc/benchmarks.md')
    options = parser.parse_args()
    lines = ['| game | seed | found | bar | episodes | CPU s |', '|---|---:|---|---|---:|---:|']
    for name in options.games:
        for seed in options.seeds:
            lines.append(_measure(name, seed, options))
            print(lines[-1], flush=True)
    text = '\n'.join([*lines, '', f'Measured on {json.dumps(describe_machine())}.'])
    print(text)
    if options.write_doc:
        write_part(text, _BEGIN, _END)
    return 0


def _measure(name: str, seed: int, options: Namespace) -> str:
    game = _load(name)
    told = {'game': name, 'algorithm': 'mmd', 'seed': seed, 'episodes': _ENDLESS}
    started = process_time()
    trainer = TimedMmdTrainer(game, make_config(told, read_settings(options.set)))
    model = trainer.train(options.seconds)
    spent = process_time() - started
    found, bar = _judge(name, game, trainer, model)
    row = f'| {name} | {seed} | {found} | {bar} | {trainer.episodes:,} | {spent:.0f} |'
    trainer.close()
    return row


def _judge(name: str, game: Game, trainer: MmdTrainer, model: MmdModel) -> tuple[str, str]:
    """Return what a model reaches, and what it should."""
    if name in _SMALL:
        unit, bar = _SMALL[name]
        found = trainer.distance.nash_conv(lambda role: MmdAgent.of(model))
        return f'NashConv {found / unit:.4f}', f'{bar} at most'
    if name == _KRIEG:
        return _find_best_script(game, model), '60 % at most'
    seats = {'player': MmdAgent.of(model), 'host': RandomAgent()}
    won = Arena(game).play(seats, _SURE, seed=1)['player'].wins
    return f'{won / _SURE:.1%} right', '99 % at least'


def _find_best_script(game: Game, model: MmdModel) -> str:
    """Return how often the best script that was found wins, on each seat."""
    arena = Arena(game)
    rest = set(range(9))
    scripts = [(*first, *sorted(rest - set(first))) for first in permutations(range(9), 3)]
    told = []
    for role in arena.roles:
        wins = {script: _play(arena, role, script, model, _TRIED, 1) for script in scripts}
        best = sorted(scripts, key=lambda script: -wins[script])[:_BEST]
        # Played again: the best of many is in part the luckiest.
        share = max(_play(arena, role, script, model, _SURE, 2) for script in best) / _SURE
        told.append(f'{role} {share:.1%}')
    return f'best script wins: {", ".join(told)}'


def _play(
    arena: Arena, role: str, script: tuple[int, ...], model: MmdModel, games: int, seed: int
) -> int:
    seats: dict[str, Agent] = {
        seat: ScriptAgent(script) if seat == role else MmdAgent.of(model) for seat in arena.roles
    }
    return int(arena.play(seats, games, seed)[role].wins)


def _load(name: str) -> Game:
    if name != 'remembering':
        return load(name)
    # The game is written down with its tests.
    sys.path.insert(0, str(ROOT / 'test' / 'learning'))
    from remembering_game import REMEMBERING

    from gdl_env.language.load import game_from_text

    return game_from_text(REMEMBERING, name)


if __name__ == '__main__':
    sys.exit(main())
