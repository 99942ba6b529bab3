"""Commands that this program prints to be copied: called as the reader calls it."""

from __future__ import annotations

from collections.abc import Sequence
import os
import shlex
from typing import TYPE_CHECKING

from gdl_env.language.keywords import RANDOM

if TYPE_CHECKING:
    from gdl_env.language.game import Game


def program_name() -> str:
    """Return `gdl`, or the script of a checkout as it was called, such as `./gdl`."""
    return shlex.quote(os.environ.get('GDL_PROGRAM') or 'gdl')


def commands_of_player(
    game: Game, word: str, player: str, learned: Sequence[str] = ()
) -> list[str]:
    """Return commands that use a trained player of a game, which the reader calls `word`.

    `learned` are the roles that it can play; if there are none, it plays all.
    """
    gdl, name = program_name(), shlex.quote(word)
    commands = [f'{gdl} eval {name} {shlex.quote(player)}']
    roles = [str(role) for role in game.roles if str(role) != RANDOM]
    if len(roles) > 1:
        seat = shlex.quote(f'{(learned or roles)[-1]}={player}')
        commands = [f'{gdl} play {name} {seat}', f'{gdl} gui {name} {seat}', *commands]
    return commands
