"""Games that pages request of a match: by its action, one request at a time."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from gdl_msgs.action import PlayMatches
from rclpy.action import ActionClient

from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.ros_thread import RosThread
from gdl_env.gui.texts import TextError
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.timers import create_timer
from gdl_env.ros.transport.names import PLAY_MATCHES

# How often an environment is polled [s], and how many times at most.
_POLL_PERIOD = 0.05
_MOST_POLLS = 200
_CANCELLING = 1.0


class Games:
    """Requests games, and cancels those requested before. Lives in the ROS thread."""

    def __init__(self, node: GraphNode, link: MatchLink) -> None:
        self._node = node
        self._client = ActionClient(node, PlayMatches, link.name(PLAY_MATCHES))
        self._handle: Any = None
        self._timer: Any = None

    def ask(self, ros: RosThread, episodes: int) -> Future[None]:
        """Request games from a fresh start; the future fails with GuiError if they are refused."""
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()
        ros.do(lambda: self._poll_action(done, episodes, _MOST_POLLS))
        return done

    def call_off(self) -> bool:
        """Cancel the games that were requested; tell whether there were any."""
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.cancel_goal_async()
        return handle is not None

    def close(self) -> None:
        """Leave the graph; the games that were requested continue."""
        self._client.destroy()

    def _poll_action(self, done: Future[None], episodes: int, polls: int) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        if self._client.server_is_ready():
            self._call_off(done, episodes)
        elif polls:
            self._timer = create_timer(
                self._node, _POLL_PERIOD, lambda: self._poll_action(done, episodes, polls - 1)
            )
        else:
            done.set_exception(TextError('trouble.no_environment'))

    def _call_off(self, done: Future[None], episodes: int) -> None:
        handle, self._handle = self._handle, None
        if handle is None:
            self._send(done, episodes)
            return

        def send(_: Any = None) -> None:
            if self._timer is not None:
                self._node.destroy_timer(self._timer)
                self._timer = None
                self._send(done, episodes)

        # The environment that was asked before may be gone, and never answer.
        self._timer = create_timer(self._node, _CANCELLING, send)
        handle.cancel_goal_async().add_done_callback(send)

    def _send(self, done: Future[None], episodes: int) -> None:
        goal = PlayMatches.Goal(episodes=episodes, seed=-1)

        def on_answer(future: Any) -> None:
            handle = future.result()
            if handle.accepted:
                self._handle = handle
                handle.get_result_async().add_done_callback(lambda _: self._forget(handle))
                done.set_result(None)
            else:
                done.set_exception(TextError('trouble.other_games'))

        self._client.send_goal_async(goal).add_done_callback(on_answer)

    def _forget(self, handle: Any) -> None:
        if self._handle is handle:
            self._handle = None
