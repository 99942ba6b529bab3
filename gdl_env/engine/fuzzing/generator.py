"""A random valid game from a seed.

A few templates over a small vocabulary, with random conditions. A counter of steps ends each game.
What the checker finds wrong (a `not` in a circle, say) is drawn again.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from gdl_env.engine.fuzzing.draft import Draft
from gdl_env.engine.fuzzing.rules import GeneratedGame
from gdl_env.errors import GdlError
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text

_TRIES = 100


def generate(seed: int) -> GeneratedGame:
    """Return the game of a seed, without errors. Raises GdlError if none could be made."""
    problem = ''
    for attempt in range(_TRIES):
        game = GeneratedGame(seed, Draft(Random(f'{seed}/{attempt}')).make())
        try:
            load_generated(game.text)
        except GdlError as error:
            problem = str(error)
            continue
        return game
    raise GdlError(f'no valid game came out of the seed {seed}; the last try: {problem}')


@lru_cache(maxsize=1)
def load_generated(text: str) -> Game:
    """Return the game of a text; who makes one and then tries it reads it once.

    Raises GdlError if it has errors.
    """
    return game_from_text(text, 'fuzz')
