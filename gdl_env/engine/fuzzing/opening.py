"""Engines for one game after the other: Prolog's workers are forked, which takes less time."""

from __future__ import annotations

from gdl_env.engine.contract import Engine
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.engine.prolog.fork_server import ForkServer
from gdl_env.engine.prolog.process import is_prolog_installed
from gdl_env.engine.registry import open_engine
from gdl_env.language.game import Game

_PROLOG = 'prolog'
# The server of this process; it ends with the process.
_servers: list[ForkServer] = []


def open_for_trial(game: Game, name: str, time_limit: float) -> Engine:
    """Open an engine. Raises EngineUnavailableError if it cannot run the game."""
    if name != _PROLOG or not is_prolog_installed():
        return open_engine(game, name, time_limit=time_limit)
    if not _servers or not _servers[0].is_running:
        _servers[:] = [ForkServer()]
    engine = PrologEngine(game, time_limit, launch=_servers[0].launch)
    engine.name = name
    return engine
