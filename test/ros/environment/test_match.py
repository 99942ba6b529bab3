"""A match on the graph: environment, agents, recorder and onlookers as real processes."""

from __future__ import annotations

import os
from pathlib import Path
import time

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import GameInfo, RoleStatus, Spectator, State, Status  # noqa: E402
from gdl_msgs.srv import CurrentState, LegalMoves, Reset, SetRole  # noqa: E402
from graph import Graph, read_all, role_of  # noqa: E402
from lifecycle_msgs.msg import State as LifecycleState  # noqa: E402
from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState  # noqa: E402
from lifecycle_msgs.srv import GetState as GetLifecycle  # noqa: E402
from rcl_interfaces.srv import DescribeParameters, ListParameters  # noqa: E402

from gdl_env.engine.recordings.reader import read_recordings  # noqa: E402
from gdl_env.engine.recordings.replay import replay  # noqa: E402
from gdl_env.engine.registry import open_engine  # noqa: E402
from gdl_env.language.library import find_game  # noqa: E402
from gdl_env.language.load import load_game  # noqa: E402
from gdl_env.ros.transport.qos import info_qos, spectator_qos, state_qos  # noqa: E402


@pytest.fixture(scope='module')
def match(shared_graph: Graph) -> Graph:
    """Start an environment of one lane with two random agents."""
    shared_graph.environment(
        record_lanes=1, play_clock=20.0, journal=str(shared_graph.folder / 'journal.jsonl')
    )
    shared_graph.start('recorder_node', folder=str(shared_graph.folder / 'record'))
    for role in ('x', 'o'):
        shared_graph.start('random_agent', node=f'random_{role}', role=role)
    return shared_graph


def test_episodes_add_up_and_replay(match: Graph) -> None:
    result = match.play(20, seed=7)
    assert result.finished_episodes == 20
    x, o = role_of(result, 'x'), role_of(result, 'o')
    assert (x.agent, o.agent) == ('/match/random_x', '/match/random_o')
    for role in (x, o):
        assert role.wins + role.draws + role.losses == 20
        assert role.agent_state == RoleStatus.AGENT_STATE_ATTACHED
        assert role.strikes == role.illegal_answers == role.late_answers == 0
    assert (x.wins, x.draws, x.losses) == (o.losses, o.draws, o.wins)
    assert x.mean_goal + o.mean_goal == pytest.approx(100)
    status = match.status(lambda s: s.phase == Status.PHASE_FINISHED)
    assert status.steps == result.steps

    path = match.folder / 'record' / 'matches.jsonl'
    match.wait(lambda: path.exists() and path.read_text().count('"end"') >= 20)
    recordings = list(read_recordings(path))
    assert len(recordings) == 20
    assert sum(len(recording.steps) for recording in recordings) == result.steps
    with open_engine(load_game(find_game('tictactoe'))) as engine:
        assert all(replay(engine, recording) is None for recording in recordings)


def test_goals(match: Graph) -> None:
    assert not match.ask(0).accepted
    assert not match.ask(2**63).accepted
    goal = match.ask(1_000_000)
    assert goal.accepted
    match.status(lambda s: s.phase == Status.PHASE_PLAYING and s.finished_episodes > 0)
    assert not match.ask(1).accepted
    refused = match.call(Reset, 'reset', seed=-1)
    assert not refused.success
    assert 'cancel it first' in refused.message
    began = time.monotonic()
    match.do(goal.cancel_goal_async)
    result = match.result(goal)
    assert time.monotonic() - began < 10
    assert (result.success, result.message) == (False, 'cancelled')
    assert 0 < result.finished_episodes < 1_000_000
    # A goal after a cancelled one starts from the beginning.
    assert match.play(1).finished_episodes == 1


def test_who_waits_costs_nothing(match: Graph) -> None:
    """Quick agents are polled, which keeps a core busy; but not when they are done."""
    assert match.play(200).finished_episodes == 200
    pid = match.processes[0].popen.pid
    time.sleep(0.5)
    before = cpu_seconds(pid)
    time.sleep(1)
    assert cpu_seconds(pid) - before < 0.5


