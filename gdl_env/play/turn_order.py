"""Whose turn it is in a serial game, where several roles could move but one moves at a time.

`random` moves first, while it has a move. Then roles that have more to do than to pass (`noop`)
come before those that have not. Among those the turn rule decides:

- `rotate`: the next able role after the one that moved last
- `priority`: the first able role in the order of the rules
- `random`: any able role, all equally likely
- `first`: the role whose answer comes first; where no agent answers, as `rotate`
- `module:name` or `file.py:name`: a function, see `TurnHook`
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.compiling import compile_kernel
from gdl_env.importing import HookError, load_hook
from gdl_env.play.chance import below
from gdl_env.play.turn_names import NAMED
from gdl_env.word_rows import copy_items, drop_words, join_words, meet_words


class TurnRule(IntEnum):
    """The turn rules as compiled code knows them."""

    ROTATE = 0
    PRIORITY = 1
    RANDOM = 2
    FIRST = 3
    # A function of the user's, which compiled code cannot call.
    HOOK = 4


# From (able: players by lanes, last: the player that moved last in each lane, -1 for none, random:
# a random number from 0 up to 1 for each lane) to the player who moves in each lane; anything for
# lanes where no player is able.
TurnHook: TypeAlias = Callable[
    [NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]], NDArray[np.int64]
]


def find_turn_rule(name: str) -> tuple[TurnRule, TurnHook | None]:
    """Return the rule of a name, with the function of a hook. Raises HookError."""
    if name in NAMED:
        return TurnRule(NAMED.index(name)), None
    if ':' not in name:
        raise HookError(f'no turn rule {name!r}; rules: {", ".join(NAMED)}, module:name')
    hook: TurnHook = load_hook(name)
    if not callable(hook):
        raise HookError(f'{name} cannot be called')
    return TurnRule.HOOK, hook


@compile_kernel(nogil=True, makes_arrays=False)
def find_mover(rule, able, last, word):
    """Return the player who moves, -1 where none is able.

    - able: (players) whether each player could move
    - last: the player that moved last, -1 for none
    - word: random, for the rule RANDOM
    """
    players = able.shape[0]
    count = 0
    for player in range(players):
        if able[player]:
            count += 1
    if count == 0:
        return -1
    skip = 0
    start = 0
    if rule == 2:
        skip = np.int64(below(word, count))
    elif rule != 1:
        start = last + 1
    for k in range(players):
        player = (start + k) % players
        if able[player]:
            if skip == 0:
                return player
            skip -= 1
    return -1


@compile_kernel(nogil=True, makes_arrays=False)
def find_movers(rule, able, last, pending, movers, room):
    """Find who moves in many lanes at once, as `find_mover` does, by any rule but RANDOM.

    Bit i of word w of a row belongs to lane 64 · w + i.

    - able, last: (players) rows: where each player could move, where it moved last
    - pending: a row, the lanes to look at; in each of them some player is able
    - movers: (players) rows that are filled in: where each player moves
    - room: two rows that are written over
    """
    width = pending.shape[0]
    players = able.shape[0] // width
    # Those whose mover is still to be found, and those of one player.
    group, mine = room
    movers[: players * width] = np.uint64(0)
    for start in range(players if rule != 1 else 1):
        # Lanes in which the search begins with this player: at first, those where nobody or the
        # last player moved before.
        if start:
            meet_words(group, pending, last, (0, 0, (start - 1) * width), width)
        else:
            copy_items(pending, group)
            for player in range(players - 1 if rule != 1 else 0):
                drop_words(group, group, last, (0, 0, player * width), width)
        player = start
        for _ in range(players):
            own = player * width
            meet_words(mine, group, able, (0, 0, own), width)
            join_words(movers, movers, mine, (own, own, 0), width)
            drop_words(group, group, able, (0, 0, own), width)
            player = player + 1 if player + 1 < players else 0


def ask_hook(
    hook: TurnHook,
    able: NDArray[np.bool_],
    last: NDArray[np.int64],
    random: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the player a hook chooses in each lane, -1 where none is able. Raises HookError.

    A hook may choose a player who cannot move: that must not pass unnoticed.
    """
    lanes = np.flatnonzero(able.any(axis=0))
    who = np.asarray(hook(able, last, random))
    if who.shape != last.shape or not np.issubdtype(who.dtype, np.integer):
        raise HookError(
            f'a turn rule must return {len(last)} players, not {who.dtype} {who.shape}'
        )
    player = who[lanes]
    is_wrong = (player < 0) | (player >= len(able))
    if is_wrong.any() or not able[player, lanes].all():
        raise HookError('the turn rule chose a player who has no move')
    movers = np.full(len(last), -1, np.int64)
    movers[lanes] = player
    return movers
