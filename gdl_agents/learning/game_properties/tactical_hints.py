"""What the rules say about the next two moves, as something to learn.

A network that plays alone must see for itself that a move wins at once, or that the other can win
by its reply. Games show that for one move at a time. While a learner trains, the rules are at
hand: for all moves of a position, they tell which win and which lose like that.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.consequences import Moves, Replies, any_of, split
from gdl_agents.search.players.tactical import TacticalAgent
from gdl_env.environment.protocol import MatchInfo, Question

# Positions two moves on that are looked at together.
_BATCH = 50_000


class Advisor(TacticalAgent):
    """Looks two moves ahead, in all lanes at once."""

    def __init__(self, info: MatchInfo) -> None:
        """Load the rules. Raises AgentError, GameError or EngineError if that is not possible."""
        super().__init__('')
        self.begin(info, info.roles, 0)

    def find_decisive_actions(
        self, question: Question
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell which actions win at once, and which let another win next: lanes by actions."""
        assert question.legal is not None
        lanes = np.flatnonzero(question.to_move)
        shape = question.lanes, question.legal.size
        wins, losses = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        task = self._task(question, lanes, 0, monotonic())
        for first, part in split(task, _BATCH):
            moves = Moves(part)
            lane = task.lanes[first + moves.lane]
            action = self.table.actions_of(moves.row)
            wins[lane, action] = moves.share(moves.won[:, task.role]) >= 1 - 1e-9
            replies = Replies(moves)
            others = [player for player in task.rules.players if player != task.role]
            losses[lane, action] = moves.any(replies.any(any_of(replies.won, others)))
        return wins, losses


class AdviceBook:
    """A ring of positions in which the rules say something, as packed bits."""

    def __init__(self, capacity: int, observation_bytes: int, action_bytes: int) -> None:
        self._observation = np.zeros((capacity, observation_bytes), np.uint8)
        self._wins = np.zeros((capacity, action_bytes), np.uint8)
        self._losses = np.zeros((capacity, action_bytes), np.uint8)
        # How many were ever added.
        self.added = 0

    def __len__(self) -> int:
        return min(self.added, len(self._wins))

    def add(
        self,
        observation: NDArray[np.uint8],
        wins: NDArray[np.bool_],
        losses: NDArray[np.bool_],
    ) -> None:
        """Add positions, one a row; those of which nothing is said are left out."""
        told = np.flatnonzero(wins.any(axis=1) | losses.any(axis=1))[-len(self._wins) :]
        place = (self.added + np.arange(len(told))) % len(self._wins)
        self._observation[place] = observation[told]
        self._wins[place] = np.packbits(wins[told], axis=1, bitorder='little')
        self._losses[place] = np.packbits(losses[told], axis=1, bitorder='little')
        self.added += len(told)

    def draw(
        self, count: int, chance: np.random.Generator
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
        """Return observations, and which actions win and lose, all packed."""
        index = chance.integers(0, len(self), count)
        return self._observation[index], self._wins[index], self._losses[index]

    def to_tree(self) -> dict[str, Any]:
        """Return everything, to be restored later."""
        size = len(self)
        kept = {
            'observation': self._observation[:size],
            'wins': self._wins[:size],
            'losses': self._losses[:size],
        }
        return {**kept, 'added': self.added}

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self.added = tree['added']
        size = len(self)
        self._observation[:size] = tree['observation']
        self._wins[:size] = tree['wins']
        self._losses[:size] = tree['losses']
