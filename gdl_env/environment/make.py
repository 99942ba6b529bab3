"""An environment from plain words, for programs that come from other worlds."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from gdl_env.engine.registry import AUTO
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Illegal, Options, OptionsError
from gdl_env.language.game import Game
from gdl_env.language.load import open_game
from gdl_env.play.turn_names import FIRST


def open_by_name(
    game: Game | Path | str, *, engine: str = AUTO, mapping: str = AUTO, **options: Any
) -> Environment:
    """Open a game, such as `hex(size=7)` or a path, for agents that know nothing but numbers.

    Options are those of Options; `illegal` may be a word. Raises OptionsError, also for games
    without a vector form.
    """
    known = {field.name for field in fields(Options)}
    if unknown := sorted(set(options) - known):
        raise OptionsError(
            f'no option {", ".join(unknown)}; options: engine, mapping, {", ".join(sorted(known))}'
        )
    if isinstance(illegal := options.get('illegal'), str):
        options['illegal'] = _to_illegal(illegal)
    chosen = Options(**options)
    if chosen.turn == FIRST:
        raise OptionsError(f'turn {FIRST!r} needs agents that answer at times of their own')
    if not isinstance(game, Game):
        game = open_game(str(game))
    environment = Environment.open(game, chosen, engine, mapping)
    if environment.game.mapping is None:
        environment.close()
        raise OptionsError(f'{game.name} has no vector form: its agents must read text')
    return environment


def _to_illegal(word: str) -> Illegal:
    try:
        return Illegal(word)
    except ValueError:
        words = ', '.join(illegal.value for illegal in Illegal)
        raise OptionsError(f'illegal must be one of {words}, not {word!r}') from None
