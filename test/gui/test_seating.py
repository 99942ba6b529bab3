"""Environments know whose answers count: once, and again when they have started again."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

from gdl_msgs.msg import RoleStatus

from gdl_env.gui.errors import GuiError
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.ros_thread import RosThread
from gdl_env.gui.seats.claims import Claims
from gdl_env.gui.seats.seating import LOST, Seating

pytestmark = pytest.mark.ros


class Ros:
    """Obeys at once, and keeps what environments were asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.is_deaf = False

    async def run(self, work: Any) -> Any:
        return work()

    async def ask(self, kind: Any, name: str, request: Any) -> None:
        if self.is_deaf:
            raise GuiError('no answer')
        self.asked.append((request.role, request.agent))


class Link(SimpleNamespace):
    """A match."""

    def __init__(self) -> None:
        info = SimpleNamespace(roles=['x', 'o'])
        super().__init__(namespace='/m', info=info, is_alive=True, lives=1, seats={})

    def name(self, relative: str) -> str:
        return f'/m/{relative}'

    def take_seat(self, role: str) -> None:
        self.seats.setdefault(role, SimpleNamespace(agent='/gui'))

    def leave_seat(self, role: str) -> None:
        self.seats.pop(role, None)


def test_environments_are_told_until_they_hear_and_when_they_start_again() -> None:
    ros, link, claims = Ros(), Link(), Claims()
    seating, match = Seating(cast('RosThread', ros), claims), cast('MatchLink', link)

    def told() -> list[tuple[str, str]]:
        asyncio.run(seating.claim_roles(match))
        found, ros.asked = ros.asked, []
        return found

    asyncio.run(seating.sit(match, 'x', 'ann'))
    ros.is_deaf = True
    with pytest.raises(GuiError, match='no answer'):
        told()
    ros.is_deaf = False
    assert told() == [('x', '/gui')]
    assert told() == []
    seating.appoint(match, 'o', '/m/o_random')
    assert told() == []
    link.lives += 1
    assert sorted(told()) == [('o', '/m/o_random'), ('x', '/gui')]
    assert told() == []
    # Who is silent hears nothing, and another game may have other roles.
    link.lives, link.is_alive = 3, False
    assert told() == []
    link.is_alive, link.info.roles = True, ['red', 'o']
    assert told() == [('o', '/m/o_random')]
    link.info.roles = ['x', 'o']
    # A role that is given back may be played by anybody; a visitor takes the place of an agent.
    asyncio.run(seating.stand_up(match, 'x', 'ann'))
    assert ros.asked == [('x', '')] and not link.seats and claims.taken('/m') == {}
    ros.asked.clear()
    asyncio.run(seating.sit(match, 'o', 'ben'))
    assert told() == [('o', '/gui')] and seating.agents == []
    with pytest.raises(GuiError, match='is not a role'):
        asyncio.run(seating.sit(match, 'red', 'ben'))


def test_a_page_that_its_environment_has_lost_joins_again() -> None:
    ros, link = Ros(), Link()
    seating, match = Seating(cast('RosThread', ros), Claims()), cast('MatchLink', link)
    asyncio.run(seating.sit(match, 'x', 'ann'))
    asyncio.run(seating.claim_roles(match))
    seat = link.seats['x']

    def look(state: int, now: float) -> bool:
        """Tell whether there is another seat then."""
        role = RoleStatus(role='x', agent_state=state)
        link.status = SimpleNamespace(roles=[role])
        asyncio.run(seating.rejoin(match, now))
        return link.seats['x'] is not seat

    missing, attached = RoleStatus.AGENT_STATE_MISSING, RoleStatus.AGENT_STATE_ATTACHED
    # While a node is being discovered, it is missing for a moment.
    assert not look(missing, 100.0)
    assert not look(missing, 100.0 + LOST)
    assert not look(attached, 101.0 + LOST)
    assert not look(missing, 102.0 + LOST)
    assert not look(missing, 102.0 + 2 * LOST)
    assert look(missing, 103.0 + 2 * LOST)
    # The environment hears once more whose answers count.
    ros.asked.clear()
    asyncio.run(seating.claim_roles(match))
    assert ros.asked == [('x', '/gui')]
