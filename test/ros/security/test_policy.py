"""Policies for ROS 2 with security: an agent reaches its role, and every node all it uses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from policy_reader import find_refused, read_policy
import pytest

from gdl_env.cli.main import main
from gdl_env.errors import GdlError
from gdl_env.language.library import find_game, list_games
from gdl_env.ros.security.access import MatchAccess, agent_node
from gdl_env.ros.security.policy_file import write_policy
from gdl_env.ros.transport.names import ENVIRONMENT_NODE

if TYPE_CHECKING:
    from graph import Graph

# Names the schema policy.xsd of SROS 2, if it is to be validated against. The schema is of others.
SCHEMA = 'GDL_SROS2_XSD'
# Of version 0.2.0: what may be inside an element, and the attributes that it must and may have.
CHILDREN = {
    'policy': {'enclaves'},
    'enclaves': {'enclave'},
    'enclave': {'profiles'},
    'profiles': {'profile'},
    'profile': {'topics', 'services', 'actions'},
    'topics': {'topic'},
    'services': {'service'},
    'actions': {'action'},
}
ATTRIBUTES = {
    'policy': ({'version'}, set()),
    'enclave': ({'path'}, set()),
    'profile': ({'ns', 'node'}, set()),
    'topics': (set(), {'publish', 'subscribe'}),
    'services': (set(), {'reply', 'request'}),
    'actions': (set(), {'call', 'execute'}),
}


def write(folder: Path, game: str, *words: str) -> str:
    """Return the policy of a game, as the command writes it."""
    assert main(['security', game, '-o', str(folder), *words]) == 0
    (path,) = folder.glob('*.policy.xml')
    return path.read_text('utf-8')


def check(element: ElementTree.Element) -> None:
    """Fail where an element is not as the schema says."""
    allowed = CHILDREN.get(element.tag, set())
    assert {child.tag for child in element} <= allowed, element.tag
    # Only a profile may be empty, and names are text alone.
    assert len(element) or element.tag == 'profile' or not allowed, element.tag
    assert (element.text or '').strip() == '' if allowed else element.text, element.tag
    must, may = ATTRIBUTES.get(element.tag, (set(), set()))
    assert must <= set(element.attrib) <= must | may, element.attrib
    for name in may & set(element.attrib):
        assert element.attrib[name] in {'ALLOW', 'DENY'}
    for child in element:
        check(child)


@pytest.mark.parametrize('game', [path.stem for path in list_games()])
def test_policy_of_every_game_has_the_form_of_the_schema(tmp_path: Path, game: str) -> None:
    root = ElementTree.fromstring(write(tmp_path, game).encode())
    assert root.tag == 'policy' and root.attrib == {'version': '0.2.0'}
    check(root)


@pytest.mark.skipif(SCHEMA not in os.environ, reason=f'{SCHEMA} names no schema')
@pytest.mark.parametrize('game', [path.stem for path in list_games()])
def test_policy_of_every_game_is_valid(tmp_path: Path, game: str) -> None:
    etree = pytest.importorskip('lxml.etree')
    schema = etree.XMLSchema(etree.parse(os.environ[SCHEMA]))
    schema.assertValid(etree.fromstring(write(tmp_path, game).encode()))


@pytest.mark.parametrize('game', ['kuhn_poker', 'skat', 'doppelkopf', 'krieg_tictactoe'])
def test_agent_reaches_its_own_role_only(tmp_path: Path, game: str) -> None:
    found = read_policy(write(tmp_path, game))
    agents = {p.rpartition('/')[2]: a for p, a in found.items() if '/agents/' in p}
    assert len(agents) >= 2
    for role, allowed in agents.items():
        for other in set(agents) - {role}:
            assert not [name for name in allowed.everything if f'/{other}/' in name]
        own = {f'/match/{role}/{kind}' for kind in ('state', 'view', 'reward')}
        assert allowed.subscribe == own | {'/match/info'}
        assert f'/match/{role}/action' in allowed.publish
        # What tells more than the rules show: records, the seed, the services of others.
        assert not allowed.request
        for name in ('record', 'spectator', 'status', 'current_state'):
            assert f'/match/{name}' not in allowed.everything
        assert not any('*' in name for name in allowed.everything)
    gui = found['/match/gui']
    for role in agents:
        assert not [name for name in gui.subscribe | gui.publish if f'/{role}/' in name]
    assert '/match/record' not in gui.everything


def test_seat_of_a_person_and_teams(tmp_path: Path) -> None:
    words = ('--namespace', 'my/table', '--seat', 'north', '--team', 're=north,south')
    found = read_policy(write(tmp_path, 'doppelkopf', *words))
    gui = found['/my/table/gui']
    assert '/my/table/north/state' in gui.subscribe and '/my/table/north/action' in gui.publish
    assert '/my/table/north/undo' in gui.request
    assert '/my/table/south/state' not in gui.subscribe
    for role in ('north', 'east', 'south', 'west'):
        allowed = found[f'/my/table/agents/{role}']
        is_member = role in {'north', 'south'}
        assert ('/my/table/team/re' in allowed.publish & allowed.subscribe) is is_member


def test_arms_and_hands(tmp_path: Path) -> None:
    assert '/match/robot' not in read_policy(write(tmp_path, 'chess'))
    found = read_policy(write(tmp_path, 'chess', '--arm', 'white', '--hand', 'black'))
    robot, perception = found['/match/robot'], found['/match/perception']
    goal = '/match/{}/_action/send_goal'
    assert {goal.format(name) for name in ('play_move', 'reset_board')} <= robot.reply
    assert goal.format('wait_for_move') in perception.reply
    # Each role reaches what it needs, and neither node what a role is asked.
    calls = {
        role: {name.split('/')[2] for name in found[f'/match/agents/{role}'].request}
        for role in ('white', 'black')
    }
    assert calls == {'white': {'play_move'}, 'black': {'wait_for_move'}}
    for allowed in (robot, perception):
        assert not [name for name in allowed.everything if '/white/' in name or '/black/' in name]
    assert '/match/camera/image_raw' in robot.publish & found['/match/recorder'].subscribe


@pytest.mark.parametrize(
    ('words', 'message'),
    [
        (['--arm', 'z'], "'z' is not a role; roles: alice, bob"),
        (['--seat', 'z'], "'z' is not a role; roles: alice, bob"),
        (['--team', 'both'], 'expected NAME=ROLE,ROLE'),
        (['--team', 'both=alice,z'], "'z' is not a role"),
        (['--namespace', 'a b'], 'cannot be a namespace'),
    ],
)
def test_wrong_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(['security', 'kuhn_poker', '-o', str(tmp_path), *words]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_roles_that_would_share_a_topic_are_refused() -> None:
    with pytest.raises(GdlError, match='would share the topic'):
        MatchAccess(('player-1', 'player_x2d_1'), is_open=False)


ATTENTIVE = """
from gdl_agents.players.random import RandomAgent


