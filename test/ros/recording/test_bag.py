"""Bags: what is in them, and what is left of one whose recorder was killed."""

from __future__ import annotations

from pathlib import Path
import subprocess
import time
from time import monotonic

import pytest
import yaml

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Status  # noqa: E402
from graph import SCRIPTS, Graph  # noqa: E402
from mcap.reader import make_reader  # noqa: E402
from mcap_ros2.decoder import DecoderFactory  # noqa: E402
from visualization_msgs.msg import MarkerArray  # noqa: E402

from gdl_env.engine.recordings.reader import read_recordings  # noqa: E402
from gdl_env.ros.transport.qos import info_qos  # noqa: E402

# Of nodes that do not run here; if they did, their messages would be in the bag, too.
SILENT = ['/match/evaluation', '/match/policy']
TOPICS = ['board', 'info', 'status', 'spectator', 'record']
TOPICS += [f'{role}/{kind}' for role in 'xo' for kind in ('state', 'view', 'action', 'reward')]


def replay(path: Path) -> subprocess.CompletedProcess[str]:
    command = [str(SCRIPTS / 'gdl'), 'replay', str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_bag(graph: Graph) -> None:
    graph.environment(record_lanes=1)
    graph.start('board_node')
    recorder = graph.start('recorder_node', folder=str(graph.folder / 'record'))
    graph.start('random_agent', roles=['x', 'o'])
    boards = graph.collect(MarkerArray, 'board', info_qos())
    result = graph.play(5)
    # The recorder hears what is heard here.
    graph.wait(lambda: boards)
    time.sleep(1)
    graph.status(lambda s: s.phase == Status.PHASE_FINISHED)
    path = graph.folder / 'record' / 'matches.jsonl'
    graph.wait(lambda: path.exists() and path.read_text().count('"end"') == 5)
    assert recorder.stop() == 0

    bag = graph.folder / 'record' / 'bag'
    (file,) = bag.glob('*.mcap')
    counts: dict[str, int] = {}
    lines: list[str] = []
    with file.open('rb') as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        assert summary is not None
        assert summary.chunk_indexes
        for _, channel, _, message in reader.iter_decoded_messages():
            counts[channel.topic] = counts.get(channel.topic, 0) + 1
            if channel.topic == '/match/record':
                lines.extend(message.line)
    assert set(counts) == {'/diagnostics', '/tf_static', *(f'/match/{topic}' for topic in TOPICS)}
    assert ''.join(f'{line}\n' for line in lines) == path.read_text()
    assert counts['/match/x/action'] + counts['/match/o/action'] >= result.steps * 0.5

    told = yaml.safe_load((bag / 'metadata.yaml').read_text())['rosbag2_bagfile_information']
    assert told['storage_identifier'] == 'mcap'
    assert told['relative_file_paths'] == [file.name]
    assert told['message_count'] == sum(counts.values())
    listed = {
        entry['topic_metadata']['name']: entry['message_count']
        for entry in told['topics_with_message_count']
    }
    assert listed == counts | dict.fromkeys(SILENT, 0)
    for place in (bag, file, path):
        done = replay(place)
        assert done.returncode == 0, done
    # A second recording does not overwrite the first.
    second = graph.start('recorder_node', folder=str(graph.folder / 'record'))
    assert second.popen.wait(60) == 1
    assert 'holds a recording already' in second.output


def test_recorder_is_killed(graph: Graph) -> None:
    graph.environment(record_lanes=1, episodes=-1)
    recorder = graph.start('recorder_node', folder=str(graph.folder / 'record'))
    graph.start('random_agent', roles=['x', 'o'], delay_ms=5)
    path = graph.folder / 'record' / 'matches.jsonl'
    graph.wait(lambda: path.exists() and path.read_text().count('"end"') > 5)
    heard = graph.statuses[-1].finished_episodes
    graph.status(lambda s: s.finished_episodes > heard + 10)
    told = monotonic()
    graph.wait(lambda: monotonic() > told + 3)
    recorder.kill()
    lines = [r for r in read_recordings(path) if r.ending is not None]
    bag = [r for r in read_recordings(graph.folder / 'record' / 'bag') if r.ending is not None]
    # Written twice a second: what was heard some seconds before is there.
    assert len(lines) > heard
    assert len(bag) > heard
    done = replay(graph.folder / 'record' / 'bag')
    assert done.returncode == 0, done
