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

from gdl_msgs.msg import GameInfo, Reward
from rclpy.node import Node
from std_msgs.msg import Empty
from std_srvs.srv import Trigger

from gdl_agents.agent import Agent
from gdl_agents.errors import AgentError, LateError, LeaveError, StoppedError
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import agent_names, load_agent
from gdl_agents.ros.agent_diagnostics import AgentDiagnostics
from gdl_agents.ros.agent_parameters import AgentParameters
from gdl_agents.ros.cohort_player import Callbacks, CohortPlayer
from gdl_agents.ros.graph_agent import GraphAgent
from gdl_agents.ros.team_talk import TeamTalk
from gdl_env.environment.cohorts import info_of_cohort
from gdl_env.environment.protocol import MatchInfo, Question
from gdl_env.errors import GdlError
from gdl_env.ros import run_node
from gdl_env.ros.declaring import follow
from gdl_env.ros.parameters import AGENT
from gdl_env.ros.run_node import Interruptible
from gdl_env.ros.transport.messages import from_game_info, from_reward
from gdl_env.ros.transport.names import ALIVE, INFO, LEAVE, topic_part
from gdl_env.ros.transport.qos import alive_qos
from gdl_env.ros.transport.sources import InfoSubscription
from gdl_env.ros.waiting import WaitingNotice
from gdl_env.ros.warming import announcing_compilation

if TYPE_CHECKING:
    from gdl_agents.ros.learning.policy_follower import PolicyFollower

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
        self._default_agent = name
        # Not `_parameters`: that is where a node of ROS keeps its own.
        self._told = AgentParameters.declare(self)
        follow(self, AGENT, self._on_parameter)
        self._follower: PolicyFollower | None = None
        self.agent = self._open(self._told.agent or name, self._told.detail)
        self.agent.name = self._told.agent_name or self.get_fully_qualified_name()
        self._delay = Random(self.agent.name)
        # Set once the node has nothing more to do.
        self.exit_code: int | None = None
        self._info: MatchInfo | None = None
        self._seed = 0
        # Questions to these are answered here; '' is for any agent.
        self._names = frozenset({'', self.agent.name, self.get_fully_qualified_name()})
        # One for each cohort; the first is there before the match is known.
        self._players = [self._make_player(0, self.agent)]
        self._team_talk = TeamTalk(self, self.agent)
        self._diagnostics = AgentDiagnostics(self)
        self._last_complaint = ''
        # The environment watches its liveliness, before it counts on this node.
        self._alive = self.create_publisher(Empty, ALIVE, alive_qos(is_agent=True))
        if type(self.agent).warm_up is Agent.warm_up:
            # Ready from the start; others attach once they have compiled what they need.
            for role in self._told.roles:
                self._players[0].attach(role)
        self._infos = InfoSubscription(self, INFO, self._on_info)
        self._notice = WaitingNotice(self, self._describe_wait)
        self.create_service(Trigger, LEAVE, self._on_leave)

    def tell_team(self, role: str, text: str = '', data: bytes = b'') -> None:
        """Send a message to the team-mates of a role; do nothing if it has no team."""
        tick = self._players[0].ticks.get(role, 0)
        self._team_talk.send_message(role, tick, text, data)

    def leave(self) -> None:
        """End with 0: this node has nothing more to do."""
        self.exit_code = 0

    def destroy_node(self) -> None:
        """End the agent, then the node."""
        self._end()
        for player in self._players:
            if isinstance(player.agent, GraphAgent):
                player.agent.leave()
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
        from gdl_agents.ros.learning.policy_follower import PolicyFollower

        self._follower = PolicyFollower(self, loaded)
        return self._follower.agent

    def _make_player(self, cohort: int, agent: Agent) -> CohortPlayer:
        callbacks = Callbacks(
            self._answer_safely, self._notice_safely, self._on_reward, self._complain
        )
        return CohortPlayer(self, cohort, agent, self._names, callbacks)

    def _open_again(self, cohort: int) -> Agent:
        """Make the agent of another cohort: what it remembers of lanes is its own."""
        if self._follower is not None:
            return self._follower.open_again()
        return self._open(self._told.agent or self._default_agent, self._told.detail)

    def _on_info(self, message: GameInfo) -> None:
        """Begin, unless the match is the same as before."""
        info = from_game_info(message)
        for player in self._players:
            player.forget()
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
        for player in self._players:
            player.take_waiting()

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
        for cohort in range(len(self._players), info.cohorts):
            agent = self._open_again(cohort)
            agent.name = self.agent.name
            self._players.append(self._make_player(cohort, agent))
        own = self._told.seed
        seed = own if own >= 0 else derive_seed(seed, ' '.join(roles))
        players = self._players[: info.cohorts]
        for player in players:
            part = info_of_cohort(info, player.cohort)
            with announcing_compilation(self.get_logger(), 'the agent'):
                player.agent.warm_up(part, roles)
            player.agent.begin(part, roles, seed)
            player.info = part
        self._team_talk.begin(info, roles, self.tell_team)
        # Only now: who attaches may be asked at once, and the clock runs.
        for player in players:
            for role in roles:
                player.attach(role)
        self.get_logger().info(f'joins {info.name} as {" and ".join(roles)}')

    def _on_leave(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.leave()
        response.success = True
        return response

    def _answer_safely(self, player: CohortPlayer, question: Question) -> None:
        if self.exit_code is None:
            self._guard(partial(self._answer, player, question))

    def _notice_safely(self, player: CohortPlayer, question: Question) -> None:
        if self.exit_code is None:
            self._guard(partial(player.agent.notice, question))

    def _answer(self, player: CohortPlayer, question: Question) -> None:
        if not question.is_decision:
            player.agent.notice(question)
            return
        if self._follower is not None and self._follower.hold(
            partial(self._answer_safely, player, question), (player.cohort, question.role)
        ):
            return
        last = player.last.get(question.role)
        if last is not None and last.tick == question.tick:
            player.send(last)
            return
        with _INTERRUPTIBLE:
            if self._told.delay_ms:
                time.sleep(self._delay.random() * self._told.delay_ms / 1000)
            answer = player.agent.choose(question)
        player.send(answer)
        self._diagnostics.publish([each.agent for each in self._players])

    def _on_reward(self, player: CohortPlayer, message: Reward) -> None:
        info = player.info
        if info is not None:
            self._guard(lambda: player.agent.learn(from_reward(message, info)))

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
            for player in self._players:
                player.info = None
                self._guard(player.agent.end)


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
