"""The joint moves of the first lane, step by step: forced ones and draws, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gdl_env.engine.contract import Move, Role


@dataclass(frozen=True)
class JointMove:
    """What all roles played in one step."""

    # Counted from 1.
    episode: int
    # One a role, in the order of the rules; '' for a role that did not move.
    moves: tuple[str, ...]


class MoveLog:
    """Collects joint moves until they are taken."""

    def __init__(self, roles: tuple[Role, ...]) -> None:
        self._roles = roles
        self._moves: list[JointMove] = []

    def add(self, episode: int, played: Mapping[Role, Move]) -> None:
        """Add the moves of a step."""
        moves = (played.get(role) for role in self._roles)
        texts = tuple('' if move is None else str(move) for move in moves)
        self._moves.append(JointMove(episode, texts))

    def take(self) -> list[JointMove]:
        """Return the moves since the last call."""
        moves, self._moves = self._moves, []
        return moves


class StepLog(MoveLog):
    """Joint moves that results of ticks list: see `Options.log_moves`."""


def take_step_moves(log: MoveLog | None) -> tuple[JointMove, ...]:
    """Return what a result lists; nothing if another caller takes the moves, or none does."""
    return tuple(log.take()) if isinstance(log, StepLog) else ()
