"""Agents that die, hang, lie and flood: the match continues, and names the culprit."""

from __future__ import annotations

from collections.abc import Iterator
import signal
import time

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import RoleStatus  # noqa: E402
from gdl_msgs.srv import SetRole  # noqa: E402
from graph import Graph, role_of  # noqa: E402

from gdl_env.engine.recordings.reader import read_recordings  # noqa: E402
from gdl_env.engine.recordings.replay import replay  # noqa: E402
from gdl_env.engine.registry import open_engine  # noqa: E402
from gdl_env.language.library import find_game  # noqa: E402
from gdl_env.language.load import load_game  # noqa: E402

EPISODES = 4


@pytest.fixture(scope='module')
def match(shared_graph: Graph) -> Graph:
    """Start an environment, an honest agent for o, and a recorder; x is for others to play."""
    shared_graph.environment(record_lanes=1, play_clock=3.0, missing_clock=0.2, start_clock=0.0)
    shared_graph.start('recorder_node', folder=str(shared_graph.folder / 'record'))
    shared_graph.start('random_agent', node='honest', role='o')
    # Those who misbehave answer for o, too: it must have an owner by then.
    shared_graph.status(lambda s: role_of(s, 'o').owner == '/match/honest')
    return shared_graph


def check_honest(told: object) -> None:
    """Check that the honest agent lost nothing by the other's doings."""
    honest = role_of(told, 'o')
    assert honest.agent == '/match/honest'
    assert (honest.strikes, honest.illegal_answers, honest.late_answers) == (0, 0, 0)


@pytest.fixture(autouse=True)
def leave(match: Graph) -> Iterator[None]:
    """End whoever played x, and wait until all are gone."""
    number = len(match.processes)
    yield
    match.cancel_all()
    for process in match.processes[number:]:
        process.signal(signal.SIGCONT)
        process.stop()
    match.statuses.clear()
    match.status(lambda s: role_of(s, 'x').agent_state == RoleStatus.AGENT_STATE_MISSING)


@pytest.mark.parametrize(
    ('kind', 'counter', 'strikes', 'words'),
    [
        ('late', 'late_answers', True, 'no answer in time'),
        ('twice', 'late_answers', False, 'late answer dropped'),
        # Foreign while the other thinks, late where the other was quicker.
        ('out_of_turn', 'foreign_answers late_answers', False, 'answer dropped'),
        ('wrong_tick', 'foreign_answers', False, 'late answer dropped'),
        ('out_of_range', 'illegal_answers', True, 'an illegal answer'),
        ('wrong_length', 'foreign_answers', False, '`action` has 1000 entries, not 1'),
        ('garbage', 'foreign_answers', False, 'no answer'),
        ('wrong_role', 'foreign_answers', False, 'foreign answer dropped'),
    ],
)
def test_misbehaviour(match: Graph, kind: str, counter: str, strikes: bool, words: str) -> None:
    match.start('misbehaving', kind, 'x', 'o', node=kind)
    # The same complaint is not made again for two seconds.
    time.sleep(2.1)
    result = match.play(EPISODES)
    assert result.finished_episodes == EPISODES
    x = role_of(result, 'x')
    assert any(getattr(x, name) > 0 for name in counter.split())
    assert (x.strikes > 0) == strikes, x
    assert x.agent == f'/match/{kind}'
    check_honest(result)
    lines = match.processes[0].output.splitlines()
    named = [line for line in lines if 'role x' in line and words in line]
    assert named, match.report()
    if kind != 'garbage':
        assert any(f'/match/{kind}' in line and 'ERROR' in line for line in named), named
    if kind == 'wrong_role':
        # What it sent on the other's topic was seen, and dropped: neither as x nor as o does it
        # play o, if o's agent is named.
        assert role_of(result, 'o').foreign_answers > 0


def test_only_the_named_agent_plays(match: Graph) -> None:
    done = match.call(SetRole, 'set_role', role='o', policy=1, agent='/match/honest')
    assert done.agent == '/match/honest'
    match.start('misbehaving', 'wrong_role', 'x', 'o', node='thief')
    result = match.play(EPISODES)
    check_honest(result)
    assert role_of(result, 'o').foreign_answers > 0
    match.call(SetRole, 'set_role', role='o', policy=1, agent='')


def test_agent_dies_and_another_goes_on(match: Graph) -> None:
    first = match.start('legal_agent', node='first', role='x')
    goal = match.ask(100_000)
    match.status(lambda s: role_of(s, 'x').agent == '/match/first' and s.steps > 50)
    first.kill()
    # Random moves stand in, each a strike.
    status = match.status(lambda s: role_of(s, 'x').strikes >= 3)
    check_honest(status)
    match.status(lambda s: role_of(s, 'x').agent_state == RoleStatus.AGENT_STATE_MISSING)
    assert 'role x (/match/first): no answer in time' in match.processes[0].output
    match.start('legal_agent', node='second', role='x')
    # Its name is known before its questions reach it.
    status = match.status(
        lambda s: (
            role_of(s, 'x').agent == '/match/second'
            and role_of(s, 'x').agent_state == RoleStatus.AGENT_STATE_ATTACHED
        )
    )
    steps, strikes = status.steps, role_of(status, 'x').strikes
    status = match.status(lambda s: s.steps > steps + 50)
    assert role_of(status, 'x').strikes <= strikes + 1
    check_honest(status)

    # One that hangs costs the play clock, and is there again when it wakes.
    second = match.processes[-1]
    second.signal(signal.SIGSTOP)
    strikes = role_of(match.statuses[-1], 'x').strikes
    match.status(lambda s: role_of(s, 'x').strikes >= strikes + 2)
    second.signal(signal.SIGCONT)
    status = match.status(
        lambda s: (
            role_of(s, 'x').agent_state == RoleStatus.AGENT_STATE_ATTACHED
            and s.steps > steps + 200
        )
    )
    check_honest(status)
    match.do(goal.cancel_goal_async)
    match.result(goal)


def test_spam(match: Graph) -> None:
    agent = match.start('random_agent', node='honest_x', role='x')
    # A clock that a busy machine keeps: the one of the other tests is for those who are late.
    goal = match.ask(100_000)
    match.status(lambda s: role_of(s, 'x').owner == '/match/honest_x' and s.steps > 20)
    spammers = [
        match.start('misbehaving', 'flood', '2500', '4', 'x/action', 'o/action', node=f'spam_{i}')
        for i in range(4)
    ]
    status = match.status(
        lambda s: all(role.foreign_answers + role.late_answers > 2000 for role in s.roles)
    )
    steps = status.steps
    for spammer in spammers:
        assert spammer.popen.wait(60) == 0
    # It continues through all of it, and after it.
    status = match.status(lambda s: s.steps > steps + 20)
    assert {role.agent for role in status.roles} == {'/match/honest', '/match/honest_x'}
    assert all(role.illegal_answers == 0 for role in status.roles)
    assert '/spammer' in match.processes[0].output
    match.do(goal.cancel_goal_async)
    match.result(goal)
    assert agent.stop() == 0


def test_the_record_is_complete(match: Graph) -> None:
    """Replay everything that was recorded while all of the above happened."""
    time.sleep(1)
    path = match.folder / 'record' / 'matches.jsonl'
    with open_engine(load_game(find_game('tictactoe'))) as engine:
        recordings = list(read_recordings(path))
        assert len(recordings) > EPISODES
        for recording in recordings:
            assert replay(engine, recording) is None
