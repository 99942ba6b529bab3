"""A hostile program on the graph publishes what others should: nodes stay up, and name it."""

from __future__ import annotations

import array
from collections.abc import Callable
import json
from pathlib import Path
import time
from typing import Any

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Action, GameInfo, Policy, Record, Recorded, State, Status  # noqa: E402
from graph import SECONDS, Graph, Process, read_all, role_of  # noqa: E402

from gdl_env.engine.recordings.reader import read_recordings  # noqa: E402
from gdl_env.ros.transport import qos  # noqa: E402

# The node of the tests is the hostile one.
HOSTILE = '/match/onlooker'
FAR = 2**60
FORGED = '[ERROR] [0.0] [env_node]: forged'


def forged_info(**changes: object) -> GameInfo:
    fields = {'name': 'chess', 'roles': ['black', 'white'], 'lanes': 2**31, **changes}
    return GameInfo(**fields)


def hears(graph: Graph, publisher: Any, count: int = 1) -> None:
    """Wait until subscribers have found a publisher of the tests."""
    graph.wait(lambda: publisher.get_subscription_count() >= count)


def provoke(graph: Graph, process: Process, forge: Callable[[], None], *words: str) -> None:
    """Forge a message again and again until the log says so: it says most things seldom."""
    deadline = time.monotonic() + SECONDS
    while not all(word in process.output for word in words):
        assert time.monotonic() < deadline, graph.report()
        forge()
        time.sleep(0.3)


def complains(graph: Graph, process: Process, *words: str) -> None:
    """Wait until the log of a node has all these words in one line."""
    graph.wait(
        lambda: any(all(word in line for word in words) for line in process.output.splitlines())
    )


def test_second_publisher_of_info_is_refused(graph: Graph) -> None:
    graph.environment(record_lanes=1, require_recorder=True, play_clock=60.0)
    folder = graph.folder / 'record'
    agent = graph.start('random_agent', roles=['x', 'o'])
    recorder = graph.start('recorder_node', folder=str(folder))
    graph.play(2)
    info = graph.publisher(GameInfo, 'info', qos.info_qos())
    hears(graph, info, 2)
    # Neither of these describes a match: nothing of them gets into a log as it is.
    info.publish(forged_info(roles=[]))
    info.publish(forged_info(name=f'chess\n{FORGED}'))
    complains(graph, agent, 'cannot be printed')
    info.publish(forged_info())
    for process in (agent, recorder):
        complains(graph, process, 'a match of chess is refused', HOSTILE, '/match/env')
        assert FORGED not in process.output.splitlines()
    result = graph.play(3)
    assert role_of(result, 'x').strikes == role_of(result, 'o').strikes == 0
    assert agent.popen.poll() is None
    assert recorder.stop() == 0, recorder.output
    games = list(read_recordings(folder / 'matches.jsonl'))
    assert [game.ending is not None for game in games] == [True] * 5


def test_agent_takes_the_match_of_who_is_left(graph: Graph) -> None:
    info = graph.publisher(GameInfo, 'info', qos.info_qos())
    info.publish(forged_info(roles=['x', 'o']))
    graph.environment(play_clock=60.0)
    agent = graph.start('random_agent', roles=['x', 'o'])
    # Whichever it hears first, and whether it takes that.
    complains(graph, agent, 'is refused', HOSTILE, '/match/env')
    graph.do(lambda: graph.node.destroy_publisher(info))
    assert graph.play(2).finished_episodes == 2


def test_forged_records(graph: Graph) -> None:
    folder = graph.folder / 'record'
    graph.environment(lanes=2, record_lanes=2, require_recorder=True, play_clock=60.0)
    graph.start('random_agent', roles=['x', 'o'])
    recorder = graph.start('recorder_node', folder=str(folder))
    graph.play(4)
    topic = graph.publisher(Record, 'record', qos.record_qos())
    hears(graph, topic)
    run = 77

    def forge(**fields: object) -> None:
        topic.publish(Record(**{'run': run, 'sequence': 1, 'oldest': 1, 'line': ['{}'], **fields}))

    def forge_lanes() -> None:
        for lane in (2**32 - 1, 2**31, 2):
            forge(lane=lane)

    provoke(graph, recorder, forge_lanes, 'but the match has 2')
    split = ['{}\n{"type":"end"}']
    provoke(graph, recorder, lambda: forge(line=split), 'its lines are not those of a recording')
    # Another run, and messages that would count as lost.
    provoke(graph, recorder, forge, 'record is published by', HOSTILE)
    forge(sequence=FAR, oldest=FAR)
    topic.publish(b'\x00\x01\x00\x00garbage')
    assert graph.play(6).finished_episodes == 6
    assert recorder.stop() == 0, recorder.output
    files = sorted(path.name for path in folder.glob('*.jsonl'))
    assert files == ['matches.jsonl', 'matches_lane_1.jsonl']
    games = [game for name in files for game in read_recordings(folder / name)]
    assert len(games) == 10 and all(game.ending is not None for game in games)


