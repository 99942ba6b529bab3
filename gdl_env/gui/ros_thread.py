"""ROS in a thread of its own, beside the loop of the web server."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
import threading
from time import monotonic
from typing import Any, TypeVar

from gdl_env.gui.errors import GuiError
from gdl_env.gui.texts import TextError, text
from gdl_env.ros.node_protocol import GraphNode
from gdl_env.ros.run_node import open_executor

T = TypeVar('T')
NOT_OFFERED = 'trouble.no_service'
# Between two looks at the work that others have for this thread [s].
_PERIOD = 0.01
# Services and actions answer within this time, or do not [s].
_PATIENCE = 5.0
# What is done in the thread of ROS is done within this time, however busy the machine is [s].
_BUSY = 30.0
# How often a service is polled [s], and how many times at most.
_POLL_PERIOD = 0.05
_MOST_POLLS = 40
# Polls after which an answer is no longer expected.
_WAITS = 200


class RosThread:
    """Spins a node. Whatever is made or destroyed on the node is made here, by `do`."""

    def __init__(self, node: GraphNode) -> None:
        self.node = node
        self._work: deque[Callable[[], None]] = deque()
        # Polled here: the executor looks at every timer of a node at every event.
        self._calls: list[_Call] = []
        self._next_poll = 0.0
        self._is_open = True
        self._executor = open_executor(node.context)
        self._executor.add_node(node)
        self._thread = threading.Thread(target=self._spin, name='ros', daemon=True)
        self._thread.start()

    def do(self, work: Callable[[], T]) -> Future[T]:
        """Have something done in the thread of ROS; what it raises is in the future."""
        future: Future[T] = Future()

        def run() -> None:
            # Who asked may have given up waiting; from here on it cannot.
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)

        if threading.current_thread() is self._thread:
            run()
        else:
            self._work.append(run)
        return future

    def call(self, kind: Any, name: str, request: Any) -> Future[Any]:
        """Ask a service; the future fails with GuiError if no node offers it, or answers."""
        answer: Future[Any] = Future()
        # It cannot be cancelled: a caller that stops waiting ignores the answer.
        answer.set_running_or_notify_cancel()

        def ask() -> None:
            try:
                self._calls.append(_Call(self.node, kind, name, request, answer))
            # No such name can be, for one.
            except Exception as error:
                answer.set_exception(error)

        self.do(ask)
        return answer

    async def ask(self, kind: Any, name: str, request: Any) -> Any:
        """Ask a service and return its answer. Raises GuiError if there is none, or a refusal."""
        answer = await self.wait(self.call(kind, name, request))
        if not answer.success:
            raise GuiError(getattr(answer, 'message', '') or text('trouble.refused', service=name))
        return answer

    async def run(self, work: Callable[[], T]) -> T:
        """Have something done in the thread of ROS. Raises what it raises, or GuiError."""
        return await self.wait(self.do(work), _BUSY)

    async def wait(self, future: Future[T], seconds: float = _PATIENCE) -> T:
        """Wait for an answer. Raises GuiError if there is none in time."""
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds)
        except asyncio.TimeoutError:
            raise TextError('trouble.no_answer', seconds=f'{seconds:g}') from None

    def close(self) -> None:
        """Stop spinning; the node is the caller's to destroy."""
        self._is_open = False
        self._thread.join(_PATIENCE)
        self._executor.remove_node(self.node)
        self._executor.shutdown()

    def _spin(self) -> None:
        while self._is_open and self.node.context.ok():
            while self._work:
                self._work.popleft()()
            self._poll_calls()
            try:
                self._executor.spin_once(timeout_sec=_PERIOD)
            # A callback that fails must not end the page of everybody.
            except Exception as error:
                self.node.get_logger().error(f'{type(error).__name__}: {error}')

    def _poll_calls(self) -> None:
        if self._calls and monotonic() >= self._next_poll:
            self._next_poll = monotonic() + _POLL_PERIOD
            for call in self._calls:
                call.poll()
            self._calls = [call for call in self._calls if not call.is_done]


class _Call:
    """One question to a service: waits until the service is found, asks, and goes away."""

    def __init__(
        self, node: GraphNode, kind: Any, name: str, request: Any, answer: Future[Any]
    ) -> None:
        self._node = node
        self._name = name
        self._request = request
        self._answer = answer
        self._polls = 0
        self._is_asked = False
        self._client = node.create_client(kind, name)
        # One that was just made may not have found its service yet: it is polled again.
        self.poll()

    @property
    def is_done(self) -> bool:
        """Tell whether it was answered, or has failed."""
        return self._answer.done()

    def poll(self) -> None:
        """Ask once the service is there; give up after a while. To be called periodically."""
        if self.is_done:
            return
        self._polls += 1
        if self._is_asked:
            if self._polls > _WAITS:
                # The server is gone: callers must not wait for ever.
                self._fail('trouble.silent_service')
        elif self._client.service_is_ready():
            self._is_asked = True
            self._polls = 0
            self._client.call_async(self._request).add_done_callback(self._on_answer)
        elif self._polls > _MOST_POLLS:
            self._fail(NOT_OFFERED)

    def _on_answer(self, future: Any) -> None:
        if self._answer.done():
            return
        try:
            self._answer.set_result(future.result())
        except Exception as error:
            self._answer.set_exception(error)
        self._close()

    def _fail(self, key: str) -> None:
        self._answer.set_exception(TextError(key, service=self._name))
        self._close()

    def _close(self) -> None:
        self._node.destroy_client(self._client)