def cpu_seconds(pid: int) -> float:
    """Return the time that a process has worked."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def test_services(match: Graph) -> None:
    before = match.call(Reset, 'reset', seed=3)
    assert before.success
    assert match.call(Reset, 'reset', seed=-1).tick == before.tick + 1
    state = match.call(CurrentState, 'current_state')
    assert state.success
    assert len(state.facts) == 10
    assert not state.is_terminal
    moves = match.call(LegalMoves, 'legal_moves', role='x')
    assert len(moves.move) == len(moves.action) == 9
    assert list(match.call(LegalMoves, 'legal_moves', role='o').move) == []
    for kind, name, fields, words in (
        (CurrentState, 'current_state', {'role': 'z'}, "'z' is not a role; roles: x, o"),
        (CurrentState, 'current_state', {'lane': 1}, 'no lane 1; lanes: 0 to 0'),
        (LegalMoves, 'legal_moves', {'role': ''}, "'' is not a role"),
        (LegalMoves, 'legal_moves', {'role': 'x', 'lane': 2**32 - 1}, 'no lane 4294967295'),
        (SetRole, 'set_role', {'role': 'z', 'policy': 1}, "'z' is not a role"),
        (SetRole, 'set_role', {'role': 'x', 'policy': 9}, 'policy 9 is none of'),
    ):
        response = match.call(kind, name, **fields)
        assert not response.success
        assert words in response.message

    # The environment plays roles itself where it is asked to: the first legal moves.
    for role in ('x', 'o'):
        done = match.call(SetRole, 'set_role', role=role, policy=SetRole.Request.POLICY_LEGAL)
        assert (done.success, done.policy) == (True, SetRole.Request.POLICY_LEGAL)
    result = match.play(3)
    assert role_of(result, 'x').wins == 3
    assert role_of(result, 'x').strikes == 0
    for role in ('x', 'o'):
        match.call(SetRole, 'set_role', role=role, policy=SetRole.Request.POLICY_AGENT)
    asked = match.call(SetRole, 'set_role', role='x')
    assert asked.policy == SetRole.Request.POLICY_AGENT


def test_whoever_comes_late_sees_the_current_state(match: Graph) -> None:
    goal = match.ask(1_000_000)
    tick = match.status(lambda s: s.phase == Status.PHASE_PLAYING and s.steps > 10).tick
    info = match.collect(GameInfo, 'info', info_qos())
    states = match.collect(State, 'x/state', state_qos())
    spectator = match.collect(Spectator, 'spectator', spectator_qos())
    match.wait(lambda: info and states and spectator)
    assert list(read_all(info, GameInfo)[0].roles) == ['x', 'o']
    assert read_all(states, State)[0].tick >= tick
    assert read_all(spectator, Spectator)[0].tick >= tick - 1
    assert read_all(spectator, Spectator)[0].facts
    match.do(goal.cancel_goal_async)
    match.result(goal)


def test_lifecycle(match: Graph) -> None:
    def change(transition: int) -> bool:
        response = match.call(
            ChangeState, 'env_node/change_state', transition=Transition(id=transition)
        )
        return bool(response.success)

    def state() -> int:
        return int(match.call(GetLifecycle, 'env_node/get_state').current_state.id)

    assert state() == LifecycleState.PRIMARY_STATE_ACTIVE
    goal = match.ask(1_000_000)
    future = match.do(goal.get_result_async)
    match.status(lambda s: s.phase == Status.PHASE_PLAYING)
    assert change(Transition.TRANSITION_DEACTIVATE)
    tick = match.status(lambda s: s.phase == Status.PHASE_PAUSED).tick
    assert not match.ask(1).accepted
    assert match.statuses[-1].tick == tick
    # The goal continues where it was.
    assert change(Transition.TRANSITION_ACTIVATE)
    match.status(lambda s: s.phase == Status.PHASE_PLAYING and s.tick > tick + 10)
    assert change(Transition.TRANSITION_DEACTIVATE)
    assert change(Transition.TRANSITION_CLEANUP)
    match.wait(future.done)
    assert not future.result().result.success
    assert state() == LifecycleState.PRIMARY_STATE_UNCONFIGURED
    assert not change(Transition.TRANSITION_ACTIVATE)
    assert change(Transition.TRANSITION_CONFIGURE)
    assert state() == LifecycleState.PRIMARY_STATE_INACTIVE
    assert not match.ask(1).accepted
    assert change(Transition.TRANSITION_ACTIVATE)
    # It was broken off, not called off: the journal has it, and it continues.
    match.status(lambda s: s.phase == Status.PHASE_PLAYING and s.tick > tick)


def test_parameters_are_described(match: Graph) -> None:
    names = match.call(ListParameters, 'env_node/list_parameters').result.names
    own = [name for name in names if name != 'use_sim_time' and not name.startswith(('qos', 's.'))]
    assert {'game', 'lanes', 'seed', 'play_clock', 'journal'} <= set(own)
    response = match.call(DescribeParameters, 'env_node/describe_parameters', names=own)
    for descriptor in response.descriptors:
        if descriptor.name in ('start_type_description_service',):
            continue
        assert descriptor.description, descriptor.name
        if descriptor.name == 'lanes':
            assert descriptor.read_only
            assert descriptor.integer_range[0].from_value == 1


@pytest.mark.parametrize(
    ('parameters', 'words', 'code'),
    [
        ({'lanes': 0}, 'lanes', 1),
        ({'game': 'no_such_game'}, 'no_such_game', os.EX_CONFIG),
        ({'illegal': 'maybe'}, 'illegal must be one of end, random, best', 1),
        ({'teams': ['one: z']}, 'z is not a role', os.EX_CONFIG),
    ],
)
def test_parameters_that_cannot_be(
    parameters: dict[str, object], words: str, code: int, graph: Graph
) -> None:
    process = graph.start('env_node', **parameters)
    assert process.popen.wait(60) == code
    assert words in process.output
    assert 'Traceback' not in process.output


def test_many_lanes(graph: Graph) -> None:
    graph.environment(lanes=256, record_lanes=2)
    graph.start('recorder_node', folder=str(graph.folder / 'record'))
    both = graph.start('random_agent', roles=['x', 'o'])
    result = graph.play(1024)
    assert result.finished_episodes == 1024
    x, o = role_of(result, 'x'), role_of(result, 'o')
    assert x.wins + x.draws + x.losses == 1024
    assert x.wins == o.losses > 0
    assert x.strikes == o.strikes == 0
    moves = graph.call(LegalMoves, 'legal_moves', role='x', lane=255)
    assert moves.success
    assert not graph.call(LegalMoves, 'legal_moves', role='x', lane=256).success
    path = graph.folder / 'record' / 'matches_lane_1.jsonl'
    graph.wait(lambda: path.exists() and path.read_text().count('"end"') == 4)
    assert both.stop() == 0
