"""The result of one tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from gdl_env.environment.decision_batch import TickArrays
from gdl_env.environment.lanes.lanes import Lanes, Mask
from gdl_env.environment.lanes.records import TickResult
from gdl_env.environment.protocol import Feedback, Origin


class PlayedMoves:
    """The moves in lane 0 on the decisions of a tick, as text; named when they are asked for."""

    def __init__(self, lanes: Lanes, result: TickResult) -> None:
        self._lanes = lanes
        self._result = result
        self._named: tuple[str, ...] | None = None

    def __call__(self) -> tuple[str, ...]:
        """Return the move of every player."""
        if self._named is None:
            self._named = self._lanes.name_moves(self._result)
        return self._named


class Step:
    """The result of one tick. Parts that few ask for are made when they are asked for."""

    def __init__(
        self,
        tick: int,
        feedback: Mapping[str, Feedback],
        arrays: TickArrays,
        name_moves: Callable[[], tuple[str, ...]],
        offences: tuple[tuple[str, Origin], ...] = (),
        concerned: tuple[str, ...] = (),
    ) -> None:
        self.tick = tick
        self.feedback = feedback
        # The same for all roles at once.
        self.arrays = arrays
        # Roles that did not answer (LATE) or answered with an illegal move (ILLEGAL).
        self.offences = offences
        # Roles that receive feedback: all or, where moves are hidden, those the tick concerned.
        self.concerned = concerned
        self._name_moves = name_moves

    @property
    def ended(self) -> Mask:
        """Tell which lanes ended."""
        return self.arrays.ended

    @cached_property
    def moves(self) -> tuple[str, ...]:
        """Return the moves in lane 0 on the decisions of the tick, as text, of every player.

        '' for a player who did not move.
        """
        return self._name_moves()
