"""Tells a match how far a learner that watches it has come, so that it does not run ahead."""

from __future__ import annotations

import array
from collections.abc import Sequence

from std_msgs.msg import MultiArrayDimension, UInt64MultiArray

from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import CREDIT
from gdl_env.ros.transport.qos import credit_qos

# Ticks that are taken in before the match hears of it.
_STEP = 8


class CreditGiver:
    """Publishes `credit` for a match: the last tick of each role, cohort after cohort."""

    def __init__(self, node: RosNode, name: str, prefix: str) -> None:
        """Join; the name is that of the learner's node, the prefix that of the match's topics."""
        self._name = name
        self._publisher = node.create_publisher(
            UInt64MultiArray, f'{prefix}{CREDIT}', credit_qos()
        )
        self._given: list[int] = []

    def begin(self) -> None:
        """Have the match count from where it is: the learner listens now, perhaps again."""
        self._given = []
        self._publish([])

    def give(self, taken: Sequence[int], *, is_due: bool) -> None:
        """Publish how far the learner has come, if that is much further, or due."""
        if len(taken) == len(self._given):
            ahead = sum(taken) - sum(self._given)
            if not ahead or (ahead < _STEP * len(taken) and not is_due):
                return
        elif not any(taken):
            # Nothing of it is known: the match counts from where it was.
            return
        self._given = list(taken)
        self._publish(taken)

    def _publish(self, taken: Sequence[int]) -> None:
        message = UInt64MultiArray(data=array.array('Q', taken))
        message.layout.dim = [MultiArrayDimension(label=self._name, size=len(taken), stride=1)]
        self._publisher.publish(message)
