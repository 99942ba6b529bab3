"""Run a node until it is done, or stopped by a signal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
import gc
import os
from pathlib import Path
import signal
import sys
from types import FrameType
from typing import Any, NoReturn, TypeVar

import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from gdl_env.ros.declaring import ParameterError
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.liveliness import shorten_lease
from gdl_env.ros.transport.shared_memory import remove_abandoned_segments

# How often `until` and signals are looked at while nothing happens. The executor of events must be
# given a finite time: without one it never dispatches.
_PERIOD = 0.1
# Objects after which garbage is looked for; Python's own 700 are made in a few ticks.
_GARBAGE = 20_000

N = TypeVar('N', bound=RosNode)


class _Stop:
    """Whether the end was requested, and whether it may interrupt what is running."""

    is_requested = False
    may_interrupt = False


_stop = _Stop()


def run(
    make: Callable[[], N],
    until: Callable[[N], bool] = lambda node: False,
    *,
    args: Sequence[str] | None = None,
    finish: Callable[[N], None] = lambda node: None,
    executor: Callable[[Any], Executor] | None = None,
) -> N:
    """Make a node, run it until it is done or SIGINT or SIGTERM comes, finish and destroy it.

    It is run by the quickest executor, unless another is named.

    Signals are not an error: the node is returned, with what it knows of its own success. A
    parameter with an impossible value ends the process, with 1 and a sentence.
    """
    shorten_lease()
    remove_abandoned_segments()
    with _signals():
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        try:
            node = make()
            # What is there stays: looking through it again and again for garbage would hold up
            # the node for as long as many a tick takes.
            gc.collect()
            gc.freeze()
            gc.set_threshold(_GARBAGE)
            try:
                spin(node, lambda: until(node), (executor or open_executor)(node.context))
            finally:
                gc.unfreeze()
                finish(node)
                node.destroy_node()
        except ParameterError as error:
            sys.exit(f'{Path(sys.argv[0]).name}: {error}')
        finally:
            rclpy.try_shutdown()
    return node


def leave(code: int) -> NoReturn:
    """End the process of a node that has run: everything is written, and off the graph.

    Python itself would first take apart what PyTorch and numba have built, which takes seconds.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def spin(node: RosNode, until: Callable[[], bool], executor: Executor) -> None:
    """Let a node work until `until` is true, its context is shut down, or a signal came."""
    executor.add_node(node)
    try:
        while not _stop.is_requested and not until() and node.context.ok():
            executor.spin_once(timeout_sec=_PERIOD)
    finally:
        executor.remove_node(node)
        executor.shutdown()


def open_executor(context: Any) -> Executor:
    """Return the quickest executor there is: the one of events, where this ROS has it."""
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)


def is_stopping() -> bool:
    """Tell whether a signal has asked the node to end."""
    return _stop.is_requested


class Interruptible:
    """Lets SIGINT and SIGTERM raise KeyboardInterrupt in its block, as while a person types."""

    def __enter__(self) -> None:
        """Begin. Raises KeyboardInterrupt if a signal came before."""
        if _stop.is_requested:
            raise KeyboardInterrupt
        _stop.may_interrupt = True

    def __exit__(self, *error: object) -> None:
        _stop.may_interrupt = False


@contextmanager
def _signals() -> Iterator[None]:
    """Take over SIGINT and SIGTERM; a node in the midst of a callback finishes it first."""
    _stop.is_requested = False
    before = {number: signal.signal(number, _on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _on_signal(number: int, frame: FrameType | None) -> None:
    _stop.is_requested = True
    if _stop.may_interrupt:
        raise KeyboardInterrupt
