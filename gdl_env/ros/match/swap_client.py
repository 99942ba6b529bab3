"""Asks a running match for another agent."""

from __future__ import annotations

from time import monotonic

from gdl_msgs.srv import Swap
import rclpy
from rclpy.executors import SingleThreadedExecutor

from gdl_env.errors import GdlError
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.liveliness import shorten_lease
from gdl_env.ros.transport.names import SWAP

_TYPE = 'gdl_msgs/srv/Swap'
# Time for nodes to find each other [s], and between two looks.
_DISCOVERY = 10.0
_PERIOD = 0.05


class NoMatchError(GdlError):
    """There is no match whose agents could be swapped, or there are several."""


def swap(role: str, agent: str, namespace: str | None, seconds: float) -> Swap.Response:
    """Have another agent play a role of a match; the only one, if its namespace is not given.

    Raises NoMatchError if there is none, several, or no answer in time.
    """
    shorten_lease()
    rclpy.init(args=[])
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
        end = monotonic() + seconds
        while not future.done() and monotonic() < end:
            executor.spin_once(timeout_sec=_PERIOD)
        if not future.done():
            raise NoMatchError(f'{name} did not answer within {seconds:g} s')
        return future.result()
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()


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
