"""One goal of an action at a time, carried out in a thread: arms and people take their time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse

from gdl_env.errors import GdlError
from gdl_env.ros.environment.goal_ending import end_goal
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.timers import create_timer

# How often the thread of the node passes on what the other one has to say [s].
_PERIOD = 0.05


@dataclass(frozen=True)
class RunningGoal:
    """A goal, for the thread that works on it."""

    goal: Any
    publish: Callable[[Any], None]

    @property
    def is_cancelled(self) -> bool:
        """Tell whether its end was asked for."""
        return bool(self.goal.is_cancel_requested)


# Does what a goal asks for, and returns its result.
Work = Callable[[RunningGoal], Any]


class GoalWorker:
    """Offers actions of which one goal is carried out at a time, whichever action it is of."""

    def __init__(self, node: RosNode, find_problem: Callable[[], str]) -> None:
        """`find_problem` says why goals cannot be taken now; '' if they can."""
        self._node = node
        self._find_problem = find_problem
        self._servers: list[ActionServer] = []
        self._goal: Any = None
        self._said: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread: Thread | None = None
        create_timer(node, _PERIOD, self._pass_on)

    @property
    def is_busy(self) -> bool:
        """Tell whether a goal is being carried out."""
        return self._goal is not None

    def offer(self, action: Any, name: str, work: Work) -> None:
        """Offer an action. What `work` raises as GdlError becomes the message of its result."""
        self._servers.append(
            ActionServer(
                self._node,
                action,
                name,
                execute_callback=lambda goal: action.Result(),
                goal_callback=lambda request: self._on_goal(name),
                handle_accepted_callback=lambda goal: self._begin(goal, action, work),
                cancel_callback=lambda goal: CancelResponse.ACCEPT,
            )
        )

    def _on_goal(self, name: str) -> GoalResponse:
        problem = 'another goal is being carried out' if self.is_busy else self._find_problem()
        if problem:
            self._node.get_logger().error(f'{name}: {problem}')
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _begin(self, goal: Any, action: Any, work: Work) -> None:
        self._goal = goal
        running = RunningGoal(goal, lambda told: self._said.put(lambda: self._publish(goal, told)))

        def carry_out() -> None:
            try:
                result = work(running)
            except GdlError as error:
                result = action.Result(success=False, message=str(error))
            # An executor may be anyone's code. The goal must end all the same.
            except Exception as error:
                text = f'{type(error).__name__}: {error}'
                result = action.Result(success=False, message=text)
            self._said.put(lambda: self._end(goal, result))

        # It may wait for an arm for ever; the node ends without it.
        self._thread = Thread(target=carry_out, daemon=True)
        self._thread.start()

    def _pass_on(self) -> None:
        """Say what there is to say: rclpy's objects are for the thread of the node."""
        while True:
            try:
                say = self._said.get_nowait()
            except Empty:
                return
            say()

    def _publish(self, goal: Any, told: Any) -> None:
        if goal.is_active:
            goal.publish_feedback(told)

    def _end(self, goal: Any, result: Any) -> None:
        self._goal = None
        if not result.success:
            self._node.get_logger().warning(result.message)
        end_goal(goal, result)
