"""Agents that play what was learned, or is being learned: from a run, or from a policy."""

from __future__ import annotations

from functools import partial

from gdl_msgs.msg import Policy

from gdl_agents.agent import Agent
from gdl_agents.learning.threads import use_threads
from gdl_agents.learning.trained_agent import TrainedAgent
from gdl_agents.registry import open_agent
from gdl_agents.ros.agent_node import AgentNode
from gdl_agents.ros.learner_parameters import POLICY
from gdl_agents.ros.level_services import LevelServices
from gdl_agents.ros.policy_agent import PolicyAgent
from gdl_agents.ros.policy_message import from_policy
from gdl_env.environment.exchange import Question
from gdl_env.errors import GdlError
from gdl_env.ros.match_parameters import declare
from gdl_env.ros.qos import policy_qos


class PolicyNode(AgentNode):
    """Plays from a run (`detail`); with `follow`, by each policy that comes on that topic.

    An agent that follows may have no detail: until the first one comes it plays at random, or
    waits for it.
    """

    def __init__(self, name: str) -> None:
        """Make the agent. Raises GdlError if there is nothing to play from."""
        self._follow = ''
        self._is_waiting = False
        self._held: dict[str, Question] = {}
        super().__init__(name)
        use_threads(1)
        if self._follow:
            self.create_subscription(Policy, self._follow, self._on_policy, policy_qos())
        if isinstance(self.agent, TrainedAgent):
            self._levels = LevelServices(self, self.agent)

    def _open(self, name: str, detail: str) -> Agent:
        values = declare(self, POLICY)
        self._follow = values['follow']
        self._is_waiting = values['wait'] and bool(self._follow)
        if not self._follow:
            return open_agent(name, detail)
        return PolicyAgent(open_agent(name, detail) if detail else None, values['epsilon'])

    def _answer(self, question: Question) -> None:
        if self._is_waiting:
            self._held[question.role] = question
        else:
            super()._answer(question)

    def _on_policy(self, message: Policy) -> None:
        """Take what came last. A learner that started again counts from 0: that is newer, too."""
        assert isinstance(self.agent, PolicyAgent)
        try:
            self.agent.take(from_policy(message), message.version)
        except GdlError as error:
            self._complain(f'the policy on {self._follow}: {error}')
            return
        self.get_logger().debug(f'plays by version {message.version}')
        self._is_waiting = False
        held, self._held = self._held, {}
        for question in held.values():
            self._guard(partial(self._answer, question))
