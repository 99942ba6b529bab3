"""From a game to its rules for players: the circuit where it compiles, any other engine else."""

from __future__ import annotations

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import BatchGame
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.contract import Engine
from gdl_env.engine.registry import AUTO, open_engine
from gdl_env.language.game import Game


def open_batch(game: Game, engine: str = AUTO) -> BatchGame:
    """Open the rules of a game. Raises EngineError if no engine can run it."""
    return to_batch(open_engine(game, engine))


def to_batch(engine: Engine) -> BatchGame:
    """Return the rules of a game on an open engine."""
    if isinstance(engine, CircuitEngine):
        return CircuitBatch(engine)
    from gdl_env.engine.batch.engine_batch import EngineBatch

    return EngineBatch(engine)
