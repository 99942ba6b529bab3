"""From a game to its rules for players: the circuit where it compiles, any other engine else."""

from __future__ import annotations

from gdl_agents.search.circuit_rules import CircuitRules
from gdl_agents.search.rules import Rules
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.registry import AUTO, open_engine
from gdl_env.language.game import Game


def open_rules(game: Game, engine: str = AUTO) -> Rules:
    """Open the rules of a game. Raises EngineError if no engine can run it."""
    opened = open_engine(game, engine)
    if isinstance(opened, CircuitEngine):
        return CircuitRules(opened)
    from gdl_agents.search.engine_rules import EngineRules

    return EngineRules(opened)
