"""Any agent as a node: takes questions from topics, publishes answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
import sys
import time
import traceback
from typing import TYPE_CHECKING, NoReturn

from gdl_msgs.msg import GameInfo, Reward, State
from rclpy.node import Node
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError, LateError, LeaveError, StoppedError
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import agent_names, load_agent
from gdl_agents.ros.agent_diagnostics import AgentDiagnostics
from gdl_agents.ros.agent_parameters import AgentParameters
from gdl_agents.ros.answer_sender import AnswerSender
from gdl_agents.ros.graph_agent import GraphAgent
from gdl_agents.ros.team_talk import TeamTalk
from gdl_env.environment.protocol import Answer, MatchInfo, Question
from gdl_env.errors import GdlError
from gdl_env.ros import run_node
from gdl_env.ros.declaring import follow
from gdl_env.ros.parameters import AGENT
from gdl_env.ros.run_node import Interruptible
from gdl_env.ros.transport.cdr import unpack_question
from gdl_env.ros.transport.messages import from_game_info, from_reward
from gdl_env.ros.transport.names import (
    ALIVE,
    INFO,
    LEAVE,
    reward_topic,
    state_topic,
    topic_part,
    view_topic,
)
from gdl_env.ros.transport.qos import alive_qos, reward_qos, state_qos
from gdl_env.ros.transport.sources import InfoSubscription, find_rivals
from gdl_env.ros.transport.texts import one_line
from gdl_env.ros.waiting import WaitingNotice
from gdl_env.ros.warming import announcing_compilation

if TYPE_CHECKING:
    from gdl_agents.ros.policy_follower import PolicyFollower

# The name of the node whose agent is only named by its parameter.
NAME = 'agent_node'

_INTERRUPTIBLE = Interruptible()


class AgentNode(Node):  # type: ignore[misc]
    """Plays one or more roles of the match that its namespace is.

    It begins when `info` arrives, and again when another `info` arrives. Whatever its agent raises
    on a question is logged, and the question stays unanswered: the clock of the match deals with
    that. While another node owns its role, it is a stand-by: it follows the questions and answers
    none.
    """

    def __init__(self, name: str = '', node_name: str = '') -> None:
        """Make the agent of that name, unless the parameter `agent` names another one.

        Raises GdlError if there is no such agent, or it refuses its detail.
        """
        super().__init__(node_name or _name_node(name))
        # Not `_parameters`: that is where a node of ROS keeps its own.
        self._told = AgentParameters.declare(self)
        follow(self, AGENT, self._on_parameter)
        self._follower: PolicyFollower | None = None
        self.agent = self._open(self._told.agent or name, self._told.detail)
        self.agent.name = self._told.agent_name or self.get_fully_qualified_name()
        # Questions to these are answered here; '' is for any agent.
        self._names = frozenset({'', self.agent.name, self.get_fully_qualified_name()})
        self._delay = Random(self.agent.name)
        # Set once the node has nothing more to do.
        self.exit_code: int | None = None
        self._info: MatchInfo | None = None
        self._seed = 0
        # By role: the last answer. If its question is asked again, it was lost on its way.
        self._last: dict[str, Answer] = {}
        # The newest question of each role that was taken, and those that could not be yet.
        self._ticks: dict[str, int] = {}
        self._waiting: dict[str, bytes] = {}
        # The stamps of those questions, and the roles in which this node was asked last.
        self._stamps: dict[str, int] = {}
        self._owned: set[str] = set()
        self._standing_by: set[str] = set()
        self._senders: dict[str, AnswerSender] = {}
        self._team_talk = TeamTalk(self, self.agent)
        self._diagnostics = AgentDiagnostics(self)
        self._last_complaint = ''
        # The environment watches its liveliness, before it counts on this node.
        self._alive = self.create_publisher(Empty, ALIVE, alive_qos(is_agent=True))
        if type(self.agent).warm_up is Agent.warm_up:
            # Ready from the start; others attach once they have compiled what they need.
            for role in self._told.roles:
                self._attach(role)
        self._infos = InfoSubscription(self, INFO, self._on_info)
        self._notice = WaitingNotice(self, self._describe_wait)
        self.create_service(Trigger, LEAVE, self._on_leave)

    def tell_team(self, role: str, text: str = '', data: bytes = b'') -> None:
        """Send a message to the team-mates of a role; do nothing if it has no team."""
        self._team_talk.send_message(role, self._ticks.get(role, 0), text, data)

    def leave(self) -> None:
        """End with 0: this node has nothing more to do."""
        self.exit_code = 0

    def destroy_node(self) -> None:
        """End the agent, then the node."""
        self._end()
        if isinstance(self.agent, GraphAgent):
            self.agent.leave()
        super().destroy_node()

    def _describe_wait(self) -> str:
        if self._info is None:
            return f'an environment: nothing was published on {self.resolve_topic_name(INFO)}'
        return ''

    def _on_parameter(self, name: str, value: int) -> None:
        self._told = replace(self._told, delay_ms=value)

    def _open(self, name: str, detail: str) -> Agent:
        """Make the agent; nodes that can do more make theirs otherwise."""
        if not name:
            known = ', '.join(agent_names())
            raise AgentError(f'parameter `agent` is missing; agents: {known}, or file.py:Class')
        loaded = load_agent(name, detail)
        if not loaded.kind.follows_policy:
            agent = loaded.open()
            if isinstance(agent, GraphAgent):
                agent.join(self.get_name(), self.get_namespace(), self.context)
            return agent
        # Only here: other agents do without PyTorch.
        from gdl_agents.ros.policy_follower import PolicyFollower

        self._follower = PolicyFollower(self, loaded, self._answer_safely)
        return self._follower.agent

    def _attach(self, role: str) -> None:
        """Listen to the questions of a role, and get ready to answer."""
        if role in self._senders:
            return
        self._senders[role] = AnswerSender(self, role)
        listen = partial(self._on_state, role)
        self.create_subscription(State, state_topic(role), listen, state_qos(), raw=True)
        if type(self.agent).notice is not Agent.notice:
            self.create_subscription(State, view_topic(role), listen, state_qos(), raw=True)
        if self.agent.wants_feedback:
            self.create_subscription(
                Reward, reward_topic(role), partial(self._on_reward, role), reward_qos()
            )

    def _on_info(self, message: GameInfo) -> None:
        """Begin, unless the match is the same as before."""
        info = from_game_info(message)
        # Whoever sends it may have started again, and counts from 1.
        self._ticks.clear()
        self._last.clear()
        try:
            if self._info != info or self._seed != message.seed:
                self._end()
                self._begin(info, message.seed)
        except GdlError as error:
            self._fail(str(error))
            return
        except KeyboardInterrupt:
            self.exit_code = 0
            return
        except Exception:
            self._fail(traceback.format_exc())
            return
        waiting, self._waiting = self._waiting, {}
        for role, state in waiting.items():
            self._on_state(role, state)

    def _begin(self, info: MatchInfo, seed: int) -> None:
        roles = self._told.roles or info.roles
        if not self._told.roles and len(roles) > 1:
            raise AgentError(f'parameter `role` is missing; {info.name}: {", ".join(roles)}')
        for role in roles:
            if role not in info.roles:
                known = ', '.join(info.roles)
                raise AgentError(f'{info.name} has no role {role!r}; its roles: {known}')
        # Before the agent begins, so that it is ended even if it fails to.
        self._info, self._seed = info, seed
        with announcing_compilation(self.get_logger(), 'the agent'):
            self.agent.warm_up(info, roles)
        own = self._told.seed
        self.agent.begin(info, roles, own if own >= 0 else derive_seed(seed, ' '.join(roles)))
        self._team_talk.begin(info, roles, self.tell_team)
        # Only now: who attaches may be asked at once, and the clock runs.
        for role in roles:
            self._attach(role)
        self.get_logger().info(f'joins {info.name} as {" and ".join(roles)}')

    def _on_state(self, role: str, data: bytes) -> None:
        if self.exit_code is not None:
            return
        if self._info is None:
            self._waiting[role] = data
            return
        try:
            question = unpack_question(data, self._info)
            if question.role != role:
                raise AgentError(
                    f'a state of role {question.role!r} came on the topic of {role!r}'
                )
        except GdlError as error:
            # It may belong to a match whose `info` is still on its way.
            self._waiting[role] = data
            self._complain(one_line(str(error)))
            return
        if question.tick < self._ticks.get(role, 0):
            rivals = find_rivals(self, state_topic(role))
            if not rivals:
                self._waiting[role] = data
                return
            # A later one may be forged: it must not silence the agent.
            self._complain(rivals)
        self._ticks[role] = question.tick
        self._stamps[role] = question.stamp
        if self._is_asked(question):
            self._answer_safely(question)
        else:
            self._guard(partial(self.agent.notice, question))

    def _is_asked(self, question: Question) -> bool:
        """Tell whether this node owns the role; views have no answer, whoever owns it."""
        is_owner = question.agent in self._names
        if is_owner and question.role not in self._owned:
            self._owned.add(question.role)
            self._standing_by.discard(question.role)
            self.get_logger().info(f'owns {question.role}')
        elif not is_owner:
            self._owned.discard(question.role)
            if question.agent and question.role not in self._standing_by:
                self._standing_by.add(question.role)
                self.get_logger().info(f'stands by: {question.agent} owns {question.role}')
        return is_owner or not question.is_decision

    def _on_leave(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.leave()
        response.success = True
        return response

    def _answer_safely(self, question: Question) -> None:
        self._guard(partial(self._answer, question))

    def _answer(self, question: Question) -> None:
        if not question.is_decision:
            self.agent.notice(question)
            return
        if self._follower is not None and self._follower.hold(question):
            return
        last = self._last.get(question.role)
        if last is not None and last.tick == question.tick:
            self._send(last)
            return
        with _INTERRUPTIBLE:
            if self._told.delay_ms:
                time.sleep(self._delay.random() * self._told.delay_ms / 1000)
            answer = self.agent.choose(question)
        self._send(answer)
        self._diagnostics.publish(self.agent)

    def _send(self, answer: Answer) -> None:
        """Send an answer, in the name of the agent."""
        self._last[answer.role] = answer
        if answer.agent != self.agent.name:
            answer = replace(answer, agent=self.agent.name)
        is_open = self._ticks.get(answer.role) == answer.tick
        self._senders[answer.role].send(answer, self._stamps[answer.role] if is_open else 0)

    def _on_reward(self, role: str, message: Reward) -> None:
        if self._info is not None and role in self._owned:
            info = self._info
            self._guard(lambda: self.agent.learn(from_reward(message, info)))

    def _guard(self, work: Callable[[], None]) -> None:
        """Let the agent work; whatever it raises, the node stays."""
        try:
            work()
        except LeaveError as error:
            self.get_logger().info(str(error))
            self.exit_code = 0
        except StoppedError as error:
            self._fail(str(error))
        except LateError as error:
            self.get_logger().warning(str(error))
        except KeyboardInterrupt:
            self.exit_code = 0
        except GdlError as error:
            self._complain(str(error))
        # A third-party agent may raise anything.
        except Exception:
            self._complain(traceback.format_exc())

    def _complain(self, reason: str) -> None:
        """Log an error, but not the same one again and again."""
        if reason != self._last_complaint:
            self._last_complaint = reason
            self.get_logger().error(reason)

    def _fail(self, reason: str) -> None:
        self.get_logger().error(reason)
        self.exit_code = 1

    def _end(self) -> None:
        if self._info is not None:
            self._info = None
            self._guard(self.agent.end)


def run_agent(name: str = '') -> int:
    """Run a node for an agent, by its name or its class, and return an exit code.

    A whole program for one's own agent is `sys.exit(run_agent('my_module:MyAgent'))`. Without a
    name, the parameter `agent` has it.
    """
    try:
        node = run_node.run(lambda: AgentNode(name), lambda node: node.exit_code is not None)
    except GdlError as error:
        sys.stderr.write(f'{error}\n')
        return 1
    return node.exit_code or 0


def main() -> NoReturn:
    """Run the agent that the parameter `agent` names."""
    run_node.leave(run_agent())


def _name_node(agent: str) -> str:
    stem = Path(agent.partition(':')[0]).stem
    return f'{topic_part(stem)}_agent' if agent else NAME
