"""Roles that visitors play: claimed here and on the graph, where no other answers count."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, wait
from functools import partial
from typing import Any

from gdl_msgs.msg import RoleStatus
from gdl_msgs.srv import SetRole

from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.ros_thread import RosThread
from gdl_env.gui.seats.claims import Claims
from gdl_env.gui.texts import TextError
from gdl_env.ros.transport.names import SET_ROLE

# An environment that continues without this server is notified within this time [s].
_PATIENCE = 5.0
# An environment that misses a role for so long has lost the page that plays it [s]. That happens
# on machines so busy that nodes take one another for gone.
LOST = 8.0


class Seating:
    """Gives roles to visitors and agents, and tells environments; again, if they start again."""

    def __init__(self, ros: RosThread, claims: Claims) -> None:
        self.claims = claims
        self._ros = ros
        # Agents that were started here for a role.
        self._agents: dict[tuple[str, str], str] = {}
        # In which life of an environment each role was claimed.
        self._claimed: dict[tuple[str, str], int] = {}
        self._asking: set[tuple[str, str]] = set()
        # Since when environments have missed roles that are played here [s].
        self._missed: dict[tuple[str, str], float] = {}

    async def sit(self, link: MatchLink, role: str, visitor: str) -> None:
        """Give a role to a visitor, and join the match as it. Raises GuiError.

        `claim_roles` notifies the environment: it may be busy, or about to start.
        """
        # A silent environment may come back with another game.
        if link.info is not None and link.is_alive and role not in link.info.roles:
            raise TextError('trouble.no_role', role=role, roles=', '.join(link.info.roles))
        self.claims.take(link.namespace, role, visitor)
        self.dismiss(link.namespace, role)
        if role not in link.seats:
            self._claimed.pop((link.namespace, role), None)
        await self._ros.run(partial(link.take_seat, role))

    async def stand_up(self, link: MatchLink, role: str, visitor: str) -> None:
        """Give a role back. Raises GuiError if the environment does not hear of it."""
        if self.claims.release(link.namespace, role, visitor):
            await self.leave(link, role)

    async def leave(self, link: MatchLink, role: str) -> None:
        """Take a role off the graph, and let any other attached agent play."""
        await self.vacate(link, role)
        if link.is_alive:
            await self._ros.ask(*_request(link, role))

    async def vacate(self, link: MatchLink, role: str) -> None:
        """Take a role off the graph; another agent has it already."""
        self.claims.clear(link.namespace, role)
        self._claimed.pop((link.namespace, role), None)
        await self._ros.run(partial(link.leave_seat, role))

    def appoint(self, link: MatchLink, role: str, agent: str) -> None:
        """Record that an agent has a role, and that the environment knows."""
        self._agents[link.namespace, role] = agent
        self._claimed[link.namespace, role] = link.lives

    def dismiss(self, namespace: str, role: str) -> None:
        """Forget the agent of a role."""
        self._agents.pop((namespace, role), None)

    @property
    def agents(self) -> list[tuple[str, str, str]]:
        """Return the agents that have roles: match, role, name."""
        return [(*key, agent) for key, agent in self._agents.items()]

    async def claim_roles(self, link: MatchLink) -> None:
        """Have the environment accept only our agents for our roles. Raises GuiError."""
        own = {role: name for space, role, name in self.agents if space == link.namespace}
        own |= {role: seat.agent for role, seat in link.seats.items()}
        for role, agent in own.items():
            key, life = (link.namespace, role), link.lives
            is_claimed = self._claimed.get(key, 0) == life
            # Another game may be played in the place of the old one.
            is_role = link.info is not None and role in link.info.roles
            if is_claimed or not is_role or not link.is_alive or key in self._asking:
                continue
            self._asking.add(key)
            try:
                await self._ros.ask(*_request(link, role, agent))
                self._claimed[key] = life
            finally:
                self._asking.discard(key)

    async def rejoin(self, link: MatchLink, now: float) -> None:
        """Join again as roles that the environment has missed for long."""
        told = link.status.roles if link.status is not None and link.is_alive else ()
        missing = {r.role for r in told if r.agent_state == RoleStatus.AGENT_STATE_MISSING}
        for role in list(link.seats):
            key = (link.namespace, role)
            if role not in missing:
                self._missed.pop(key, None)
            elif now - self._missed.setdefault(key, now) > LOST:
                del self._missed[key]
                self._claimed.pop(key, None)
                await self._ros.run(partial(link.leave_seat, role))
                await self._ros.run(partial(link.take_seat, role))

    def give_back(self, links: Iterable[MatchLink]) -> None:
        """Let others play the roles of people, in matches that continue without this server."""
        asked: list[Future[Any]] = [
            self._ros.call(*_request(link, role))
            for link in links
            if link.is_alive
            for role in link.seats
        ]
        wait(asked, _PATIENCE)


def _request(link: MatchLink, role: str, agent: str = '') -> tuple[Any, str, Any]:
    request = SetRole.Request(role=role, policy=SetRole.Request.POLICY_AGENT, agent=agent)
    return SetRole, link.name(SET_ROLE), request
