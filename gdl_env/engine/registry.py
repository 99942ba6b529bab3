"""Engines by name. To add one: one file, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from gdl_env.engine.contract import Engine
from gdl_env.errors import EngineUnavailableError
from gdl_env.language.game import Game


def _open_prolog(game: Game, time_limit: float) -> Engine:
    from gdl_env.engine.prolog.engine import PrologEngine

    return PrologEngine(game, time_limit=time_limit)


# In order of preference.
_ENGINES: dict[str, Callable[[Game, float], Engine]] = {
    'prolog': _open_prolog,
}

AUTO = 'auto'


def engine_names() -> tuple[str, ...]:
    """Return the names an engine can be chosen by, `auto` first."""
    return (AUTO, *_ENGINES)


def choose_engine(game: Game) -> tuple[str, str]:
    """Return the engine `auto` stands for with this game, and why."""
    return 'prolog', 'the reference engine runs every game'


def open_engine(game: Game, name: str = AUTO, *, time_limit: float = 30.0) -> Engine:
    """Open an engine for a game; `time_limit` is in seconds for one question.

    Raises EngineUnavailableError if there is no engine of that name.
    """
    if name == AUTO:
        name, _ = choose_engine(game)
    if name not in _ENGINES:
        raise EngineUnavailableError(
            f'no engine named {name!r}; engines: {", ".join(engine_names())}'
        )
    return _ENGINES[name](game, time_limit)
