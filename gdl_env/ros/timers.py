"""Timers in wall-clock time: a match continues while simulated time stands still."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType

from gdl_env.ros.node_protocol import RosNode

_STEADY = Clock(clock_type=ClockType.STEADY_TIME)


def create_timer(node: RosNode, period: float, callback: Callable[[], object]) -> Any:
    """Return a timer that calls back every `period` seconds, whatever `use_sim_time` says."""
    return node.create_timer(period, callback, clock=_STEADY)
