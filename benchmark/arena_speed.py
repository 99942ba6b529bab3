"""Random games a second in tree search, beside open_spiel's."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import process_time

import numpy as np
from parts import Row

from gdl_agents.search.tree.forest import Forest
from gdl_agents.search.tree.tree_options import TreeOptions
from gdl_env.engine.batch.make import open_batch
from gdl_env.language.load import open_game

# Random games of a search.
SEARCH = 50_000
# Rounds of both in turns, so that a busy moment of the machine hits both; the best counts.
_ROUNDS = 2


@dataclass(frozen=True)
class Speed:
    """Both search the initial position, again and again.

    With as many random games a search, and as many for each leaf.
    """

    part: str
    game: str
    rollouts: int
    # Of processor time, for each round.
    seconds: float
    wanted: int = 1
    is_alone: bool = True
    runs: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """Return what the result is kept by."""
        return self.part, self.game, str(self.rollouts), ''

    def measure(self, done: int) -> Row:
        """Measure both in turns. Raises ImportError without open_spiel."""
        pairs = [(self._ours(), self._theirs()) for _ in range(_ROUNDS)]
        ours, theirs = (max(column) for column in zip(*pairs, strict=True))
        return {'done': 1, 'ours': ours, 'open_spiel': theirs, 'rounds': pairs}

    def _ours(self) -> float:
        rules = open_batch(open_game(self.game))
        # The first one compiles.
        options = TreeOptions(rollouts=self.rollouts)
        forest = Forest(rules, 1, options)
        forest.grow(forest.plant(rules.initial, 0))
        games, started = 0, process_time()
        while process_time() - started < self.seconds:
            forest = Forest(rules, games + 1, options)
            root = forest.plant(rules.initial, 0)
            while forest.judged < SEARCH:
                size = int(np.clip(forest.arrays.nodes['visits'][0] // 32, 1, 256))
                forest.grow(np.repeat(root, size))
            games += forest.judged
        return games / (process_time() - started)

    def _theirs(self) -> float:
        import pyspiel

        game = pyspiel.load_game(self.game)
        evaluator = pyspiel.RandomRolloutEvaluator(self.rollouts, 1)
        games, started = 0, process_time()
        while process_time() - started < self.seconds:
            size = SEARCH // self.rollouts
            bot = pyspiel.MCTSBot(game, evaluator, 1.0, size, 1_000, False, 1, False)
            bot.step(game.new_initial_state())
            games += size * self.rollouts
        return games / (process_time() - started)
