"""The time that roles have left, as a page shows it."""

from __future__ import annotations

from time import monotonic

from gdl_msgs.msg import RoleStatus

from gdl_env.gui.frames import Frame
from gdl_env.gui.match_link import MatchLink
from gdl_env.ros.transport.messages import from_duration


class RoleTimes:
    """Remembers clocks of a whole game, which stand still while others think."""

    def __init__(self, role: str) -> None:
        """Show them to a role, or to spectators: ''."""
        self._role = role
        self._left: dict[str, float] = {}

    def left(
        self, link: MatchLink, status: RoleStatus | None, frame: Frame | None
    ) -> float | None:
        """Return the time that a role has left [s]; None where there is no clock."""
        if status is None:
            return None
        left = from_duration(status.time_left)
        if status.is_awaited and left:
            left = max(0.0, left - (monotonic() - link.heard))
            if status.role == self._role and frame is not None and frame.deadline:
                left = max(0.0, frame.deadline - monotonic())
            self._left[status.role] = left
            return left
        is_total = link.info is not None and not from_duration(link.info.play_clock)
        return self._left.get(status.role) if is_total else None
