"""Asks a running match for another agent."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from gdl_msgs.srv import Swap
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from gdl_env.errors import GdlError
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.liveliness import shorten_lease
from gdl_env.ros.transport.names import SWAP

_TYPE = 'gdl_msgs/srv/Swap'
# Time for nodes to find each other [s], and between two looks.
_DISCOVERY = 10.0
_PERIOD = 0.05
# An agent that is not ready after this time [s] may be compiling: worth a line.
_PATIENCE = 3.0


class NoMatchError(GdlError):
    """There is no match whose agents could be swapped, or there are several."""


def swap(
    role: str,
    agent: str,
    namespace: str | None,
    seconds: float,
    on_wait: Callable[[], None] = lambda: None,
) -> Swap.Response:
    """Have another agent play a role of a match; the only one, if its namespace is not given.

    `on_wait` is called once if the agent takes a while to get ready. Raises NoMatchError if there
    is no match, several, or no answer in time.
    """
    shorten_lease()
    # Signals end it as they end every command; rclpy would raise an exception at SIGTERM.
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('gdl_swap')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        name = _find_service(node, executor, namespace)
        client = node.create_client(Swap, name)
        end = monotonic() + _DISCOVERY
        while not client.service_is_ready() and monotonic() < end:
            executor.spin_once(timeout_sec=_PERIOD)
        future = client.call_async(Swap.Request(role=role, agent=agent))
        _wait(executor, future, min(seconds, _PATIENCE))
        if not future.done():
            on_wait()
            _wait(executor, future, seconds - _PATIENCE)
        if not future.done():
            raise NoMatchError(f'{name} did not answer within {seconds:g} s')
        return future.result()
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()


def _wait(executor: SingleThreadedExecutor, future: Future, seconds: float) -> None:
    end = monotonic() + seconds
    while not future.done() and monotonic() < end:
        executor.spin_once(timeout_sec=_PERIOD)


def _find_service(node: RosNode, executor: SingleThreadedExecutor, wanted: str | None) -> str:
    """Return the name of the service. Raises NoMatchError."""
    name = None
    if wanted is not None:
        name = '/'.join(['', *filter(None, wanted.split('/')), SWAP])
    end = monotonic() + _DISCOVERY
    found: list[str] = []
    while monotonic() < end:
        executor.spin_once(timeout_sec=_PERIOD)
        found = sorted(
            service
            for service, types in node.get_service_names_and_types()
            if _TYPE in types and name in (None, service)
        )
        if found:
            break
    if len(found) == 1:
        return found[0]
    if found:
        spaces = ', '.join(service.removesuffix(SWAP).rstrip('/') or '/' for service in found)
        raise NoMatchError(f'several matches are running: {spaces}; name one with --namespace')
    raise NoMatchError(
        f'no match offers {name or SWAP}: match_node does, which launches start. Without it, start'
        ' the new agent yourself; it waits as a stand-by until the old one ends'
    )
