"""From a game to its lanes: compiled where the circuit engine runs it, step by step elsewhere."""

from __future__ import annotations

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.mapping import Encoding, EncodingError, open_encoding
from gdl_env.engine.registry import AUTO
from gdl_env.environment.lanes.circuit_lanes import CircuitLanes
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.environment.options import OptionsError
from gdl_env.language.game import Game


def open_lanes(game: Game, lanes: int, engine: str = AUTO, mapping: str = 'auto') -> Lanes:
    """Open N copies of a game.

    A game without an encoding is played by text, in one lane. Raises OptionsError for more lanes,
    EncodingError if an encoding was asked for by name and there is none.
    """
    batch = open_batch(game, engine)
    encoding: Encoding | None
    try:
        encoding = open_encoding(game, mapping)
    except EncodingError as error:
        if mapping != 'auto':
            raise
        if lanes > 1:
            raise OptionsError(
                f'{game.name} can only be played in one lane, not {lanes}: {error}'
            ) from error
        encoding = None
    if isinstance(batch, CircuitBatch):
        return CircuitLanes(batch, encoding, lanes)
    return Lanes(batch, encoding, lanes)
