"""A role has one owner; stand-bys wait, take over, and agents are swapped under load."""

from __future__ import annotations

from itertools import groupby
import os
from pathlib import Path
import re
import signal
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Action, State, Status  # noqa: E402
from gdl_msgs.srv import SetRole, Swap  # noqa: E402
from graph import SCRIPT, Graph, Process, read_all, role_of  # noqa: E402
from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState  # noqa: E402

from gdl_env.ros.transport import liveliness  # noqa: E402
from gdl_env.ros.transport.qos import action_qos, state_qos  # noqa: E402

RANDOM = '/match/random_x'
# Who says that it ends is gone within this time [s]; others are seen for 20 s.
GOODBYE = 12.0
GDL = (sys.executable, '-m', 'gdl_env.cli.main')


def no_noise(told: Status) -> None:
    """Fail unless every question was answered once, in time."""
    for role in told.roles:
        counts = role.strikes, role.late_answers, role.illegal_answers, role.foreign_answers
        assert counts == (0, 0, 0, 0), role


def start_agents(graph: Graph) -> tuple[Process, Process]:
    """Start an owner of each role, and wait until the environment knows them."""
    agents = [graph.start('random_agent', node=f'random_{role}', role=role) for role in 'xo']
    graph.status(lambda s: all(role.owner for role in s.roles))
    return agents[0], agents[1]


