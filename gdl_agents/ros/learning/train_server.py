"""The action `train`: learn from a number of episodes of the match."""

from __future__ import annotations

from math import nan
from time import monotonic
from typing import TYPE_CHECKING, Any

from gdl_msgs.action import PlayMatches, Train
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse

from gdl_env.ros.environment.goal_ending import end_goal
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.names import PLAY_MATCHES

if TYPE_CHECKING:
    from gdl_agents.ros.learning.learner_node import LearnerNode

# Between two reports [s].
_PERIOD = 1.0
# The last feedback may come after the result of the match [s].
_AFTERMATH = 0.5


class TrainServer:
    """Runs one goal at a time on a learner's node: asks its environment to play."""

    def __init__(self, node: LearnerNode) -> None:
        self._node = node
        self._goal: Any = None
        # Of the environment.
        self._play: Any = None
        self._is_cancelled = False
        self._message = ''
        self._rate = 0.0
        self._ends_at: float | None = None
        self._reported = 0.0
        self._client = ActionClient(node, PlayMatches, PLAY_MATCHES)
        self._server = ActionServer(
            node,
            Train,
            'train',
            execute_callback=lambda goal: Train.Result(),
            goal_callback=self._on_goal,
            handle_accepted_callback=self._begin,
            cancel_callback=self._on_cancel,
        )
        self._timer = create_timer(node, _AFTERMATH / 2, self._on_timer)

    def close(self) -> None:
        """Call off what is being played, and take the action off the graph."""
        if self._play is not None:
            self._play.cancel_goal_async()
        self._client.destroy()
        self._server.destroy()

    def _on_goal(self, request: Train.Goal) -> GoalResponse:
        log = self._node.get_logger()
        if request.episodes < 1:
            log.error('train: episodes must be 1 or more')
        elif self._goal is not None:
            log.error('train: another goal is running; cancel it first')
        elif self._node.run is None:
            log.error('train: no match is known yet')
        elif not self._client.server_is_ready():
            log.error('train: there is no environment to ask for episodes')
        else:
            return GoalResponse.ACCEPT
        return GoalResponse.REJECT

    def _begin(self, goal: Any) -> None:
        self._goal = goal
        self._is_cancelled = False
        self._message = ''
        asked = PlayMatches.Goal(episodes=goal.request.episodes, seed=-1)
        self._client.send_goal_async(asked, self._on_feedback).add_done_callback(self._on_answer)

    def _on_answer(self, future: Any) -> None:
        play = future.result()
        if not play.accepted:
            self._end_soon('the environment is busy with another request')
            return
        self._play = play
        play.get_result_async().add_done_callback(self._on_result)
        if self._is_cancelled:
            play.cancel_goal_async()

    def _on_feedback(self, message: Any) -> None:
        self._rate = message.feedback.step_rate

    def _on_result(self, future: Any) -> None:
        self._play = None
        result = future.result().result
        self._end_soon('' if result.success else result.message or 'the match was broken off')

    def _on_cancel(self, goal: Any) -> CancelResponse:
        self._is_cancelled = True
        if self._play is not None:
            self._play.cancel_goal_async()
        return CancelResponse.ACCEPT

    def _end_soon(self, message: str) -> None:
        self._message = message
        self._ends_at = monotonic() + _AFTERMATH

    def _on_timer(self) -> None:
        if self._goal is None:
            return
        now = monotonic()
        if self._ends_at is not None and now >= self._ends_at:
            self._end()
        elif now - self._reported >= _PERIOD:
            self._reported = now
            self._report()

    def _report(self) -> None:
        run, learner = self._node.run, self._node.learner
        # Without a run no goal is accepted.
        assert run is not None
        if self._goal.is_active:
            self._goal.publish_feedback(
                Train.Feedback(
                    episodes=run.episodes,
                    version=learner.version if learner else 0,
                    reward=float(run.reward),
                    loss=float(learner.loss) if learner else nan,
                    epsilon=float(learner.epsilon) if learner else nan,
                    step_rate=self._rate,
                )
            )

    def _end(self) -> None:
        goal, self._goal, self._ends_at = self._goal, None, None
        is_success = not self._message and not self._is_cancelled
        message = 'cancelled' if self._is_cancelled else self._message
        try:
            self._node.keep(evaluates=is_success)
        # Whatever it is, the client must receive it.
        except Exception as error:
            is_success, message = False, f'what was learned could not be kept: {error}'
        run, learner = self._node.run, self._node.learner
        # Without a run no goal is accepted.
        assert run is not None
        result = Train.Result(
            success=is_success,
            message=message,
            episodes=run.episodes,
            version=learner.version if learner else 0,
            checkpoint=str(run.checkpoint or ''),
        )
        end_goal(goal, result)
