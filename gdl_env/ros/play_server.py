"""The action `play_matches`: so many episodes, from a fresh start, with their table."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

from gdl_msgs.action import PlayMatches
from gdl_msgs.msg import RoleStatus
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future

from gdl_env.ros.match import Match, Phase
from gdl_env.ros.wire import to_duration


class PlayServer:
    """Runs one goal at a time on a match."""

    def __init__(
        self, node: Any, match: Match, roles: Callable[[], list[RoleStatus]]
    ) -> None:
        self._node = node
        self._match = match
        self._roles = roles
        self._goal: Any = None
        self._done: Future | None = None
        self._server = ActionServer(
            node,
            PlayMatches,
            'play_matches',
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )

    @property
    def is_running(self) -> bool:
        """Tell whether a goal is being played."""
        return self._done is not None

    def end(self) -> None:
        """Say that the episodes of the goal are played, or that nothing more will be."""
        if self._done is not None and not self._done.done():
            self._done.set_result(None)

    def report(self) -> None:
        """Publish how the goal goes."""
        if self._goal is not None and self._goal.is_active:
            environment = self._match.environment
            self._goal.publish_feedback(
                PlayMatches.Feedback(
                    finished_episodes=environment.tallies.finished,
                    steps=environment.tallies.steps,
                    step_rate=self._match.meter.rate,
                    roles=self._roles(),
                )
            )

    def close(self) -> None:
        """Take the action off the graph."""
        self._server.destroy()

    def _on_goal(self, request: PlayMatches.Goal) -> GoalResponse:
        log = self._node.get_logger()
        if request.episodes < 1:
            log.error('play_matches: episodes must be 1 or more, not 0')
        elif self.is_running or self._match.phase is Phase.PLAYING:
            log.error('play_matches: other episodes are being played; cancel them first')
        elif self._match.phase is Phase.UNKNOWN:
            log.error('play_matches: the environment is not active')
        else:
            return GoalResponse.ACCEPT
        return GoalResponse.REJECT

    def _on_cancel(self, goal: Any) -> CancelResponse:
        self._match.stop(Phase.WAITING, 'the last goal was cancelled')
        # Only now is the goal in a state in which it can be ended.
        self._node.executor.create_task(self.end)
        return CancelResponse.ACCEPT

    async def _execute(self, goal: Any) -> PlayMatches.Result:
        started = monotonic()
        self._goal = goal
        self._done = Future()
        seed = None if goal.request.seed < 0 else int(goal.request.seed)
        self._match.referee.reset(seed, int(goal.request.episodes))
        self._match.begin()
        try:
            await self._done
        finally:
            self._goal, self._done = None, None
        environment = self._match.environment
        result = PlayMatches.Result(
            success=environment.is_finished,
            finished_episodes=environment.tallies.finished,
            steps=environment.tallies.steps,
            elapsed=to_duration(monotonic() - started),
            roles=self._roles(),
        )
        if goal.is_cancel_requested:
            result.message = 'cancelled'
            goal.canceled()
        elif result.success:
            goal.succeed()
        else:
            result.message = self._match.message or 'the environment stopped'
            goal.abort()
        return result
