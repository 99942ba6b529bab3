"""Every step of a match that is played in this process, and its recording."""

from __future__ import annotations

from collections.abc import Mapping

from gdl_env.engine.contract import Role, State
from gdl_env.engine.interpreter import InterpretedStep
from gdl_env.engine.recordings.recording import (
    RecordingWriter,
    end_line,
    start_line,
    step_line,
    undo_line,
)
from gdl_env.environment.trace import Trace
from gdl_env.language.game import Game


class MatchLog(Trace):
    """Remembers the steps of lane 0, forced moves and chance included; may write them down."""

    def __init__(
        self, game: Game, roles: tuple[Role, ...], seed: int, writer: RecordingWriter | None
    ) -> None:
        super().__init__(game, roles, 1)
        self.state: State = frozenset()
        self.steps: list[InterpretedStep] = []
        # Known at the end; None if the match was broken off.
        self.goals: Mapping[Role, int | None] | None = None
        self._seed = seed
        self._writer = writer
        self._initial: State = frozenset()

    def begin(self, lane: int, initial: State, seed: int | None = None) -> None:
        """Note that the match begins."""
        self._initial = self.state = initial
        self._write(start_line(self._game, self._roles, initial, self._seed))

    def step(self, lane: int, step: InterpretedStep) -> None:
        """Note a step."""
        self.steps.append(step)
        self.state = step.state
        self._write(step_line(step))

    def end(self, lane: int, goals: Mapping[Role, int | None] | None) -> None:
        """Note how the match ended."""
        self.goals = goals

    def go_back(self, count: int) -> None:
        """Keep the first steps only: the others were taken back."""
        self._write(undo_line(len(self.steps) - count))
        del self.steps[count:]
        self.state = self.steps[-1].state if self.steps else self._initial

    def close(self) -> None:
        """Write the end of the recording, by the rules or because the match was stopped."""
        self._write(end_line(self.goals))

    def _write(self, line: str) -> None:
        if self._writer is not None:
            self._writer.write(line)
