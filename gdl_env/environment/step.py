"""The result of one tick."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from gdl_env.environment.decision_batch import TickArrays
from gdl_env.environment.feedback import FeedbackMaker, Tick
from gdl_env.environment.lanes.lanes import Lanes, Mask
from gdl_env.environment.lanes.tick_result import TickResult
from gdl_env.environment.move_log import take_step_moves
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
        ticks: Mapping[str, int] | None,
        played: Tick,
        maker: FeedbackMaker,
        offences: tuple[tuple[str, Origin], ...] = (),
    ) -> None:
        """Describe a tick.

        - ticks: its number as each role counts; None: all count alike
        """
        self.tick = tick
        # Roles that did not answer (LATE) or answered with an illegal move (ILLEGAL).
        self.offences = offences
        # Roles that receive feedback: all or, where moves are hidden, those the tick concerned.
        self.concerned: tuple[str, ...] = maker.roles
        self._ticks = ticks
        self._played = played
        self._maker = maker
        # What all roles played in the first lane since the last tick, step by step; () unless
        # `Options.log_moves` is set.
        self.joint_moves = take_step_moves(maker.lanes.move_log)

    @cached_property
    def feedback(self) -> Mapping[str, Feedback]:
        """Return the feedback of every role."""
        ticks = self._ticks or dict.fromkeys(self._maker.roles, self.tick)
        return self._maker.make(ticks, self._played, self._name_moves)

    @cached_property
    def arrays(self) -> TickArrays:
        """Return the same for all roles at once."""
        # Rewards that depend on more than a tick must not be asked for again.
        made = None if self._maker.reward.is_pure else self.feedback
        return TickArrays(self._played, self._maker, made, self.joint_moves)

    @property
    def ended(self) -> Mask:
        """Tell which lanes ended."""
        return self._played.result.ended

    @cached_property
    def moves(self) -> tuple[str, ...]:
        """Return the moves in lane 0 on the decisions of the tick, as text, of every player.

        '' for a player who did not move. Forced moves and draws are in `joint_moves`.
        """
        return self._name_moves()

    @cached_property
    def _name_moves(self) -> PlayedMoves:
        return PlayedMoves(self._maker.lanes, self._played.result)