class Attentive(RandomAgent):
    '''Listens to all that an agent can listen to.'''

    wants_feedback = True

    def notice(self, question):
        pass

    def hear(self, team, role, text, data):
        pass
"""


@pytest.mark.ros
@pytest.mark.parametrize('game', ['kuhn_poker', 'tictactoe'])
def test_real_nodes_use_nothing_else(graph: Graph, tmp_path: Path, game: str) -> None:
    from gdl_env.language.game import Information
    from gdl_env.language.load import load_game

    rules = load_game(find_game(game))
    roles = [str(r) for r in rules.roles if str(r) != 'random']
    is_open = rules.information is Information.COMPLETE
    teams = {'all': tuple(roles)}
    (tmp_path / 'attentive.py').write_text(ATTENTIVE)
    space = graph.namespace
    access = MatchAccess(tuple(roles), is_open=is_open, teams=teams)
    found = read_policy(write_policy(space, access.nodes()))
    graph.environment(
        game,
        record_lanes=1,
        undo=9,
        teams=[f'all: {" ".join(roles)}'],
    )
    for role in roles:
        graph.start(
            'agent_node',
            node=agent_node(role),
            role=role,
            agent=f'{tmp_path / "attentive.py"}:Attentive',
        )
    graph.start('recorder_node', folder=str(tmp_path / 'record'))
    graph.start('match_node', episodes=1_000_000)
    graph.status(lambda status: status.finished_episodes > 3)
    nodes = {
        'environment': ENVIRONMENT_NODE,
        'recorder': 'recorder_node',
        'match': 'match_node',
        **{f'agents/{role}': agent_node(role) for role in roles},
    }
    # The names of nodes may arrive after their messages.
    graph.wait(lambda: set(nodes.values()) <= set(graph.node.get_node_names()))
    for enclave, node in nodes.items():
        assert find_refused(graph, found[f'{space}/{enclave}'], node, space) == {}, node
    # And the other way round: another role's enclave would not do.
    first, second = roles[:2]
    wrong = find_refused(graph, found[f'{space}/agents/{first}'], agent_node(second), space)
    assert f'{space}/{second}/state' in wrong['subscribe']
    assert f'{space}/{second}/action' in wrong['publish']
