"""Whole histories of a game, side by side: every step that was taken, and the states between."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.belief.belief_steps import BeliefSteps
from gdl_agents.search.belief.known import Glance, Known
from gdl_agents.search.game.turns import follow_last
from gdl_env.engine.batch.contract import Rows


@dataclass(frozen=True)
class Passage:
    """The steps from one view to the next one."""

    # Numbers of steps; a history that takes fewer waits at the end.
    first: int
    end: int
    # What was shown before, what the role played then (NO_MOVE: nothing, or it is not known), and
    # what is shown.
    before: Glance
    played: int
    glance: Glance


@dataclass
class Course:
    """Steps and states of some histories."""

    # For each step, histories by roles: legal moves, and what was done; NO_MOVE where none acts.
    legal: list[Rows] = field(default_factory=list)
    does: list[Rows] = field(default_factory=list)
    # Before each step, and after the last one.
    known: list[Known] = field(default_factory=list)
    # How many legal moves there were, before each step: histories by roles.
    counts: list[NDArray[np.int64]] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.known[-1]) if self.known else 0

    def pick(self, which: NDArray[np.intp]) -> Course:
        """Return some of the histories; indices may repeat."""
        return Course(
            [step[which] for step in self.legal],
            [step[which] for step in self.does],
            [known.pick(which) for known in self.known],
            [count[which] for count in self.counts],
            list(self.passages),
        )

    def put(self, places: NDArray[np.intp], other: Course, which: NDArray[np.intp]) -> None:
        """Replace some histories by some of another course with the same passages."""
        for step, changed in zip(self.legal, other.legal, strict=True):
            step[places] = changed[which]
        for step, changed in zip(self.does, other.does, strict=True):
            step[places] = changed[which]
        for count, changed_count in zip(self.counts, other.counts, strict=True):
            count[places] = changed_count[which]
        for known, changed_known in zip(self.known, other.known, strict=True):
            known.states[places] = changed_known.states[which]
            known.percepts[places] = changed_known.percepts[which]
            known.last[places] = changed_known.last[which]

    def extend(self, ways: BeliefSteps, legal: list[Rows], does: list[Rows], way: Passage) -> None:
        """Append the steps of one passage: legal moves, and what was done."""
        for moves, done in zip(legal, does, strict=True):
            counts, after = take_step(ways, self.known[-1], moves, done)
            self.legal.append(moves.copy())
            self.does.append(done.copy())
            self.counts.append(counts)
            self.known.append(after)
        self.passages.append(replace(way, end=len(self.legal)))


def take_step(
    ways: BeliefSteps, now: Known, legal: Rows, does: Rows
) -> tuple[NDArray[np.int64], Known]:
    """Return how many legal moves there were, and the states after a step."""
    rules = ways.rules
    look = rules.look(now.states)
    forgets = ~ways.is_quiet(look, now.last) & (legal[:, ways.role] >= 0)
    percepts = ways.perceive(now.states, does, now.percepts, forgets)
    waits = np.asarray((legal < 0).all(axis=1))
    if waits.any():
        percepts = np.where(waits[:, None], now.percepts, percepts)
    last = follow_last(rules, now.last, legal) if rules.is_serial else now.last.copy()
    states = rules.step(now.states, does)
    return look.counts(), Known(states, percepts, now.weight.copy(), last, is_complete=False)
