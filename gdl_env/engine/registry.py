"""Engines by name. To add one: one file, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from gdl_env.engine.contract import Engine
from gdl_env.engine.fallback import FallbackEngine
from gdl_env.errors import EngineLimitError, EngineUnavailableError
from gdl_env.language.game import Game


def _open_circuit(game: Game, time_limit: float) -> Engine:
    from gdl_env.engine.circuit.engine import CircuitEngine

    return CircuitEngine(game)


def _open_firstorder(game: Game, time_limit: float) -> Engine:
    from gdl_env.engine.firstorder.engine import FirstOrderEngine

    engine = FirstOrderEngine(game, time_limit=time_limit)
    engine.prepare()
    return engine


def _open_prolog(game: Game, time_limit: float) -> Engine:
    from gdl_env.engine.prolog.engine import PrologEngine

    return PrologEngine(game, time_limit=time_limit)


# In order of preference: `auto` takes the first that can run a game.
_ENGINES: dict[str, Callable[[Game, float], Engine]] = {
    'circuit': _open_circuit,
    'firstorder': _open_firstorder,
    'prolog': _open_prolog,
}

AUTO = 'auto'


def engine_names() -> tuple[str, ...]:
    """Return the names an engine can be chosen by, `auto` first."""
    return (AUTO, *_ENGINES)


def open_engine(game: Game, name: str = AUTO, *, time_limit: float = 30.0) -> Engine:
    """Open an engine for a game; `time_limit` is in seconds for one question.

    `auto` takes the fastest engine that can run the game. Raises EngineUnavailableError if there
    is no engine of that name, or if it cannot run the game.
    """
    if name == AUTO:
        return _open_first(game, time_limit)
    if name not in _ENGINES:
        raise EngineUnavailableError(
            f'no engine named {name!r}; engines: {", ".join(engine_names())}'
        )
    engine = _ENGINES[name](game, time_limit)
    engine.name = name
    return engine


def _open_first(game: Game, time_limit: float) -> Engine:
    passed_over: list[tuple[str, str]] = []
    *others, last = _ENGINES
    for name in others:
        try:
            engine = open_engine(game, name, time_limit=time_limit)
        except (EngineUnavailableError, EngineLimitError) as error:
            passed_over.append((name, str(error)))
            continue
        engine.passed_over = tuple(passed_over)
        if engine.has_limited_numbers:
            return FallbackEngine(engine, lambda: open_engine(game, last, time_limit=time_limit))
        return engine
    engine = open_engine(game, last, time_limit=time_limit)
    engine.passed_over = tuple(passed_over)
    return engine
