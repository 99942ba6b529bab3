"""What a player was shown, and the states that it may be in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import States


@dataclass(frozen=True)
class Glance:
    """What a player is shown at one tick of a match, in one lane."""

    # What it sees, as packed bits of an observation.
    observation: NDArray[np.uint8]
    # Whether it has a decision to make.
    is_asked: bool
    # The legal moves it is shown then, as packed bits of actions.
    legal: NDArray[np.uint8] | None = None


@dataclass(frozen=True)
class Known:
    """States that a player may be in."""

    states: States
    # What was perceived since the player's last decision (GDL-II).
    percepts: States
    # How likely each is; they add up to 1.
    weight: NDArray[np.float64]
    # The role that moved last, in a serial game; NOBODY, or UNKNOWN.
    last: NDArray[np.int64]
    # Whether these are all states that are possible.
    is_complete: bool = True
    # The step of a `Trail` by which each was reached; empty where no trail is kept.
    node: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.states)

    def pick(self, which: NDArray[np.bool_] | NDArray[np.integer]) -> Known:
        """Return some of the states; indices may repeat."""
        return Known(
            self.states[which],
            self.percepts[which],
            self.weight[which],
            self.last[which],
            self.is_complete,
            self.node[which] if len(self.node) else self.node,
        )

    def scale(self) -> Known:
        """Make the weights add up to 1; nothing is left of what is impossible."""
        total = self.weight.sum()
        if total <= 0:
            return self.pick(np.zeros(len(self), np.bool_))
        return replace(self, weight=self.weight / total)

    @classmethod
    def join(cls, parts: list[Known]) -> Known:
        """Put parts together; equal states stay apart."""
        has_nodes = all(len(part.node) == len(part) for part in parts)
        return cls(
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.percepts for part in parts]),
            np.concatenate([part.weight for part in parts]),
            np.concatenate([part.last for part in parts]),
            all(part.is_complete for part in parts),
            np.concatenate([part.node if has_nodes else part.node[:0] for part in parts]),
        )

    def merge_equal(self) -> Known:
        """Return each state once, with the sum of its weights."""
        if not len(self):
            return self
        moved = self.last.astype(np.uint64)[:, None]
        both = np.ascontiguousarray(np.concatenate([self.states, self.percepts, moved], axis=1))
        keys = both.view([('', both.dtype)] * both.shape[1]).ravel()
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        sums = np.bincount(inverse.reshape(-1), self.weight, len(first)).astype(np.float64)
        return replace(self.pick(first), weight=sums)


@dataclass
class ViewLog:
    """What a player was shown since the game began, and what it played."""

    # At each tick what was shown, and the row of the move that was played then (NO_MOVE: none).
    glances: list[Glance] = field(default_factory=list)
    played: list[int] = field(default_factory=list)


def draw_by_weight(
    weight: NDArray[np.float64], count: int, chance: np.random.Generator
) -> NDArray[np.intp]:
    """Draw indices by weight, evenly spread."""
    sums = np.cumsum(weight)
    marks = (np.arange(count) + chance.random(count)) / count * sums[-1]
    drawn: NDArray[np.intp] = np.minimum(np.searchsorted(sums, marks), len(weight) - 1)
    return drawn
