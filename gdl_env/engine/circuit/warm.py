"""Compile the kernels once, so that the first game does not wait for them.

numba keeps what it compiled on disk, beside the sources or in the user's cache folder.
`python -m gdl_env.engine.circuit.warm` is part of setting up.
"""

from __future__ import annotations

import numpy as np

from gdl_env.engine.circuit.compiled import compile_game
from gdl_env.engine.circuit.lanes import Lanes
from gdl_env.engine.circuit.playouts import LANES, play
from gdl_env.engine.circuit.search import Search
from gdl_env.engine.grounding.grounder import Limits
from gdl_env.language.load import game_from_text

# A game that needs every kernel: a choice, a count, a fixed point.
_GAME = """
(role a) (role b) (init (n 0)) (step 0 1) (step 1 2)
(<= (legal ?r (add ?x)) (role ?r) (step ?x ?y))
(<= (next (n ?y)) (true (n ?x)) (step ?x ?y))
(<= (next (did ?r ?x)) (does ?r (add ?x)))
(<= terminal (true (n 2)))
(<= (goal ?r 100) (role ?r) (count 1 (true (did ?r ?x))))
(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
"""


def main() -> None:
    """Run every kernel once."""
    compiled = compile_game(game_from_text(_GAME), Limits())
    play(compiled.playout, len(compiled.vocabulary.roles), np.ones(LANES, np.int64), 1, 10)
    lanes = Lanes(compiled, 1)
    lanes.step(np.zeros((1, 2), np.int64))
    lanes.goals()
    search = Search(compiled)
    search.do(np.zeros(1, np.int64))
    search.undo()
    search.legal()


if __name__ == '__main__':
    main()
