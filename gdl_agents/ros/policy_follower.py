"""Lets the node of a trained agent follow a learner: it plays each policy as it is published."""

from __future__ import annotations

from collections.abc import Callable

from gdl_msgs.msg import Policy

from gdl_agents.agent import Agent
from gdl_agents.learning.alphazero.agent import AlphaZeroAgent
from gdl_agents.learning.dqn.trained_agent import TrainedAgent
from gdl_agents.learning.training.threads import use_threads
from gdl_agents.registry import LoadedAgent
from gdl_agents.ros.level_services import LevelServices
from gdl_agents.ros.policy_agent import PolicyAgent
from gdl_agents.ros.policy_message import from_policy
from gdl_env.environment.protocol import Question
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

    def __init__(
        self, node: RosNode, loaded: LoadedAgent, answer: Callable[[Question], None]
    ) -> None:
        """Open the agent; questions that had to wait go to `answer`. Raises GdlError."""
        values = declare(node, FOLLOWER)
        self._node = node
        self._answer = answer
        self._topic: str = values['follow']
        self._is_waiting = bool(values['wait'] and self._topic)
        self._held: dict[str, Question] = {}
        self._last_complaint = ''
        self.agent: Agent
        if self._topic:
            first = loaded.open() if loaded.chosen.detail else None
            self._policy_agent = PolicyAgent(first, values['epsilon'])
            self.agent = self._policy_agent
            follow(node, FOLLOWER, lambda _, value: self._policy_agent.set_epsilon(value))
            listen = guard(node, self._topic, self._on_policy)
            node.create_subscription(Policy, self._topic, listen, policy_qos())
        else:
            self.agent = loaded.open()
        use_threads(1)
        if isinstance(self.agent, TrainedAgent | AlphaZeroAgent):
            self._levels = LevelServices(node, self.agent)

    def hold(self, question: Question) -> bool:
        """Keep a question until the first policy arrives; return whether it has to wait."""
        if self._is_waiting:
            self._held[question.role] = question
        return self._is_waiting

    def _on_policy(self, message: Policy) -> None:
        """Play by the latest. A learner that started again counts from 0: that is newer, too."""
        if rivals := find_rivals(self._node, self._topic, is_lenient=True):
            self._complain(f'{rivals}: no policy is accepted')
            return
        try:
            self._policy_agent.take(from_policy(message), message.version)
        except GdlError as error:
            self._complain(f'the policy on {self._topic}: {one_line(str(error))}')
            return
        self._node.get_logger().debug(f'plays by version {message.version}')
        self._is_waiting = False
        held, self._held = self._held, {}
        for question in held.values():
            self._answer(question)

    def _complain(self, reason: str) -> None:
        """Log an error, but not the same one again and again."""
        if reason != self._last_complaint:
            self._last_complaint = reason
            self._node.get_logger().error(reason)
