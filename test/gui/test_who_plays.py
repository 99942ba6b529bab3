"""Who plays, in words: with the level that was chosen, and no names of nodes for people."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')

from gdl_msgs.msg import RoleStatus, Status

from gdl_env.gui.seats.who_plays import describe_missing, name_agent
from gdl_env.gui.tables import ME

ATTACHED, MISSING, SILENT = (
    RoleStatus.AGENT_STATE_ATTACHED,
    RoleStatus.AGENT_STATE_MISSING,
    RoleStatus.AGENT_STATE_SILENT,
)
SEARCH = 'mcts:time=1'


@pytest.mark.parametrize(
    ('agent', 'state', 'chosen', 'expected'),
    [
        ('/table_1/x_mcts', ATTACHED, '', '/table_1/x_mcts'),
        ('/table_1/x_mcts', ATTACHED, SEARCH, 'mcts, 1 s'),
        # Swapped since the table was opened.
        ('/table_1/x_random_3', ATTACHED, SEARCH, '/table_1/x_random_3'),
        ('/table_1/x_mcts', SILENT, SEARCH, 'mcts, 1 s (silent)'),
        ('/gui_node_3fa2', ATTACHED, ME, 'a person'),
        ('/gui_node', ATTACHED, '', 'a person'),
        ('', MISSING, '', 'nobody'),
        ('', MISSING, ME, 'invited'),
        ('', MISSING, SEARCH, 'mcts, 1 s, getting ready'),
    ],
)
def test_players_are_named(agent: str, state: int, chosen: str, expected: str) -> None:
    status = RoleStatus(role='x', agent=agent, agent_state=state)
    assert name_agent(status, chosen) == expected


@pytest.mark.parametrize(
    ('chosen', 'expected'),
    [
        ({}, 'waiting for an agent that plays white and black'),
        ({'white': ME, 'black': SEARCH}, 'white: no player yet. '),
        ({'white': 'random', 'black': SEARCH}, 'getting ready: white (random) and black (mcts'),
    ],
)
def test_a_match_says_whom_it_waits_for(chosen: Mapping[str, str], expected: str) -> None:
    status = Status()
    status.roles = [RoleStatus(role=role, agent_state=MISSING) for role in ('white', 'black')]
    assert describe_missing(status, chosen, {}).startswith(expected)
    unheard = describe_missing(status, chosen, {}, {'white'})
    assert unheard.startswith('white: the environment does not hear')
    status.roles = [RoleStatus(role='white', agent_state=ATTACHED)]
    assert describe_missing(status, chosen, {}) == ''
