"""Who moves next where several roles could, but only one at a time may (serial games)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl_env.environment.chance import Chance
from gdl_env.importing import HookError, load_hook

# The next able role after the one that moved last; always the first able role; any; whoever
# answers first.
ROTATE, PRIORITY, RANDOM, FIRST = 'rotate', 'priority', 'random', 'first'

# From (able: players by lanes, last: the player that moved last in each lane, -1 for none, chance)
# to the player who moves in each lane; anything for lanes where nobody is able.
TurnRule: TypeAlias = Callable[[NDArray[np.bool_], NDArray[np.int64], Chance], NDArray[np.int64]]


def open_turn_rule(name: str) -> TurnRule:
    """Return a rule by its name, or a hook written as `module:name`. Raises HookError."""
    rules: dict[str, TurnRule] = {
        ROTATE: _rotate,
        PRIORITY: _priority,
        RANDOM: _random,
        # Until somebody has answered.
        FIRST: _rotate,
    }
    if ':' in name:
        rule: TurnRule = load_hook(name)
        if not callable(rule):
            raise HookError(f'{name} cannot be called')
        return rule
    if name not in rules:
        raise HookError(f'no turn rule {name!r}; rules: {", ".join(rules)}, module:name')
    return rules[name]


def take_turns(
    rule: TurnRule,
    able: NDArray[np.bool_],
    last: NDArray[np.int64],
    chance: Chance,
) -> NDArray[np.bool_]:
    """Return `able` with the player chosen by the rule alone. Raises HookError.

    A rule that somebody brings may choose players who cannot move: that must not go unseen.
    """
    chosen = np.zeros_like(able)
    lanes = np.flatnonzero(able.any(axis=0))
    who = np.asarray(rule(able, last, chance))
    if who.shape != last.shape or not np.issubdtype(who.dtype, np.integer):
        raise HookError(
            f'a turn rule must return {len(last)} players, not {who.dtype} {who.shape}'
        )
    player = who[lanes]
    is_wrong = (player < 0) | (player >= len(able))
    if is_wrong.any() or not able[player, lanes].all():
        raise HookError('the turn rule chose a player who has no move')
    chosen[player, lanes] = True
    return chosen


def _priority(
    able: NDArray[np.bool_], last: NDArray[np.int64], chance: Chance
) -> NDArray[np.int64]:
    chosen: NDArray[np.int64] = able.argmax(axis=0)
    return chosen


def _rotate(able: NDArray[np.bool_], last: NDArray[np.int64], chance: Chance) -> NDArray[np.int64]:
    players = len(able)
    order = (last[None, :] + 1 + np.arange(players)[:, None]) % players
    first = np.take_along_axis(able, order, axis=0).argmax(axis=0)
    chosen: NDArray[np.int64] = np.take_along_axis(order, first[None, :], axis=0)[0]
    return chosen


def _random(able: NDArray[np.bool_], last: NDArray[np.int64], chance: Chance) -> NDArray[np.int64]:
    weights = np.where(able, chance.random(able.shape), -1.0)
    chosen: NDArray[np.int64] = weights.argmax(axis=0)
    return chosen
