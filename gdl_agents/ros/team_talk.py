"""What team-mates say to each other: a topic a team, for its members only."""

from __future__ import annotations

import array
from functools import partial
from typing import Any

from gdl_msgs.msg import TeamMessage

from gdl_agents.agent import Agent, Tell
from gdl_env.environment.protocol import MatchInfo
from gdl_env.ros.node_protocol import RosNode
from gdl_env.ros.transport.names import team_topic
from gdl_env.ros.transport.passing_topics import (
    create_passing_publisher,
    create_passing_subscription,
)
from gdl_env.ros.transport.qos import team_qos


class TeamTalk:
    """Speaks and listens on `team/<team>` for the roles of one agent."""

    def __init__(self, node: RosNode, agent: Agent) -> None:
        self._node = node
        self._agent = agent
        self._teams: dict[str, str] = {}
        self._members: dict[str, tuple[str, ...]] = {}
        self._publishers: dict[str, Any] = {}
        self._subscriptions: list[Any] = []

    def begin(self, info: MatchInfo, roles: tuple[str, ...], tell: Tell) -> None:
        """Join the teams of the roles, and leave those of the match before."""
        for publisher in self._publishers.values():
            self._node.destroy_publisher(publisher)
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._members = dict(info.teams)
        self._teams = {r: team for team, of in info.teams.items() for r in of if r in roles}
        self._publishers = {}
        self._subscriptions = []
        for team in sorted(set(self._teams.values())):
            topic = team_topic(team)
            self._publishers[team] = create_passing_publisher(
                self._node, TeamMessage, topic, team_qos()
            )
            if type(self._agent).hear is not Agent.hear:
                listen = partial(self._on_message, team)
                self._subscriptions.append(
                    create_passing_subscription(self._node, TeamMessage, topic, listen, team_qos())
                )
        self._agent.tell = tell

    def send_message(self, role: str, tick: int, text: str, data: bytes) -> None:
        """Send a message to the team of a role; do nothing if the role has no team."""
        team = self._teams.get(role)
        if team is None:
            return
        message = TeamMessage(tick=tick, team=team, role=role, agent=self._agent.name, text=text)
        message.data = array.array('B', data)
        self._publishers[team].publish(message)

    def _on_message(self, team: str, message: TeamMessage) -> None:
        """Hand on what a team-mate said; not one's own words, nor those of strangers."""
        is_member = message.team == team and message.role in self._members.get(team, ())
        if not is_member or message.agent == self._agent.name:
            return
        try:
            self._agent.hear(team, message.role, message.text, message.data.tobytes())
        # A third-party agent may raise anything.
        except Exception as error:
            self._node.get_logger().error(f'what {message.role} said: {error}', once=True)
