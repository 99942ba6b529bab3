"""Every tick is recorded, or the match says which recording lacks what, and fails."""

from __future__ import annotations

from pathlib import Path
import re
import resource
import signal
import time
from typing import Any

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import GameInfo, Record, Recorded, Status  # noqa: E402
from graph import Graph, Process, read_all  # noqa: E402

from gdl_env.engine.recordings.reader import read_recordings  # noqa: E402
from gdl_env.ros.transport.qos import info_qos, record_qos, recorded_qos  # noqa: E402

LANES = 4
# More than are published before a recorder must have confirmed the first of them.
EPISODES = 400
# Games of the match in which environment and recorder meet.
FIRST = LANES


def limit_files(process: Process, size: int) -> None:
    """Let no file of a process grow beyond a size, as if the disk were full then."""
    resource.prlimit(process.popen.pid, resource.RLIMIT_FSIZE, (size, size))


def count_games(folder: Path) -> tuple[int, int]:
    """Return how many finished games the JSON lines and the bags of a recording hold."""
    lines = [game for path in folder.glob('*.jsonl') for game in read_recordings(path)]
    bags = list(read_recordings(folder))
    return sum(g.ending is not None for g in lines), sum(g.ending is not None for g in bags)


def start(graph: Graph, **parameters: object) -> Process:
    """Start an environment, agents and a recorder; return the recorder once both have met.

    That is certain only when a match is over: it ends when its recorder has confirmed it.
    """
    graph.environment(lanes=LANES, record_lanes=LANES, require_recorder=True, **parameters)
    recorder = graph.start('recorder_node', folder=str(graph.folder / 'record'), session='test')
    graph.start('random_agent', roles=['x', 'o'])
    graph.wait(lambda: graph.node.count_publishers('/match/recorded') == 1)
    graph.play(FIRST)
    return recorder


def freeze(graph: Graph, recorder: Process) -> Any:
    """Ask for a match, and freeze the recorder when it has begun; return the goal."""
    goal = graph.ask(EPISODES)
    graph.statuses.clear()
    graph.status(lambda s: s.phase == Status.PHASE_PLAYING)
    recorder.signal(signal.SIGSTOP)
    return goal


def test_match_waits_for_its_recorder(graph: Graph) -> None:
    recorder = start(graph)
    goal = freeze(graph, recorder)
    # It plays until too much is unconfirmed, and then waits.
    graph.status(lambda s: s.phase == Status.PHASE_PLAYING and s.steps > 900)
    time.sleep(1)
    graph.statuses.clear()
    assert graph.status(lambda s: s.phase == Status.PHASE_PLAYING).finished_episodes < EPISODES
    recorder.signal(signal.SIGCONT)
    result = graph.result(goal)
    assert (result.success, result.finished_episodes) == (True, EPISODES), graph.report()
    # All of it is on disk before the match is over.
    assert count_games(graph.folder / 'record') == (FIRST + EPISODES, FIRST + EPISODES)
    assert recorder.stop() == 0


@pytest.mark.slow
def test_recorder_that_hangs(graph: Graph) -> None:
    recorder = start(graph, record_clock=2.0)
    # The middleware waits for it, too, at each message, until it is taken for dead.
    result = graph.result(freeze(graph, recorder), 200)
    folder = graph.folder / 'record'
    assert (result.success, result.finished_episodes) == (False, EPISODES)
    assert f'the recording in {folder} is incomplete' in result.message
    lost = re.search(r'with the ends of (\d+) games', result.message)
    assert lost and EPISODES // 2 < int(lost[1]) <= EPISODES
    assert graph.status(lambda s: s.phase == Status.PHASE_FAILED).message == result.message


