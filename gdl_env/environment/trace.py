"""Everything that happens in some lanes, as lines of a recording."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gdl_env.engine.contract import Role, State
from gdl_env.engine.interpreter import InterpretedStep
from gdl_env.engine.recordings.recording import end_line, start_line, step_line
from gdl_env.language.game import Game

if TYPE_CHECKING:
    from gdl_env.environment.environment import Environment

# Ticks, each of one lane, that may be played before a recorder has confirmed the first of them.
UNCONFIRMED = 1_000
# Lanes that are recorded, at most.
MOST_LANES = 1_024
# How many are kept to be published again: the last tick before a pause adds one for each lane that
# is recorded.
KEPT = UNCONFIRMED + MOST_LANES
# How many an environment repeats that resumes, at most: whole ticks, the first of which may reach
# beyond those that are kept.
REPEATED = KEPT + MOST_LANES


@dataclass(frozen=True)
class TracedLine:
    """One line of a recording, and the lane it belongs to."""

    lane: int
    text: str


class Trace:
    """Collects lines of the first `lanes` lanes until they are taken.

    Of a cohort, whose lanes are counted from 0, `first_lane` says which lane of the match is 0.
    """

    def __init__(
        self, game: Game, roles: tuple[Role, ...], lanes: int, first_lane: int = 0
    ) -> None:
        self.lanes = lanes
        self._first_lane = first_lane
        self._game = game
        self._roles = roles
        self._lines: list[TracedLine] = []

    def begin(self, lane: int, initial: State, seed: int | None = None) -> None:
        """Note that a match begins."""
        self._add(lane, start_line(self._game, self._roles, initial, seed))

    def step(self, lane: int, step: InterpretedStep) -> None:
        """Note a step."""
        self._add(lane, step_line(step))

    def end(self, lane: int, goals: Mapping[Role, int | None] | None) -> None:
        """Note that a match ended: by the rules, with its goals, or otherwise (None)."""
        self._add(lane, end_line(goals))

    def take(self) -> list[TracedLine]:
        """Return the lines since the last call."""
        lines, self._lines = self._lines, []
        return lines

    def _add(self, lane: int, text: str) -> None:
        self._lines.append(TracedLine(self._first_lane + lane, text))


class Backlog:
    """The last lines of a match that is played again from its journal.

    It is unknown which of them were recorded before it was killed, so as many are published again
    as could be unconfirmed.
    """

    def __init__(self, *cohorts: Environment) -> None:
        self._cohorts = [each for each in cohorts if each.game.trace is not None]
        self._lines: deque[tuple[int, list[TracedLine]]] = deque()
        self._count = 0

    def follow(self, kind: str) -> None:
        """Note what an entry of the journal has brought about."""
        if kind == 'reset':
            # What came before was recorded, or never begun.
            self._lines.clear()
            self._count = 0
        for cohort in self._cohorts:
            lines = cohort.game.trace.take() if cohort.game.trace is not None else []
            if lines:
                self._lines.append((cohort.tick - 1, lines))
                self._count += _count_lanes(lines)
        while self._lines and self._count - _count_lanes(self._lines[0][1]) > KEPT:
            self._count -= _count_lanes(self._lines.popleft()[1])

    def take(self) -> list[tuple[int, list[TracedLine]]]:
        """Return ticks and their lines, in order."""
        return list(self._lines)


def _count_lanes(lines: list[TracedLine]) -> int:
    return len({line.lane for line in lines})
