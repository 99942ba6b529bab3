"""Request episodes of the environment, show progress, report the result, and end.

An environment may be killed and restarted meanwhile. It then resumes on its own, if it has a
journal, and its result comes by `status`; if not, it is asked again.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
import sys
import time
from typing import Any

from action_msgs.msg import GoalStatus
from gdl_msgs.action import PlayMatches
from gdl_msgs.msg import RoleStatus, Status
from rclpy.action import ActionClient
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node

from gdl_env.ros import run_node
from gdl_env.ros.declaring import declare, follow
from gdl_env.ros.match.progress import MatchProgress
from gdl_env.ros.match.swapping import Swapping
from gdl_env.ros.match.table import MatchResult, RoleResult
from gdl_env.ros.parameters import MATCH
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.names import ENVIRONMENT_NODE, PLAY_MATCHES, STATUS
from gdl_env.ros.transport.qos import status_qos
from gdl_env.ros.transport.sources import find_rivals
from gdl_env.ros.transport.texts import one_line
from gdl_env.ros.waiting import WaitingNotice

# How often things are looked at [s].
PERIOD = 0.1
# A result that `status` tells is taken after this time [s]: the proper one may be on its way.
RESULT_DELAY = 2.0
# An environment that is silent for this time [s] may have been killed.
AWAY = 2.0


class MatchNode(Node):  # type: ignore[misc]
    """Asks for episodes once; `result` is there when all is over."""

    def __init__(self) -> None:
        super().__init__('match_node')
        values = declare(self, MATCH)
        follow(self, MATCH, self._on_parameter)
        self._episodes: int = values['episodes']
        self._seed: int = values['seed']
        self._result_file: str = values['result_file']
        self._wait_timeout: float = values['wait_timeout']
        self.result: MatchResult | None = None
        # Who started it.
        self._parent = os.getppid()
        # Whether another client called the match off: no failure, though not all was played.
        self.is_cancelled = False
        self._progress = MatchProgress(self._episodes, values['progress_period'])
        self._status: Status | None = None
        self._goal: Any = None
        # When it was asked last.
        self._asked = -AWAY
        self._is_playing = False
        self._was_answered = False
        self._started = time.monotonic()
        # When the environment was last heard or asked.
        self._heard = self._started
        self._may_have_restarted = False
        # Since when `status` has said that all is over.
        self._finished_since: float | None = None
        self._client = ActionClient(self, PlayMatches, PLAY_MATCHES)
        self._waiting = WaitingNotice(self, self._describe_wait)
        self.create_subscription(Status, STATUS, self._on_status, status_qos())
        self._swapping = Swapping(
            self,
            self.get_namespace(),
            lambda: self._status,
            lambda: self.result is not None or run_node.is_stopping(),
        )
        self._swapping.allows_programs = values['allow_programs']
        create_timer(self, PERIOD, self._on_timer)

    def destroy_node(self) -> None:
        """Call off what is still being played, and end the agents that were started here.

        But not if the launch was killed: what its journal holds can be resumed by another one.
        """
        self._progress.close()
        self._swapping.agents.close()
        is_launch_gone = os.getppid() != self._parent
        if self._goal is not None and self.result is None and not is_launch_gone:
            self._goal.cancel_goal_async()
            # To let it be sent.
            time.sleep(PERIOD)
        self._client.destroy()
        super().destroy_node()

    def finish(self, result: MatchResult) -> None:
        """Take a result as the final one; write and print it."""
        self.result = result
        self._progress.close()
        if self._result_file:
            result.save(Path(self._result_file))
        if result.roles:
            sys.stdout.write(f'\n{result.to_text()}')
            sys.stdout.flush()
        if self.is_cancelled:
            done = f'{result.episodes:,} of {self._episodes:,} episodes'
            self.get_logger().info(f'the match was cancelled after {done}')
        elif not result.is_success:
            self.get_logger().error(result.message)

    def _on_parameter(self, name: str, value: float) -> None:
        if name == 'wait_timeout':
            self._wait_timeout = value
        else:
            self._progress.set_period(value)

    def _on_timer(self) -> None:
        self._swapping.agents.poll()
        if self.result is not None:
            return
        now = time.monotonic()
        silence = now - self._heard
        if self._finished_since is not None and now - self._finished_since > RESULT_DELAY:
            self._finish_by_status()
        elif self._wait_timeout and silence > self._wait_timeout:
            if not self._was_answered and self._is_environment_there():
                # It compiles, which takes long the first time; it says so itself.
                self._heard = now
                return
            name = self.resolve_service_name(PLAY_MATCHES)
            self._fail(f'no environment answered at {name} for {self._wait_timeout:g} s')
        elif not self._was_answered:
            # After a refusal, too: see `_on_answer`.
            has_time_to_answer = now - self._asked < AWAY
            if self._client.server_is_ready() and not has_time_to_answer:
                self._ask()
        elif self._may_have_restarted and self._status is not None:
            self._may_have_restarted = False
            # One with a journal resumes on its own. Only one without is asked again.
            if self._status.tick <= 1 and self._status.finished_episodes == 0:
                self._ask()

    def _is_environment_there(self) -> bool:
        """Tell whether an environment is on the graph, though it may not answer yet."""
        nodes = self.get_node_names_and_namespaces()
        return (ENVIRONMENT_NODE, self.get_namespace()) in nodes

    def _ask(self) -> None:
        self._asked = self._heard = time.monotonic()
        goal = PlayMatches.Goal(episodes=self._episodes, seed=self._seed)
        self._client.send_goal_async(goal, self._on_feedback).add_done_callback(self._on_answer)

    def _on_answer(self, future: Any) -> None:
        goal = future.result()
        self._heard = time.monotonic()
        if not goal.accepted and not self._was_answered and self._is_unbegun():
            # It is configured, but not active yet: it is asked again.
            return
        is_first = not self._was_answered
        self._was_answered = True
        if goal.accepted:
            self.get_logger().info(f'the environment plays {self._episodes:,} episodes')
            # What was heard before is of no interest.
            self._is_playing = False
            self._status = None
            self._finished_since = None
            self._goal = goal
            goal.get_result_async().add_done_callback(self._on_result)
        elif is_first:
            # It resumes what was requested before it was killed, or another client asked.
            self.get_logger().warning(
                'the environment is busy with an earlier request; following it'
            )

    def _is_unbegun(self) -> bool:
        """Tell whether nothing says that the environment has played anything."""
        status = self._status
        if status is None:
            return True
        is_idle = status.phase in (Status.PHASE_UNKNOWN, Status.PHASE_PAUSED)
        return is_idle and status.tick <= 1 and status.finished_episodes == 0

    def _on_feedback(self, message: Any) -> None:
        if self._is_playing:
            feedback = message.feedback
            self._progress.show(feedback.finished_episodes, feedback.step_rate)

    def _describe_wait(self) -> str:
        """Return what the match waits for; the environment knows it best."""
        if self.result is not None:
            return ''
        if not self._was_answered:
            if self._is_environment_there():
                return 'the environment to get ready'
            return f'an environment at {self.resolve_service_name(PLAY_MATCHES)}'
        if self._status is None or self._status.phase != Status.PHASE_WAITING:
            return ''
        return str(self._status.message).removeprefix('waiting for ')

    def _on_result(self, future: Any) -> None:
        self.is_cancelled = future.result().status == GoalStatus.STATUS_CANCELED
        result = future.result().result
        elapsed = result.elapsed.sec + 1e-9 * result.elapsed.nanosec
        self.finish(
            MatchResult(
                is_success=result.success,
                message=one_line(result.message),
                episodes=result.finished_episodes,
                steps=result.steps,
                seconds=elapsed,
                roles=_role_results(result.roles),
            )
        )

    def _on_status(self, status: Status) -> None:
        now = time.monotonic()
        silence, self._heard = now - self._heard, now
        self._status = status
        if not self._was_answered or self.result is not None:
            return
        if silence > AWAY:
            if self._is_playing:
                self.get_logger().warning(f'the environment was silent for {silence:.1f} s')
            self._may_have_restarted = True
        if status.phase == Status.PHASE_PLAYING and not self._is_playing:
            # As the environment counts it: from the first tick.
            self._is_playing = True
            self._started = now
        if status.phase == Status.PHASE_PLAYING:
            self._progress.show(status.finished_episodes, status.step_rate)
        is_over = status.phase == Status.PHASE_FAILED or (
            status.phase == Status.PHASE_FINISHED and status.finished_episodes > 0
        )
        rivals = find_rivals(self, STATUS) if is_over else ''
        if rivals:
            # One of them may be forged. The result of the action is not.
            self.get_logger().error(f'{rivals}: its result is not used', throttle_duration_sec=2.0)
        if not is_over or rivals:
            self._finished_since = None
        elif self._finished_since is None:
            self._finished_since = now

    def _finish_by_status(self) -> None:
        status = self._status
        assert status is not None
        has_failed = status.phase == Status.PHASE_FAILED
        self.finish(
            MatchResult(
                is_success=not has_failed,
                message=one_line(status.message or 'the match has failed') if has_failed else '',
                episodes=status.finished_episodes,
                steps=status.steps,
                seconds=time.monotonic() - self._started,
                roles=_role_results(status.roles),
            )
        )

    def _fail(self, reason: str) -> None:
        seconds = time.monotonic() - self._started
        self.finish(MatchResult(False, reason, 0, 0, seconds, ()))


class _Executor(MultiThreadedExecutor):  # type: ignore[misc]
    """Leaves no callback to its threads when it ends: the node would be gone under them."""

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Wait for what runs, and for what waits for a thread."""
        self._executor.shutdown(wait=True)
        return bool(super().shutdown(timeout_sec))


def _role_results(roles: list[RoleStatus]) -> tuple[RoleResult, ...]:
    return tuple(
        RoleResult(
            role=one_line(role.role),
            agent=one_line(role.agent),
            wins=role.wins,
            draws=role.draws,
            losses=role.losses,
            mean_goal=None if math.isnan(role.mean_goal) else role.mean_goal,
            strikes=role.strikes,
        )
        for role in roles
    )


def main() -> int:
    """Run the node; return 0 if all episodes were played, or it was stopped or called off."""
    node = run_node.run(
        MatchNode,
        lambda node: node.result is not None,
        # Swaps take seconds, and have a thread of their own.
        executor=lambda context: _Executor(num_threads=2, context=context),
    )
    if node.result is None or node.is_cancelled:
        return 0
    return 0 if node.result.is_success else 1
