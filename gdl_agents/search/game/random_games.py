"""Random games from given states, in which the turn rule of the match says who moves.

The engine's own random games let any role move that has a move, all equally likely. That is
right for turns that are drawn, and for games in which one role at a time is able to move. Other
games are played here, step by step in many states at once, which takes longer.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_agents.search.game.turn_kernels import NOBODY
from gdl_agents.search.game.turns import TurnOrder, follow_last
from gdl_env.engine.batch.contract import BatchGame, States
from gdl_env.play.turn_order import TurnRule

# Random games are broken off after this many steps.
LONGEST = 2_000
# Random games that are tried, and their steps, to find out whether turns are contested.
_TRIED = 16
_STEPS = 64

_contested: WeakKeyDictionary[BatchGame, bool] = WeakKeyDictionary()


def are_engine_games_right(rules: BatchGame, turns: TurnOrder) -> bool:
    """Tell whether the engine's own random games follow the turn rule."""
    return turns.is_drawn or not is_contested(rules)


def is_contested(rules: BatchGame) -> bool:
    """Tell whether several players were able to move at once in a sample of random games.

    Only in a serial game; in most of them the rules themselves say whose turn it is.
    """
    if not rules.is_serial:
        return False
    if rules not in _contested:
        _contested[rules] = _find_contest(rules)
    return _contested[rules]


def play_games(
    rules: BatchGame,
    turns: TurnOrder,
    states: States,
    last: NDArray[np.int64],
    key: int,
    *,
    is_sharp: bool = False,
) -> NDArray[np.int32]:
    """Play random moves from states to the end; return goals: states by roles, -1 for none.

    `last` is the role that moved last in each state; `key` decides all chance. A game that is
    broken off has no goals. With `is_sharp`, wins are taken where the engine sees them.
    """
    if are_engine_games_right(rules, turns):
        if is_sharp:
            return rules.sharp_playouts(states, key, LONGEST)
        return rules.playouts(states, key, LONGEST)
    chance = np.random.Generator(np.random.Philox(key))
    goals = np.full((len(states), len(rules.roles)), -1, np.int32)
    going = np.arange(len(states))
    for _ in range(LONGEST + 1):
        look = rules.look(states)
        goals[going[look.terminal]] = rules.goals(states[look.terminal])
        acting = turns.find_acting(rules, look, last, chance)
        legal = sample_moves(rules, look, acting, chance)
        on = np.any(acting, axis=1)
        if not on.any():
            break
        going, states, legal, last = going[on], states[on], legal[on], last[on]
        states = rules.step(states, draw_outcomes(rules, states, legal, chance))
        last = follow_last(rules, last, legal)
    return goals


def _find_contest(rules: BatchGame) -> bool:
    turns = TurnOrder(TurnRule.RANDOM)
    chance = np.random.Generator(np.random.Philox(key=1))
    states = np.repeat(rules.initial, _TRIED, axis=0)
    last = np.full(_TRIED, NOBODY)
    for _ in range(_STEPS):
        look = rules.look(states)
        if (turns.find_chances(rules, look, last)[:, rules.players] % 1 > 0).any():
            return True
        acting = turns.find_acting(rules, look, last, chance)
        legal = sample_moves(rules, look, acting, chance)
        on = np.any(acting, axis=1)
        if not on.any():
            break
        states, legal, last = states[on], legal[on], last[on]
        states = rules.step(states, draw_outcomes(rules, states, legal, chance))
    return False
