"""The turn rules by name; what they mean is in turn_order.py, which needs numba."""

from __future__ import annotations

ROTATE, PRIORITY, RANDOM, FIRST = 'rotate', 'priority', 'random', 'first'
NAMED = (ROTATE, PRIORITY, RANDOM, FIRST)
