"""The web interface has one name, so that parameter files apply; a second one is warned."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')
pytest.importorskip('nicegui', reason='NiceGUI is not installed')
pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

from graph import Graph  # noqa: E402

CONFIG = Path(__file__).parents[2] / 'config' / 'match.yaml'
SERVING = re.compile(r'serving at http://127\.0\.0\.2:\d+')


def test_parameter_file_applies(graph: Graph, tmp_path: Path) -> None:
    """The shipped file, changed by a person; started as `ros2 run` does it."""
    file = tmp_path / 'my.yaml'
    text = CONFIG.read_text('utf-8').replace('port: 8080', 'port: 0')
    file.write_text(text.replace('host: 127.0.0.1', 'host: 127.0.0.2'))
    words = ('--ros-args', '--params-file', str(file))
    first = graph.start('gui_node', *words, folder=str(tmp_path), token_file=str(tmp_path / 't'))
    graph.wait(lambda: SERVING.search(first.output))
    graph.wait(lambda: 'gui_node' in graph.node.get_node_names())
    assert 'another node is called' not in first.output

    second = graph.start('gui_node', *words, folder=str(tmp_path), token_file=str(tmp_path / 't'))
    graph.wait(lambda: SERVING.search(second.output))
    assert f'another node is called {graph.namespace}/gui_node' in second.output
