"""Whose turn it is in states of a match: the one place where searchers ask for it.

In a serial game several roles may be able to move, and the turn rule of the match says which one
does. `rotate` and `priority` are followed exactly. By `random` any able role moves, all equally
likely. Which role answers first (`first`) and what a hook decides cannot be known: both are
treated like `random`, except that a player that is asked assumes that its own answer counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.game.turn_kernels import (
    UNKNOWN,
    LegalMoves,
    find_chances,
    find_movers,
)
from gdl_env.engine.batch.contract import BatchGame, Look, Rows
from gdl_env.play.turn_names import NAMED
from gdl_env.play.turn_order import TurnRule


@dataclass(frozen=True)
class TurnOrder:
    """The turn rule of a match, as far as a player can follow it."""

    rule: TurnRule = TurnRule.ROTATE

    @classmethod
    def of(cls, name: str) -> TurnOrder:
        """Return the order of a rule by its name; any other name is that of a hook."""
        return cls(TurnRule(NAMED.index(name)) if name in NAMED else TurnRule.HOOK)

    @property
    def is_drawn(self) -> bool:
        """Tell whether the role that moves is drawn, or as good as that."""
        return self.rule not in (TurnRule.ROTATE, TurnRule.PRIORITY)

    def find_chances(
        self, rules: BatchGame, look: Look, last: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return how likely each role acts next: states by roles; 0 where the game is over.

        `last` is the role that moved last in each state, NOBODY or UNKNOWN; without it, UNKNOWN.
        Where all roles move together, each that has a move acts for certain.
        """
        if not rules.is_serial:
            return _find_able_together(look).astype(np.float64)
        chances = np.zeros((len(look.terminal), len(rules.roles)))
        moves = _read_moves(rules, look)
        find_chances(moves, rules.nature, int(self.rule), _fill(last, look), chances)
        return chances

    def find_acting(
        self,
        rules: BatchGame,
        look: Look,
        last: NDArray[np.int64] | None,
        chance: np.random.Generator,
    ) -> NDArray[np.bool_]:
        """Tell which roles act next: states by roles; what cannot be known is drawn."""
        if not rules.is_serial:
            return _find_able_together(look)
        known = _fill(last, look)
        words = np.zeros(len(known), np.uint64)
        if self.is_drawn or (self.rule is TurnRule.ROTATE and (known == UNKNOWN).any()):
            words = chance.integers(0, 2**64, len(known), np.uint64)
        acting = np.zeros((len(known), len(rules.roles)), np.bool_)
        find_movers(_read_moves(rules, look), rules.nature, int(self.rule), known, words, acting)
        return acting


# The rule of a match that names none.
ROTATION = TurnOrder()


def let_move(rules: BatchGame, look: Look, role: int) -> NDArray[np.bool_]:
    """Tell which roles act if this one is to move: states by roles.

    Where all roles move together, the others act as well. `random` still comes first.
    """
    able = _find_able_together(look)
    if not rules.is_serial:
        return able
    acting = np.zeros_like(able)
    acting[:, role] = able[:, role]
    if rules.nature >= 0:
        nature = able[:, rules.nature]
        acting[nature] = False
        acting[nature, rules.nature] = True
    return acting


def follow_last(rules: BatchGame, last: NDArray[np.int64], moves: Rows) -> NDArray[np.int64]:
    """Return the role that moved last in each state after moves: states by roles."""
    after: NDArray[np.int64] = last.copy()
    for player in rules.players:
        after[moves[:, player] >= 0] = player
    return after


def _find_able_together(look: Look) -> NDArray[np.bool_]:
    """Tell which roles have a move: states by roles; none where the game is over."""
    return (look.counts() > 0) & ~look.terminal[:, None]


def _read_moves(rules: BatchGame, look: Look) -> LegalMoves:
    places = np.arange(len(look.rows), dtype=np.int32)
    return LegalMoves(look.terminal, look.starts, places, rules.are_noops(look.rows))


def _fill(last: NDArray[np.int64] | None, look: Look) -> NDArray[np.int64]:
    return np.full(len(look.terminal), UNKNOWN, np.int64) if last is None else last
