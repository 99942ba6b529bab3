"""Mappings by name: the two automatic ones, and classes written by hand."""

from __future__ import annotations

from gdl_env.engine.mapping.contract import Encoding
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.importing import HookError, load_hook
from gdl_env.language.game import Game

AUTO, TYPED, INFERRED = 'auto', 'typed', 'inferred'


def open_encoding(game: Game, name: str = AUTO) -> Encoding:
    """Return a mapping of a game.

    `auto` follows the types of a typed game and lists facts and moves of any other; `typed` and
    `inferred` ask for one of the two; `module:Class` or `file.py:Class` names a class written by
    hand, which is called with the game. Raises EncodingError.
    """
    if ':' in name:
        return _manual(game, name)
    if name == TYPED or (name == AUTO and game.is_typed):
        from gdl_env.engine.mapping.typed import TypedEncoding

        return TypedEncoding(game)
    if name in {AUTO, INFERRED}:
        from gdl_env.engine.mapping.inferred import InferredEncoding

        return InferredEncoding(game)
    raise EncodingError(
        f'no mapping named {name!r}; mappings: {AUTO}, {TYPED}, {INFERRED}, module:Class'
    )


def _manual(game: Game, name: str) -> Encoding:
    try:
        found = load_hook(name)
    except HookError as error:
        raise EncodingError(str(error)) from error
    if not (isinstance(found, type) and issubclass(found, Encoding)):
        raise EncodingError(f'{name}: no class that extends gdl_env.engine.mapping.Encoding')
    mapping = found(game)
    if mapping.observation_size < 0 or mapping.action_size < 1:
        raise EncodingError(
            f'{name}: {mapping.observation_size} entries and {mapping.action_size} actions; a'
            ' mapping needs at least one action'
        )
    return mapping