def gdl_swap(graph: Graph, role: str, agent: str) -> subprocess.CompletedProcess[str]:
    """Run `gdl swap` as people do."""
    return subprocess.run(
        [*GDL, 'swap', role, agent],
        env={**os.environ, 'ROS_DOMAIN_ID': str(graph.domain)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def plain_dds(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Fast DDS believe in a silent process for 20 s, as it does by itself."""
    # The profile that nodes of this package use, without the time it sets.
    ours = (Path(liveliness.__file__).parent / 'fastdds.xml').read_text()
    plain = re.sub(r'<leaseDuration>.*</leaseDuration>', '', ours, flags=re.DOTALL)
    assert plain != ours
    profile = graph.folder / 'profiles.xml'
    profile.write_text(plain)
    monkeypatch.setenv('FASTRTPS_DEFAULT_PROFILES_FILE', str(profile))


@pytest.mark.usefixtures('plain_dds')
def test_agents_are_swapped_under_load(graph: Graph) -> None:
    """Thousands of ticks go by while x is played by three agents, one after the other."""
    graph.environment(record_lanes=1, require_recorder=True, play_clock=60.0, missing_clock=60.0)
    graph.start('recorder_node', folder=str(graph.folder / 'record'))
    old, _ = start_agents(graph)
    answers = graph.collect(Action, 'x/action', action_qos())
    states = graph.collect(State, 'x/state', state_qos())
    match = graph.start('match_node', episodes=1_000_000)
    graph.status(lambda s: s.finished_episodes > 20)

    for role, agent, words in (
        ('x', 'legl', "no agent named 'legl'"),
        ('z', 'legal', "'z' is not a role"),
        ('x', 'external:cat', 'allow_programs'),
    ):
        refused = graph.call(Swap, 'swap', role=role, agent=agent)
        assert not refused.success and words in refused.message
    first = graph.call(Swap, 'swap', role='x', agent='random')
    assert (first.success, first.message, first.former) == (True, '', RANDOM), graph.report()
    assert old.popen.wait(60) == 0
    # The same by the command line, as people do it.
    done = gdl_swap(graph, 'x', 'legal')
    assert done.returncode == 0, (done, graph.report())
    last = '/match/x_legal_2'
    assert done.stdout == f'{last} plays x; {first.owner} has ended\n'
    graph.status(lambda s: s.steps > 4000 and role_of(s, 'x').agent == last)
    off = Transition(id=Transition.TRANSITION_DEACTIVATE)
    assert graph.call(ChangeState, 'env_node/change_state', transition=off).success
    status = graph.status(lambda s: s.phase == Status.PHASE_PAUSED)
    no_noise(status)
    assert (role_of(status, 'x').owner, list(role_of(status, 'x').standby)) == (last, [])

    # Every tick was asked and answered once, and each agent had its ticks in one piece.
    heard = read_all(answers, Action)
    ticks = [action.tick for action in heard]
    assert ticks == sorted(set(ticks))
    names = [action.agent for action in heard]
    assert [name for name, _ in groupby(names)] == [RANDOM, first.owner, last]
    asked = {state.tick: state for state in read_all(states, State)}
    answered = [(asked[action.tick], action) for action in heard if action.tick in asked]
    assert len(answered) > 1000
    assert all((s.agent, s.header) == (a.agent, a.header) for s, a in answered)
    # And nothing is missing from the recording.
    path = graph.folder / 'record' / 'matches.jsonl'
    graph.wait(lambda: path.read_text().count('"type":"step"') >= status.steps)
    assert path.read_text().count('"type":"step"') == status.steps
    match.stop()
    # Its agents end with it.
    graph.wait(lambda: 'x_legal_2' not in graph.node.get_node_names())


@pytest.mark.usefixtures('plain_dds')
@pytest.mark.parametrize('is_killed', [False, True])
def test_a_standby_takes_over(graph: Graph, is_killed: bool) -> None:
    """An owner ends, or dies without a word; no profile of Fast DDS helps to find out."""
    graph.environment(play_clock=60.0, missing_clock=60.0)
    owner, _ = start_agents(graph)
    standby = graph.start('legal_agent', node='legal_x', role='x')
    status = graph.status(lambda s: role_of(s, 'x').standby)
    assert role_of(status, 'x').owner == RANDOM
    assert list(role_of(status, 'x').standby) == ['/match/legal_x']
    goal = graph.ask(1_000_000)
    graph.status(lambda s: s.finished_episodes > 20)
    if is_killed:
        owner.kill()
    else:
        assert owner.stop() == 0
    # Much sooner than Fast DDS forgets a silent process, which takes 20 s.
    status = graph.status(lambda s: role_of(s, 'x').owner == '/match/legal_x', 60)
    finished = status.finished_episodes
    status = graph.status(lambda s: s.finished_episodes > finished + 20)
    no_noise(status)
    assert role_of(status, 'x').agent == '/match/legal_x'
    assert f'stands by: {RANDOM} owns x' in standby.output
    assert 'owns x' in standby.output
    graph.do(goal.cancel_goal_async)
    graph.result(goal)


def test_who_does_not_wait_for_its_turn_is_foreign(graph: Graph) -> None:
    """A node that answers though another owns the role is counted, and does not play."""
    graph.environment(play_clock=60.0)
    graph.start('agent_node', node='silent_x', role='x', agent=f'{SCRIPT}:stop')
    graph.start('random_agent', node='random_o', role='o')
    graph.status(lambda s: all(role.owner for role in s.roles))
    intruder = graph.publisher(Action, 'x/action', action_qos())
    name = graph.node.get_fully_qualified_name()
    graph.status(lambda s: name in role_of(s, 'x').standby)
    goal = graph.ask(1)
    state = graph.collect(State, 'x/state', state_qos())
    graph.wait(lambda: state)
    asked = read_all(state, State)[0]
    assert asked.agent == '/match/silent_x'
    answer = Action(tick=asked.tick, role='x', agent=name, move=[asked.legal_moves[0]])
    intruder.publish(answer)
    status = graph.status(lambda s: role_of(s, 'x').foreign_answers)
    assert (status.tick, role_of(status, 'x').foreign_answers) == (asked.tick, 1)
    graph.do(goal.cancel_goal_async)
    graph.result(goal)


def test_an_owner_can_be_named(graph: Graph) -> None:
    graph.environment()
    start_agents(graph)
    graph.start('legal_agent', node='legal_x', role='x')
    graph.status(lambda s: role_of(s, 'x').standby)
    refused = graph.call(SetRole, 'set_role', role='x', owner='/match/nobody')
    assert not refused.success
    assert f'attached: {RANDOM}, /match/legal_x' in refused.message
    done = graph.call(SetRole, 'set_role', role='x', owner='/match/legal_x')
    assert (done.success, done.owner) == (True, '/match/legal_x')
    result = graph.play(3)
    assert role_of(result, 'x').agent == '/match/legal_x'
    no_noise(result)


@pytest.mark.usefixtures('plain_dds')
def test_nodes_that_end_say_so(graph: Graph) -> None:
    """Nobody sees a node that was stopped; no profile of Fast DDS helps."""
    nodes = [graph.environment(), *start_agents(graph)]
    nodes.append(graph.start('recorder_node', folder=str(graph.folder / 'record')))
    nodes += [graph.start('board_node'), graph.start('match_node', episodes=1_000_000)]
    graph.status(lambda s: s.finished_episodes > 0)
    names = {'env_node', 'random_x', 'random_o', 'recorder_node', 'board_node', 'match_node'}
    graph.wait(lambda: names <= set(graph.node.get_node_names()))
    for node in nodes:
        node.signal(signal.SIGINT)
    assert [node.popen.wait(60) for node in nodes] == [0] * len(nodes), graph.report()
    graph.wait(lambda: not names & set(graph.node.get_node_names()), GOODBYE)
    # Nor does Python complain of what was left undone.
    assert not [node.output for node in nodes if re.search('never|Traceback', node.output)]


@pytest.mark.slow
@pytest.mark.usefixtures('plain_dds')
def test_a_launch_does_not_restart_who_was_swapped(graph: Graph) -> None:
    """What the README shows: a launch, and two agents one after the other."""
    words = 'launch match.launch.py namespace:=match x:=random o:=random episodes:=1000000'
    environment = {
        **os.environ,
        'ROS_DOMAIN_ID': str(graph.domain),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
    }
    launch = Process([*GDL, *words.split()], environment, graph.folder / 'launch.log')
    graph.processes.append(launch)
    graph.status(lambda s: s.finished_episodes > 20)
    done = gdl_swap(graph, 'x', 'legal')
    assert done.stdout == '/match/x_legal_1 plays x; /match/x_random has ended\n', done
    status = graph.status(lambda s: role_of(s, 'x').agent == '/match/x_legal_1')
    # Longer than it takes to restart a node.
    later = status.stamp.sec + 4
    status = graph.status(lambda s: s.stamp.sec > later)
    assert list(role_of(status, 'x').standby) == []
    assert 'x_random ended' in launch.output
    assert 'starting it again' not in launch.output
    launch.stop()
    assert 'match_node ended' in launch.output
    # All have said so: without a word they would be seen for 20 s.
    graph.wait(lambda: graph.node.get_node_names() == [graph.node.get_name()], GOODBYE)
