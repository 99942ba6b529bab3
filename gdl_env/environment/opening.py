"""From a game to its lanes: the circuit where it compiles, any other engine else."""

from __future__ import annotations

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.mapping import Mapping, MappingError, open_mapping
from gdl_env.engine.registry import AUTO, open_engine
from gdl_env.environment.circuit_lanes import CircuitLanes
from gdl_env.environment.engine_lanes import EngineLanes
from gdl_env.environment.lane_game import LaneGame
from gdl_env.environment.options import OptionsError
from gdl_env.language.game import Game


def open_lane_game(game: Game, lanes: int, engine: str = AUTO, mapping: str = 'auto') -> LaneGame:
    """Open N copies of a game.

    A game without a mapping is played by text, in one lane. Raises OptionsError for more lanes,
    MappingError if a mapping was asked for by name and there is none.
    """
    opened = open_engine(game, engine)
    found: Mapping | None
    try:
        found = open_mapping(game, mapping)
    except MappingError as error:
        if mapping != 'auto':
            raise
        if lanes > 1:
            raise OptionsError(
                f'{game.name} can only be played in one lane, not {lanes}: {error}'
            ) from error
        found = None
    if isinstance(opened, CircuitEngine) and found is not None:
        return CircuitLanes(game, opened.compiled, found, lanes)
    return EngineLanes(opened, found, lanes)
