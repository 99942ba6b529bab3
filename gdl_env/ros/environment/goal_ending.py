"""Ends goals of actions at once, wherever their end is detected."""

from __future__ import annotations

from typing import Any


def end_goal(goal: Any, result: Any) -> None:
    """End a goal as its result says: cancelled, succeeded or aborted.

    What executes a goal is short. One that waited for the end would keep a core busy.
    """

    def finish(goal: Any) -> Any:
        if goal.is_cancel_requested:
            goal.canceled()
        elif result.success:
            goal.succeed()
        else:
            goal.abort()
        return result

    goal.execute(finish)
