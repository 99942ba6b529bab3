"""A game of one player without chance: what it has of the rules, for those who look for lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import NO_MOVE, BatchGame, Rows, States, Successors
from gdl_env.language.game import Information

# What a goal can be at the most, where the rules do not tell.
_MOST = 100
# Steps that are made at once: many, as far as that does not take long. Rules with more operations
# than these take longer; others are evaluated one by one.
_STEPS, _FEW_STEPS, _OPERATIONS = 8_192, 64, 100_000


@dataclass(frozen=True)
class Steps:
    """What all moves of states lead to. Steps of the same state lie side by side."""

    # The index of the state before each.
    parent: NDArray[np.int64]
    # The legal move.
    rows: Rows
    states: States
    # How many moves there are then; 0 where the game is over, and in dead ends.
    choices: NDArray[np.int64]
    terminal: NDArray[np.bool_]
    # -1 where the game is not over, or has no goal.
    goals: NDArray[np.int16]


class Puzzle:
    """The rules, as one player alone sees them."""

    def __init__(self, rules: BatchGame) -> None:
        self.rules = rules
        self.role = rules.players[0]
        # No goal is higher.
        self.most = _MOST
        # How many steps to make at once, about.
        self.together = _FEW_STEPS
        if isinstance(rules, CircuitBatch):
            values = [v for role, v in rules.vocabulary.goals if role == rules.roles[self.role]]
            self.most = max(values, default=_MOST)
            tapes = rules.compiled.step, rules.compiled.look, rules.compiled.score
            operations = sum(len(tape.operations) for tape in tapes)
            share = _STEPS * _OPERATIONS // max(operations, _OPERATIONS)
            self.together = max(share, _FEW_STEPS)

    def list_steps(self, states: States) -> Steps:
        """Return all steps from states."""
        look = self.rules.look(states)
        counts = look.counts()[:, self.role]
        counts[look.terminal] = 0
        parent = np.repeat(np.arange(len(states)), counts)
        first = look.starts[:, self.role] - (np.cumsum(counts) - counts)
        rows = look.rows[first[parent] + np.arange(len(parent))]
        found = self.follow(states, parent, rows)
        choices = found.look.counts()[:, self.role]
        choices[found.look.terminal] = 0
        goals = found.goals[:, self.role]
        return Steps(parent, rows, found.states, choices, found.look.terminal, goals)

    def follow(self, states: States, parent: NDArray[np.int64], rows: Rows) -> Successors:
        """Return what moves in states lead to: see `BatchGame.follow`."""
        does = np.full((len(parent), len(self.rules.roles)), NO_MOVE, np.int32)
        does[:, self.role] = self.rules.plain(rows)
        return self.rules.follow(states, parent, does)


def is_puzzle(rules: BatchGame) -> bool:
    """Tell whether one player decides everything, and sees everything."""
    return (
        len(rules.roles) == len(rules.players) == 1
        and not rules.has_experiments
        and rules.game.information is Information.COMPLETE
    )
