"""What moves pieces: an arm with a gripper, or something that stands for one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

from gdl_env.errors import GdlError
from gdl_env.robot.transfers import Transfer

# What an arm does with a piece, in this order. A piece that is turned over has no `carry`.
STAGES = ('approach', 'grasp', 'lift', 'carry', 'lower', 'release', 'retreat')

# Is told which stage begins.
Report: TypeAlias = Callable[[str], None]


class MotionError(GdlError):
    """A piece could not be moved. The message says where the arm stopped, and why."""


class Executor(ABC):
    """Carries out one motion after the other. It is called from a thread of its own."""

    @abstractmethod
    def transfer(self, transfer: Transfer, report: Report) -> None:
        """Move one piece, and return when the arm is out of the way. Raises MotionError."""

    def rest(self) -> None:  # noqa: B027 - most are out of the way after each motion
        """Get out of the camera's view; called after the last motion of several."""

    def close(self) -> None:  # noqa: B027 - most hold nothing
        """Release what is held; no motion is asked for afterwards."""