def test_gaps_are_asked_for_and_counted(graph: Graph) -> None:
    folder = str(graph.folder / 'record')
    answers = graph.collect(Recorded, 'recorded', recorded_qos())
    topic = graph.publisher(Record, 'record', record_qos())
    info = graph.publisher(GameInfo, 'info', info_qos())
    info.publish(GameInfo(name='made_up', roles=['x'], lanes=1))
    recorder = graph.start('recorder_node', folder=folder)
    graph.wait(topic.get_subscription_count)

    def publish(sequence: int, oldest: int = 1) -> None:
        topic.publish(Record(run=7, sequence=sequence, oldest=oldest, tick=sequence, line=['{}']))

    def answer(sequence: int, missing: int = 0) -> Recorded:
        def find() -> Recorded | None:
            found = [a for a in read_all(answers, Recorded) if a.run == 7]
            return next((a for a in found if (a.sequence, a.missing) == (sequence, missing)), None)

        return graph.wait(find, 20)

    def has_first() -> bool:
        # Nothing is recorded before `info` was heard; an environment would publish it again, too.
        publish(1)
        time.sleep(0.2)
        return any(a.sequence == 1 for a in read_all(answers, Recorded))

    graph.wait(has_first, 20)
    request = read_all(answers, Recorded)[-1].request

    def is_asked_again() -> bool:
        # Requests keep their distance; an environment repeats what was not confirmed.
        publish(3)
        time.sleep(0.2)
        return read_all(answers, Recorded)[-1].request != request

    graph.wait(is_asked_again, 20)
    assert answer(1).folder == folder
    publish(2)
    publish(3)
    answer(3)
    # From here on the environment cannot publish again what was lost.
    publish(9, oldest=8)
    publish(8, oldest=8)
    answer(8, missing=4)
    assert '4 messages were lost before message 9' in recorder.output
    assert recorder.stop() == 1


def test_restarted_recorder_continues(graph: Graph) -> None:
    recorder = start(graph)
    goal = graph.ask(EPISODES)
    graph.status(lambda s: s.phase == Status.PHASE_PLAYING and s.finished_episodes > 20)
    recorder.kill()
    folder = graph.folder / 'record'
    again = graph.start('recorder_node', node='again', folder=str(folder), session='test')
    result = graph.result(goal)
    assert (result.success, result.message) == (True, ''), graph.report()
    assert count_games(folder) == (FIRST + EPISODES, FIRST + EPISODES)
    assert again.stop() == 0


def test_required_recorder_is_missed(graph: Graph) -> None:
    graph.environment(
        record_lanes=1, require_recorder=True, start_clock=1.0, record_clock=1.0, play_clock=60.0
    )
    graph.start('random_agent', roles=['x', 'o'])
    result = graph.result(graph.ask(2))
    assert not result.success
    assert 'no recorder was found' in result.message
    assert result.finished_episodes == 2


def test_disk_is_full_for_the_recorder(graph: Graph) -> None:
    recorder = start(graph)
    limit_files(recorder, 150_000)
    result = graph.result(graph.ask(EPISODES))
    folder = graph.folder / 'record'
    assert (result.success, result.finished_episodes) == (False, EPISODES)
    assert f'{folder} cannot be written: File too large' in result.message
    assert recorder.stop() == 1
    assert 'what was recorded so far can be read' in recorder.output
    assert 'Traceback' not in recorder.output
    lines, bags = count_games(folder)
    assert 0 < lines < EPISODES
    assert 0 < bags < EPISODES
    for path in folder.glob('*.jsonl'):
        assert not any(recording.note for recording in read_recordings(path))


def test_disk_is_full_for_the_journal(graph: Graph) -> None:
    parameters = {'journal': str(graph.folder / 'journal')}
    environment = graph.environment(**parameters)
    graph.start('random_agent', roles=['x', 'o'])
    # Kernels are compiled and stored meanwhile.
    graph.play(100)
    limit_files(environment, Path(parameters['journal']).stat().st_size + 30_000)
    result = graph.result(graph.ask(100))
    assert not result.success
    assert f'journal {graph.folder / "journal"} cannot be written: File too large' in (
        result.message
    )
    assert 'Traceback' not in environment.output
    assert 10 < result.finished_episodes < 100
    # The services still answer, and a restart with more room resumes the match.
    assert environment.popen.poll() is None
    assert environment.stop() == 0
    graph.environment(**parameters)
    status = graph.status(lambda s: s.phase == Status.PHASE_FINISHED)
    assert status.finished_episodes == 100
