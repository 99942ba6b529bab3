"""The same seed and the same agents give the same record, whatever the timing."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from graph import Graph  # noqa: E402

RUNS = 5


def test_timing_does_not_matter(graph: Graph, tmp_path: Path) -> None:
    """Play the same match in several namespaces at once, with agents slow in different ways."""
    for run in range(RUNS):
        namespace = f'/run_{run}'
        folder = tmp_path / f'record_{run}'
        graph.start(
            'env_node',
            namespace=namespace,
            game='simultaneous_krieg_tictactoe',
            seed=11,
            episodes=5,
            record_lanes=1,
            play_clock=60.0,
        )
        graph.start('recorder_node', namespace=namespace, folder=str(folder))
        # Both roles in one process, and in turns: the delays differ by answer and by agent.
        graph.start(
            'random_agent',
            namespace=namespace,
            roles=['x', 'o'],
            seed=3,
            agent_name=f'slow_{run}',
            delay_ms=30 * run,
        )
    paths = [tmp_path / f'record_{run}' / 'matches.jsonl' for run in range(RUNS)]
    graph.wait(lambda: all(p.exists() and p.read_text().count('"end"') >= 5 for p in paths), 150)
    records = {path.read_bytes() for path in paths}
    assert len(records) == 1
