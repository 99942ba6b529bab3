"""The games of a match that pages ask for: by its action, one request at a time."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from gdl_msgs.action import PlayMatches
from rclpy.action import ActionClient

from gdl_env.ros.gui.errors import GuiError
from gdl_env.ros.gui.match_link import MatchLink
from gdl_env.ros.gui.ros_thread import RosThread

# How long an environment is looked for [s], and how often.
_LOOK = 0.05
_LOOKS = 200
_CANCELLING = 1.0


class Games:
    """Asks for games; those it asked for before are called off. Lives in the thread of ROS."""

    def __init__(self, node: Any, link: MatchLink) -> None:
        self._node = node
        self._client = ActionClient(node, PlayMatches, link.name('play_matches'))
        self._handle: Any = None
        self._timer: Any = None

    def ask(self, ros: RosThread, episodes: int) -> Future[None]:
        """Ask for games from a fresh start; the future fails with GuiError if that is refused."""
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()
        ros.do(lambda: self._look(done, episodes, _LOOKS))
        return done

    def close(self) -> None:
        """Leave the graph; what was asked for goes on."""
        self._client.destroy()

    def _look(self, done: Future[None], episodes: int, looks: int) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        if self._client.server_is_ready():
            self._call_off(done, episodes)
        elif looks:
            self._timer = self._node.create_timer(
                _LOOK, lambda: self._look(done, episodes, looks - 1)
            )
        else:
            done.set_exception(GuiError('the environment does not answer'))

    def _call_off(self, done: Future[None], episodes: int) -> None:
        handle, self._handle = self._handle, None
        if handle is None:
            self._send(done, episodes)
            return

        def go_on(_: Any = None) -> None:
            if self._timer is not None:
                self._node.destroy_timer(self._timer)
                self._timer = None
                self._send(done, episodes)

        # Who was asked before may be gone, and never answers.
        self._timer = self._node.create_timer(_CANCELLING, go_on)
        handle.cancel_goal_async().add_done_callback(go_on)

    def _send(self, done: Future[None], episodes: int) -> None:
        goal = PlayMatches.Goal(episodes=episodes, seed=-1)

        def on_answer(future: Any) -> None:
            handle = future.result()
            if handle.accepted:
                self._handle = handle
                handle.get_result_async().add_done_callback(lambda _: self._forget(handle))
                done.set_result(None)
            else:
                done.set_exception(
                    GuiError('the environment refused: other games are being played')
                )

        self._client.send_goal_async(goal).add_done_callback(on_answer)

    def _forget(self, handle: Any) -> None:
        if self._handle is handle:
            self._handle = None
