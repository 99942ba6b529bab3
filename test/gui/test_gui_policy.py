"""What the web interface uses on the graph is what the policy of its enclave allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]


@pytest.mark.parametrize(
    ('game', 'role', 'is_open'), [('tictactoe', 'x', True), ('krieg_tictactoe', 'x', False)]
)
def test_gui_uses_nothing_else(
    graph: Graph, gui: Gui, browse: Callable[..., Browser], game: str, role: str, is_open: bool
) -> None:
    from policy_reader import find_refused, read_policy

    from gdl_env.ros.security.access import MatchAccess, agent_node
    from gdl_env.ros.security.policy_file import write_policy

    graph.environment(game, play_clock=0.0, start_clock=0.0, undo=9)
    graph.start('random_agent', node=agent_node('o'), role='o')
    browser = browse()
    browser.open_match(role)
    browser.click('New game')
    browser.wait(lambda: browser.find('.gt-square.is-target'), 'free squares')
    browser.click_square('2 2')
    browser.wait(lambda: browser.label('2 2') == role, 'a piece in the middle')
    space = graph.namespace
    graph.wait(lambda: 'gui_node' in graph.node.get_node_names())
    for seats in ((role,), ()):
        access = MatchAccess(('x', 'o'), is_open=is_open, seats=seats)
        allowed = read_policy(write_policy(space, access.nodes()))[f'{space}/gui']
        refused = find_refused(graph, allowed, 'gui_node', '/', below=f'{space}/')
        # Without a seat in the policy, nothing of the role is allowed.
        assert (refused == {}) is bool(seats), refused
