"""The action `play_matches`: a number of episodes, from a fresh start, with their table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdl_msgs.action import PlayMatches
from gdl_msgs.msg import RoleStatus
from rclpy.action import ActionServer, CancelResponse, GoalResponse

from gdl_env.environment.journal import JournalError
from gdl_env.ros.environment.goal_ending import end_goal
from gdl_env.ros.environment.match import Match
from gdl_env.ros.environment.phase import Phase
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.messages import to_duration
from gdl_env.ros.transport.names import PLAY_MATCHES

# More would not fit the counters of lanes.
_MOST_EPISODES = 2**62


class PlayServer:
    """Runs one goal at a time on a match."""

    def __init__(self, node: RosNode, match: Match, roles: Callable[[], list[RoleStatus]]) -> None:
        self._node = node
        self._match = match
        self._roles = roles
        self._goal: Any = None
        self._server = ActionServer(
            node,
            PlayMatches,
            PLAY_MATCHES,
            execute_callback=lambda goal: PlayMatches.Result(),
            goal_callback=self._on_goal,
            handle_accepted_callback=self._begin,
            cancel_callback=self._on_cancel,
        )

    @property
    def is_running(self) -> bool:
        """Tell whether a goal is being played."""
        return self._goal is not None

    def end(self) -> None:
        """Say that the episodes of the goal are played, or that nothing more will be."""
        goal, self._goal = self._goal, None
        if goal is None:
            return
        result = self._result()
        if goal.is_cancel_requested:
            result.message = 'cancelled'
        elif not result.success:
            result.message = self._match.message or 'the environment stopped'
        end_goal(goal, result)

    def report(self) -> None:
        """Publish how the goal goes."""
        if self._goal is not None and self._goal.is_active:
            tallies = self._match.standings.now.tallies
            self._goal.publish_feedback(
                PlayMatches.Feedback(
                    finished_episodes=tallies.finished,
                    steps=tallies.steps,
                    step_rate=self._match.meter.rate,
                    roles=self._roles(),
                )
            )

    def close(self) -> None:
        """End the goal, and take the action off the graph once its result is sent.

        A node that no longer runs sends none.
        """
        executor = self._node.executor
        if executor is None:
            self._goal = None
            self._server.destroy()
        else:
            self.end()
            executor.create_task(self._server.destroy)

    def _on_goal(self, request: PlayMatches.Goal) -> GoalResponse:
        log = self._node.get_logger()
        if not 1 <= request.episodes <= _MOST_EPISODES:
            log.error(
                f'play_matches: episodes must be 1 to {_MOST_EPISODES}, not {request.episodes}'
            )
        elif self.is_running or self._match.is_begun:
            log.warning('play_matches: other episodes are being played; cancel them first')
        elif self._match.phase in {Phase.UNKNOWN, Phase.PAUSED}:
            log.warning('play_matches: the environment is not active')
        else:
            return GoalResponse.ACCEPT
        return GoalResponse.REJECT

    def _on_cancel(self, goal: Any) -> CancelResponse:
        self._match.stop(Phase.WAITING, 'the last goal was cancelled')
        try:
            self._match.give_up()
        except JournalError as error:
            self._node.get_logger().error(f'{error}; a restart would resume what was cancelled')
        # Only after this is the goal in a state in which it can be ended.
        self._node.executor.create_task(self.end)
        return CancelResponse.ACCEPT

    def _begin(self, goal: Any) -> None:
        self._goal = goal
        seed = None if goal.request.seed < 0 else int(goal.request.seed)
        self._match.reset(seed, int(goal.request.episodes))
        self._match.begin()

    def _result(self) -> PlayMatches.Result:
        tallies = self._match.standings.now.tallies
        return PlayMatches.Result(
            success=self._match.phase is Phase.FINISHED,
            finished_episodes=tallies.finished,
            steps=tallies.steps,
            elapsed=to_duration(self._match.playing_time.seconds),
            roles=self._roles(),
        )
