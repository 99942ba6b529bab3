"""Compile the kernels once, so that the first game does not wait for them.

numba keeps what it compiled on disk, beside the sources or in the user's cache folder.
`python -m gdl_env.warm` is part of setting up.
"""

from __future__ import annotations

import numpy as np

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import NO_MOVE
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.warm_up import warm_up
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text

# A game that needs every kernel: choices, chance, a count, and (in its rules) a fixed point.
_GAME = """
(role a) (role b) (role random) (init (n 0)) (step 0 1) (step 1 2)
(<= (legal ?r (add ?x)) (role ?r) (step ?x ?y))
(<= (next (n ?y)) (true (n ?x)) (step ?x ?y))
(<= (next (did ?r ?x)) (does ?r (add ?x)))
(<= (linked ?x ?y) (true (did ?x ?y)))
(<= (linked ?x ?z) (linked ?x ?y) (linked ?y ?z))
(<= terminal (true (n 2)))
(<= (goal ?r 100) (role ?r) (count 1 (linked ?r ?x)))
(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
"""
# Many lanes and a single one take different paths.
_LANES = (1, 2_000)
_TICKS = 5


def main() -> None:
    """Run every kernel once."""
    game = game_from_text(_GAME)
    for lanes in _LANES:
        warm_up(game, Options(lanes, seed=1), 'circuit')
        _play_decisions(game, lanes)
    engine = CircuitEngine(game)
    list(engine.playouts(1, 1, 10))
    engine.next_state(engine.initial_state, {})
    _play_batch(CircuitBatch(engine))
    search = Search(engine.compiled)
    search.do(np.zeros(1, np.int64))
    search.undo()
    search.legal()


def _play_decisions(game: Game, lanes: int) -> None:
    """Play as learners do: by flat arrays."""
    environment = Environment.open(game, Options(lanes, seed=1), 'circuit')
    for _ in range(_TICKS):
        decisions = environment.decisions()
        environment.play(decisions.legal.unpack().argmax(axis=1).astype(np.int32))
    environment.close()


def _play_batch(batch: CircuitBatch) -> None:
    """Play a step as search players do, and random games."""
    look = batch.look(batch.initial)
    rows = np.full((1, len(batch.roles)), NO_MOVE, np.int32)
    for role in range(len(batch.roles)):
        rows[0, role] = look.moves(0, role)[0]
    after = batch.step(batch.initial, batch.plain(rows))
    batch.goals(after)
    batch.playouts(after, 1, 10)


if __name__ == '__main__':
    main()
