"""What the rules themselves teach: positions with moves whose worth is known.

Either the rules are asked about the next two moves of positions that are met (`advice`), or the
game is small enough to be solved, and every move of every position is known (`exact`). In both
cases the rules are asked in training only: the network plays by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdl_agents.learning.dqn.model import Model
from gdl_agents.learning.game_properties.game_traits import GameTraits
from gdl_agents.learning.game_properties.solution import Solution
from gdl_agents.learning.game_properties.symmetry import Symmetries
from gdl_agents.learning.game_properties.tactical_hints import AdviceBook, Advisor
from gdl_agents.learning.training.config import LearnerConfig
from gdl_env.environment.bits import Bits
from gdl_env.environment.protocol import Question
from gdl_env.play.reward_scale import to_reward

_LARGEST_BOOK = 100_000
# Of positions of a solution, this share is drawn by how wrong the network was last time.
_HARD = 0.5


@dataclass(frozen=True)
class Lesson:
    """Positions, and what some of their moves are worth. n positions, m moves of them."""

    # (n, entries)
    observation: NDArray[np.bool_]
    # (m)
    row: NDArray[np.int64]
    action: NDArray[np.int64]
    value: NDArray[np.float32]
    # Positions of the solution that were drawn (n); empty if they are not of one.
    index: NDArray[np.int64]


class Teaching:
    """Draws lessons, for each step of the optimiser."""

    def __init__(
        self,
        config: LearnerConfig,
        model: Model,
        traits: GameTraits,
        advisor: Advisor | None,
    ) -> None:
        self._config = config
        self._model = model
        self._symmetries = traits.symmetries
        self._advisor = advisor if config.advice else None
        shape = model.shape
        capacity = min(config.capacity, _LARGEST_BOOK) if config.advice else 1
        sizes = -(-shape.observation_size // 8), -(-shape.action_size // 8)
        self.book = AdviceBook(capacity, *sizes)
        solution = traits.solution if config.exact else None
        self._solved = None if solution is None else _SolvedPositions(solution, model)

    def ask(self, question: Question) -> None:
        """Note what the rules say about the moves of a question."""
        if self._advisor is None:
            return
        bare = question.role.rpartition('/')[2]
        wins, losses = self._advisor.find_decisive_actions(replace(question, role=bare))
        seen = self._model.seen(question).observation
        assert seen is not None
        self.book.add(seen.data, wins, losses)

    def draw(self, key: int, chance: np.random.Generator) -> list[Lesson]:
        """Return what is to be learned in this step, each position under some symmetry."""
        lessons = []
        if len(self.book):
            lessons.append(self._draw_advice(key + 1, chance))
        if self._solved is not None:
            lessons.append(self._draw_solved(self._solved, key + 2))
        return lessons

    def mark(self, lesson: Lesson, error: NDArray[np.float64]) -> None:
        """Note how wrong the network was about each move of a lesson."""
        if self._solved is None or not len(lesson.index):
            return
        worst = np.zeros(len(lesson.index))
        np.maximum.at(worst, lesson.row, error)
        self._solved.priority[lesson.index] = worst + 1e-3

    def to_tree(self) -> dict[str, Any]:
        """Return everything that changes, to be restored later."""
        priority = None if self._solved is None else self._solved.priority.copy()
        return {'book': self.book.to_tree(), 'priority': priority}

    def restore(self, tree: dict[str, Any]) -> None:
        """Take over what `to_tree` returned."""
        self.book.restore(tree['book'])
        if self._solved is not None:
            self._solved.priority[:] = tree['priority']

    def _draw_advice(self, key: int, chance: np.random.Generator) -> Lesson:
        shape = self._model.shape
        rows = self.book.draw(self._config.advice, chance)
        observation = Bits(rows[0], shape.observation_size).unpack()
        wins, losses = (Bits(row, shape.action_size).unpack() for row in rows[1:])
        observation, wins, losses = _rename(self._symmetries, key, observation, wins, losses)
        row, action = np.nonzero(wins | losses)
        high, low = self._model.high, self._model.low * self._config.gamma
        value = np.where(wins[row, action], high, low).astype(np.float32)
        return Lesson(observation, row, action, value, np.zeros(0, np.int64))

    def _draw_solved(self, solved: _SolvedPositions, key: int) -> Lesson:
        chance = np.random.Generator(np.random.Philox(key=key))
        index = solved.draw(self._config.exact, chance)
        parts = solved.observation[index], solved.known[index], solved.value[index]
        observation, known, value = _rename(self._symmetries, key, *parts)
        row, action = np.nonzero(known)
        return Lesson(observation, row, action, value[row, action], index)


class _SolvedPositions:
    """The positions of a solution as a model sees them."""

    def __init__(self, solution: Solution, model: Model) -> None:
        self.observation = solution.see(model)
        self.known = solution.known
        self.value = to_reward(solution.goal.astype(np.float32))
        # How wrong the network was about each, last time.
        self.priority = np.full(len(solution), 10.0)

    def draw(self, count: int, chance: np.random.Generator) -> NDArray[np.int64]:
        """Draw positions: some by how wrong the network was, some evenly."""
        hard = int(count * _HARD)
        mass = np.cumsum(self.priority)
        chosen = np.searchsorted(mass, chance.random(hard) * mass[-1], side='right')
        evenly = chance.integers(0, len(mass), count - hard)
        drawn = np.concatenate([chosen, evenly])
        index: NDArray[np.int64] = np.minimum(drawn, len(mass) - 1)
        return index


def _rename(
    symmetries: Symmetries | None, key: int, observation: NDArray[np.bool_], *rows: NDArray[Any]
) -> list[NDArray[Any]]:
    """Return observations, and what is known of their actions, each under a symmetry."""
    if symmetries is None or len(symmetries) == 1:
        return [observation, *rows]
    drawn = np.random.default_rng(key).integers(0, len(symmetries), len(observation))
    seen = np.take_along_axis(observation, symmetries.observation[drawn], axis=1)
    legal = symmetries.legal[drawn]
    return [seen, *(np.take_along_axis(row, legal, axis=1) for row in rows)]
