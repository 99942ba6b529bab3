"""Agents that use the graph beside their questions: they ask other nodes to do something."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import rclpy
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError, LateError

# Nodes find each other within this time, and may compile a game before they take a goal [s].
_PATIENCE = 120.0
_PERIOD = 0.05
# Between two tries of a goal that was refused [s].
_PAUSE = 0.5


class GraphAgent(Agent):
    """An agent that plays in a node, and can have actions of other nodes carried out.

    Its own node answers questions one at a time; so a second node, beside it, waits for actions.
    """

    wants_text = True

    def __init__(self) -> None:
        self._context: Context | None = None
        self._node: Node | None = None
        self._executor: Any = None
        self._clients: dict[str, ActionClient] = {}

    def join(self, name: str, namespace: str, context: Context) -> None:
        """Join the graph. The node of an agent calls this before the first match."""
        self._context = context
        self._node = rclpy.create_node(
            f'{name}_actions', namespace=namespace, context=context, use_global_arguments=False
        )
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)

    def leave(self) -> None:
        """Leave the graph."""
        if self._node is not None:
            self._executor.shutdown()
            self._node.destroy_node()
            self._node = None

    def carry_out(
        self,
        action: Any,
        name: str,
        goal: Any,
        on_feedback: Callable[[Any], None],
        seconds: float = 0.0,
    ) -> Any:
        """Have an action carried out, and return its result.

        Raises AgentError if no node takes the goal, LateError after `seconds` (0: never).
        """
        if self._node is None:
            raise AgentError(f'agent {self.name!r} needs the graph: use gdl launch robot')
        end = monotonic() + seconds if seconds else float('inf')
        handle = self._send(action, name, goal, on_feedback, min(end, monotonic() + _PATIENCE))
        found = handle.get_result_async()
        try:
            self._spin(found, end)
        except BaseException:
            # Whoever stops waiting does not want the rest.
            handle.cancel_goal_async()
            self._executor.spin_once(timeout_sec=_PERIOD)
            raise
        return found.result().result

    def _send(
        self, action: Any, name: str, goal: Any, on_feedback: Callable[[Any], None], end: float
    ) -> Any:
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = ActionClient(self._node, action, name)
        while monotonic() < end:
            if client.server_is_ready():
                sent = client.send_goal_async(
                    goal, feedback_callback=lambda message: on_feedback(message.feedback)
                )
                self._spin(sent, end)
                if sent.result().accepted:
                    return sent.result()
                self._pause()
            else:
                self._executor.spin_once(timeout_sec=_PERIOD)
        assert self._node is not None  # `carry_out` has checked it
        raise AgentError(
            f'no node takes goals of {self._node.get_namespace().rstrip("/")}/{name}; is it'
            ' running, and ready for this game?'
        )

    def _pause(self) -> None:
        end = monotonic() + _PAUSE
        while monotonic() < end:
            self._executor.spin_once(timeout_sec=_PERIOD)

    def _spin(self, future: Future, end: float) -> None:
        while not future.done():
            if monotonic() >= end:
                raise LateError(f'{self.name}: the time was up before the action had ended')
            self._executor.spin_once(timeout_sec=_PERIOD)