def test_forged_states_do_not_silence_an_agent(graph: Graph) -> None:
    graph.environment(play_clock=60.0)
    agent = graph.start('random_agent', roles=['x', 'o'])
    graph.play(1)
    topics = {role: graph.publisher(State, f'{role}/state', qos.state_qos()) for role in 'xo'}
    for role, topic in topics.items():
        hears(graph, topic)
        topic.publish(b'\x00\x01\x00\x00' + bytes([255] * 40))
        topic.publish(State(tick=FAR, role=f'{role}\n{FORGED}', lanes=1))
        topic.publish(State(tick=FAR, role=role, lanes=2**31))
        # This one is as good as any.
        legal = array.array('B', [255, 1])
        topic.publish(
            State(
                tick=FAR,
                role=role,
                lanes=1,
                episode=[1],
                to_move=[1],
                legal=legal,
                observation=array.array('B', [0] * 4),
            )
        )
    result = graph.play(5)
    assert role_of(result, 'x').strikes == role_of(result, 'o').strikes == 0
    assert agent.popen.poll() is None
    assert FORGED not in agent.output.splitlines()


def test_forged_names_and_problems(graph: Graph) -> None:
    environment = graph.environment(record_lanes=1, play_clock=0.0, start_clock=2.0)
    answers = graph.publisher(Action, 'x/action', qos.action_qos())
    recorded = graph.publisher(Recorded, 'recorded', qos.recorded_qos())
    hears(graph, answers)
    hears(graph, recorded)
    states = graph.collect(State, 'x/state', qos.state_qos())
    graph.start('random_agent', role='o')
    goal = graph.ask(1)
    graph.wait(lambda: states)
    (asked, *_) = read_all(states, State)

    def forge() -> None:
        # Right, but for the name.
        name = f'x\n{FORGED}'
        move = asked.legal_moves[0]
        answers.publish(Action(tick=asked.tick, role='x', agent=name, move=[move]))
        recorded.publish(Recorded(folder=f'/{name}', problem=name))

    provoke(graph, environment, forge, 'a name that cannot be printed', 'recorder stops: x\\n')
    # An agent plays once the forger, who came first, has left the role.
    graph.do(lambda: graph.node.destroy_publisher(answers))
    graph.start('random_agent', node='x_agent', role='x')
    graph.wait(graph.do(goal.get_result_async).done)
    assert FORGED not in environment.output.splitlines()
    assert all('\n' not in role.agent for s in graph.statuses for role in s.roles)


def test_forged_status_ends_no_match(graph: Graph) -> None:
    graph.environment(play_clock=60.0)
    file = graph.folder / 'result.json'
    match = graph.start('match_node', episodes=30, result_file=str(file), progress_period=0.0)
    status = graph.publisher(Status, 'status', qos.status_qos())
    hears(graph, status, 2)
    graph.status(lambda s: 'waiting for an agent' in s.message)
    forged = Status(phase=Status.PHASE_FINISHED, finished_episodes=FAR)
    provoke(graph, match, lambda: status.publish(forged), 'status is published by', HOSTILE)
    graph.start('random_agent', roles=['x', 'o'])
    graph.wait(lambda: match.popen.poll() is not None)
    assert match.popen.returncode == 0, match.output
    assert json.loads(file.read_text())['episodes'] == 30


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_forged_policies_and_status_for_learners(graph: Graph, tmp_path: Path) -> None:
    pytest.importorskip('torch', reason='PyTorch is not installed')
    graph.environment(lanes=4, play_clock=0.0)
    options = 'algorithm=dqn,batch=16,warm_up=32,updates=0.1,evaluation_games=2'
    learner = graph.start(
        'learner_node',
        roles=['x'],
        watch=['o'],
        detail=options,
        run=tmp_path / 'run',
        end_with_match=True,
        publish_every=10,
    )
    follower = graph.start('dqn_agent', node='o_copy', role='o', follow='policy')
    evaluator = graph.start('evaluator_node', games=2)
    policy = graph.publisher(Policy, 'policy', qos.policy_qos())
    status = graph.publisher(Status, 'status', qos.status_qos())
    hears(graph, policy, 2)
    hears(graph, status, 2)

    def forge() -> None:
        for weights in (b'', b'PK\x03\x04', bytes(1000)):
            policy.publish(Policy(game=f'x\n{FORGED}', weights=array.array('B', weights)))
        status.publish(Status(phase=Status.PHASE_FINISHED, finished_episodes=FAR))

    for process in (follower, evaluator):
        provoke(graph, process, forge, 'policy is published by', HOSTILE)
    provoke(graph, learner, forge, 'status is published by', HOSTILE)
    graph.do(lambda: graph.node.destroy_publisher(policy))
    graph.do(lambda: graph.node.destroy_publisher(status))
    assert graph.play(40).finished_episodes == 40
    # It evaluates itself before it ends.
    graph.wait(lambda: learner.popen.poll() is not None, 400)
    assert learner.popen.returncode == 0, learner.output
    assert follower.popen.poll() is None and evaluator.popen.poll() is None
    rows = (tmp_path / 'run' / 'metrics.csv').read_text().splitlines()
    assert rows[-1].startswith('40,')
