"""A hostile program publishes on the topics of a match: pages and their server stay up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser, pytest.mark.slow]

FAR = 2**60
FORGED = '[ERROR] [0.0] [gui_node]: forged'


def test_pages_outlive_forged_messages(
    graph: Graph, gui: Gui, browse: Callable[..., Browser]
) -> None:
    from gdl_msgs.msg import GameInfo, Reward, RoleStatus, Spectator, State, Status

    from gdl_env.ros.transport import qos

    browser = browse()
    browser.begin('tictactoe', 'x')
    publishers = {
        'info': graph.publisher(GameInfo, 'info', qos.info_qos()),
        'status': graph.publisher(Status, 'status', qos.status_qos()),
        'spectator': graph.publisher(Spectator, 'spectator', qos.spectator_qos()),
        'x/state': graph.publisher(State, 'x/state', qos.state_qos()),
        'x/reward': graph.publisher(Reward, 'x/reward', qos.reward_qos()),
    }
    for publisher in publishers.values():
        graph.wait(publisher.get_subscription_count)
    for name, publisher in publishers.items():
        if name != 'info':
            publisher.publish(b'\x00\x01\x00\x00' + bytes([255] * 60))
    odd = RoleStatus(role='<b>x</b>', agent=f'<script>1</script>\n{FORGED}', agent_state=99)
    publishers['status'].publish(Status(phase=77, roles=[odd], message=f'<i>\n{FORGED}'))
    publishers['spectator'].publish(Spectator(tick=FAR, lanes=2**31, facts=['(', ')']))
    publishers['x/state'].publish(State(tick=1, role='x', lanes=7, facts=['((((']))
    publishers['x/reward'].publish(Reward(tick=1, role='x', lanes=1))
    publishers['info'].publish(GameInfo(name='chess', roles=['white'], lanes=1))
    graph.wait(lambda: 'a match of chess is refused' in gui.process.output)
    assert '/onlooker' in gui.process.output
    for name in ('info', 'status', 'spectator', 'x/state', 'x/reward'):
        graph.do(lambda name=name: graph.node.destroy_publisher(publishers[name]))
    # The question is asked again, and the match continues; so does a page that is opened now.
    browser.wait_for_turn()
    browser.click_square('2 2')
    browser.wait(lambda: browser.label('2 2') == 'x', 'the move')
    watcher = browse()
    watcher.open_match()
    watcher.wait(lambda: watcher.label('2 2') == 'x', 'the move')
    assert gui.process.popen.poll() is None
    assert FORGED not in gui.process.output.splitlines()
