"""Lets the node of a trained agent follow a learner: it plays each policy as it is published."""

from __future__ import annotations

from collections.abc import Callable

from gdl_msgs.msg import Policy

from gdl_agents.agent import Agent
from gdl_agents.learning.alphazero.agent import AlphaZeroAgent
from gdl_agents.learning.dqn.trained_agent import TrainedAgent
from gdl_agents.learning.trained_models import AnyModel
from gdl_agents.learning.training.threads import use_threads
from gdl_agents.registry import LoadedAgent
from gdl_agents.ros.learning.level_services import LevelServices
from gdl_agents.ros.learning.policy_agent import PolicyAgent
from gdl_agents.ros.learning.policy_message import from_policy
from gdl_env.errors import GdlError
from gdl_env.ros.declaring import declare, follow
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.parameters import FOLLOWER
from gdl_env.ros.transport.qos import policy_qos
from gdl_env.ros.transport.sources import find_rivals, guard
from gdl_env.ros.transport.texts import one_line


class PolicyFollower:
    """Opens the agent of a run, or with `follow` one that plays each policy on that topic.

    An agent that follows needs no detail: until the first policy arrives it plays at random, or,
    with `wait`, not at all.
    """

    def __init__(self, node: RosNode, loaded: LoadedAgent) -> None:
        """Open the agent. Raises GdlError."""
        values = declare(node, FOLLOWER)
        self._node = node
        self._loaded = loaded
        self._topic: str = values['follow']
        self._is_waiting = bool(values['wait'] and self._topic)
        # What answers questions once there is a policy, by cohort and role.
        self._held: dict[tuple[int, str], Callable[[], None]] = {}
        self._last_complaint = ''
        self._epsilon: float = values['epsilon']
        # One for each cohort, and the policy that all play by.
        self._policy_agents: list[PolicyAgent] = []
        self._leveled: list[TrainedAgent | AlphaZeroAgent] = []
        self._newest: tuple[AnyModel, int] | None = None
        self.agent = self.open_again()
        if self._topic:
            follow(node, FOLLOWER, lambda _, value: self._set_epsilon(value))
            listen = guard(node, self._topic, self._on_policy)
            node.create_subscription(Policy, self._topic, listen, policy_qos())
        use_threads(1)
        if self._leveled:
            self._levels = LevelServices(node, self._leveled)

    def open_again(self) -> Agent:
        """Open the agent of another cohort. Raises GdlError."""
        if not self._topic:
            opened = self._loaded.open()
            if isinstance(opened, TrainedAgent | AlphaZeroAgent):
                self._leveled.append(opened)
            return opened
        first = self._loaded.open() if self._loaded.chosen.detail else None
        agent = PolicyAgent(first, self._epsilon)
        if self._newest is not None:
            agent.take(*self._newest)
        self._policy_agents.append(agent)
        return agent

    def hold(self, answer: Callable[[], None], place: tuple[int, str]) -> bool:
        """Keep a question until the first policy arrives; return whether it has to wait.

        `place` is its cohort and role: a newer one replaces it.
        """
        if self._is_waiting:
            self._held[place] = answer
        return self._is_waiting

    def _on_policy(self, message: Policy) -> None:
        """Play by the latest. A learner that started again counts from 0: that is newer, too."""
        if rivals := find_rivals(self._node, self._topic, is_lenient=True):
            self._complain(f'{rivals}: no policy is accepted')
            return
        try:
            newest = from_policy(message), int(message.version)
            for agent in self._policy_agents:
                agent.take(*newest)
        except GdlError as error:
            self._complain(f'the policy on {self._topic}: {one_line(str(error))}')
            return
        self._node.get_logger().debug(f'plays by version {message.version}')
        self._newest = newest
        self._is_waiting = False
        held, self._held = self._held, {}
        for answer in held.values():
            answer()

    def _set_epsilon(self, value: float) -> None:
        self._epsilon = value
        for agent in self._policy_agents:
            agent.set_epsilon(value)

    def _complain(self, reason: str) -> None:
        """Log an error, but not the same one again and again."""
        if reason != self._last_complaint:
            self._last_complaint = reason
            self._node.get_logger().error(reason)
