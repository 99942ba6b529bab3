"""Announces the joint moves of a match, where the game hides nothing."""

from __future__ import annotations

import array

from gdl_msgs.msg import JointMoves

from gdl_env.environment.environment import Environment
from gdl_env.environment.move_log import MoveLog
from gdl_env.ros.environment.stamps import Stamps
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.messages import to_time
from gdl_env.ros.transport.names import MOVES
from gdl_env.ros.transport.qos import moves_qos


class MoveAnnouncer:
    """Publishes `moves`. Moves are only collected while that topic has subscribers: it takes time.

    Before a match is played they are collected in any case: what chance has done by then is also
    for subscribers that come while agents are awaited. Where moves or facts are hidden there is no
    such topic: roles learn of moves by what they see.
    """

    def __init__(self, node: RosNode, environment: Environment, stamps: Stamps) -> None:
        self._node = node
        self._lanes = environment.game
        self._stamps = stamps
        self._is_playing = False
        self._publisher = None
        if not environment.hides_moves:
            self._publisher = node.create_publisher(JointMoves, MOVES, moves_qos())
        self.follow()

    def set_playing(self, *, is_playing: bool) -> None:
        """Set whether a match is played; called between ticks."""
        self._is_playing = is_playing
        self.follow()

    def follow(self) -> None:
        """Collect the moves of the next tick, if that is of use."""
        is_heard = self._publisher is not None and self._publisher.get_subscription_count()
        if self._publisher is None or (self._is_playing and not is_heard):
            self._lanes.move_log = None
        elif self._lanes.move_log is None:
            self._lanes.move_log = MoveLog(self._lanes.roles)

    def publish(self, tick: int) -> None:
        """Publish what was collected."""
        if self._publisher is None or self._lanes.move_log is None:
            return
        moves = self._lanes.move_log.take()
        if moves and self._publisher.get_subscription_count():
            message = JointMoves(tick=tick, roles=list(map(str, self._lanes.roles)))
            message.header.stamp = to_time(self._stamps.stamp('', tick))
            message.episode = array.array('Q', [step.episode for step in moves])
            message.move = [text for step in moves for text in step.moves]
            self._publisher.publish(message)

    def close(self) -> None:
        """Take the topic off the graph."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)
