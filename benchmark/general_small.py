"""Small games, trained by `gdl train GAME` alone, and measured by every position they have.

python benchmark/general_small.py                        both games, three seeds
python benchmark/general_small.py nim --seeds 5 6        one of them, other seeds

Whether an answer is right is found out here, apart from what trains: by plain negamax on the
rules, and in Nim by the bitwise sum of the heaps. CPU seconds are those of the whole command,
from its start to its end.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import cache, reduce
from itertools import product
import json
from operator import xor
from pathlib import Path
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.dqn.network_agent import NetworkAgent
from gdl_agents.learning.levels.reward_levels import list_snapshots, strongest
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_env.cli.game_options import load
from gdl_env.engine.contract import Engine, Move, Role, State
from gdl_env.engine.mapping import Encoding, open_encoding
from gdl_env.engine.registry import open_engine
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Question
from gdl_env.language.reader import read_term

SEEDS = (1, 2, 3)
HEAPS = (1, 3, 5, 7)


class Asked:
    """A trained player that is asked about single positions."""

    def __init__(self, engine: Engine, mapping: Encoding, run: RunFolder) -> None:
        self.engine = engine
        self._mapping = mapping
        self._agents = {
            role: NetworkAgent(Model.load(strongest(list_snapshots(run, str(role))).path))
            for role in engine.roles
        }

    def answer(self, state: State, role: Role) -> Move:
        """Return the move of the player."""
        legal = self.engine.legal_moves(state)[role]
        seen = self._mapping.observe(self.engine.view(state, role), role)
        mask = self._mapping.action_mask(role, legal)
        question = Question(
            1,
            str(role),
            np.ones(1, np.uint64),
            np.ones(1, np.bool_),
            Bits.pack(seen[None]),
            Bits.pack(mask[None]),
        )
        action = self._agents[role].choose(question).action
        assert action is not None
        return self._mapping.move(role, int(action[0]))


def tictactoe(asked: Asked) -> dict[str, str]:
    """Count answers that keep the value of a position: of all, and of those met on each seat."""
    engine = asked.engine

    @cache
    def value(state: State) -> int:
        """Return the goal of x under best play."""
        if engine.is_terminal(state):
            return int(engine.goals(state)[engine.roles[0]] or 0)
        found = [value(after) for _, after in successors(engine, state)]
        return max(found) if mover(engine, state) == engine.roles[0] else min(found)

    def is_right(state: State) -> bool:
        role = mover(engine, state)
        after = engine.next_state(state, {role: asked.answer(state, role)})
        return value(after) == value(state)

    rows = {}
    for role in engine.roles:
        met = [s for s in walk(engine, asked, role) if mover(engine, s) == role]
        rows[f'{role}, positions it can meet'] = count(map(is_right, met))
    everywhere = list(walk(engine, asked, None))
    rows['all positions'] = count(map(is_right, everywhere))
    return rows


def nim(asked: Asked) -> dict[str, str]:
    """Count positions with a winning move that are answered with one."""
    won = []
    role = asked.engine.roles[0]
    for heaps in product(*(range(heap + 1) for heap in HEAPS)):
        if not reduce(xor, heaps):
            continue
        facts = [f'(heap {n} {left})' for n, left in enumerate(heaps, 1)]
        state = frozenset(map(read_term, [*facts, f'(control {role})']))
        _, taken, heap = str(asked.answer(state, role)).strip('()').split()
        after = list(heaps)
        after[int(heap) - 1] -= int(taken)
        won.append(not reduce(xor, after))
    return {'winning positions': count(iter(won))}


def walk(engine: Engine, asked: Asked, role: Role | None) -> Iterator[State]:
    """Visit positions with a choice: all, or those that a role can meet by its own answers."""
    seen = {engine.initial_state}
    waiting = [engine.initial_state]
    while waiting:
        state = waiting.pop()
        if engine.is_terminal(state):
            continue
        pairs = successors(engine, state)
        if len(pairs) > 1:
            yield state
        if mover(engine, state) == role:
            move = asked.answer(state, role)
            pairs = [pair for pair in pairs if pair[0] == move]
        for _, after in pairs:
            if after not in seen:
                seen.add(after)
                waiting.append(after)


def successors(engine: Engine, state: State) -> list[tuple[Move, State]]:
    """Return what each move of whoever decides leads to."""
    role = mover(engine, state)
    moves = engine.legal_moves(state)[role]
    return [(move, engine.next_state(state, {role: move})) for move in moves]


def mover(engine: Engine, state: State) -> Role:
    """Return the role that decides."""
    return next(role for role, moves in engine.legal_moves(state).items() if moves)


def count(answers: Iterator[bool]) -> str:
    """Return how many of how many are right."""
    found = list(answers)
    return f'{sum(found)}/{len(found)}'


GAMES: dict[str, Callable[[Asked], dict[str, str]]] = {'tictactoe': tictactoe, 'nim': nim}


def measure(game: str, seed: int) -> dict[str, Any]:
    """Train a game by its defaults; return what the player answers, and what that took."""
    with TemporaryDirectory() as folder:
        words = ['train', game, '--seed', str(seed), '--runs', folder, '--name', 'measured']
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, '-m', 'gdl_env.cli.main', *words], check=True, capture_output=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        rules = load(game)
        with open_engine(rules) as engine:
            run = RunFolder(Path(folder) / game / 'measured')
            answers = GAMES[game](Asked(engine, open_encoding(rules), run))
    return {'game': game, 'seed': seed, 'cpu_seconds': round(seconds, 1), **answers}


def rows(
    games: Sequence[str] = tuple(GAMES), seeds: Sequence[int] = SEEDS
) -> list[dict[str, Any]]:
    """Return a row for each game and seed, printed as they come."""
    found = []
    for game, seed in product(games, seeds):
        found.append(measure(game, seed))
        print(json.dumps(found[-1]), flush=True)
    return found


def main(argv: Sequence[str] | None = None) -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('games', nargs='*', metavar='GAME', help=', '.join(GAMES))
    parser.add_argument('--seeds', type=int, nargs='+', default=list(SEEDS), metavar='NUMBER')
    options = parser.parse_args(argv)
    wrong = [game for game in options.games if game not in GAMES]
    if wrong:
        parser.error(f'no game {wrong[0]!r}; games: {", ".join(GAMES)}')
    rows(options.games or tuple(GAMES), options.seeds)


if __name__ == '__main__':
    main()
