"""An environment that is killed resumes from its journal as if nothing had happened."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import Status  # noqa: E402
from graph import Graph, open_graph  # noqa: E402

from gdl_env.engine.recordings.reader import read_recordings  # noqa: E402

EPISODES = 60


def play(folder: Path, kills: int) -> tuple[list[tuple[object, ...]], bytes]:
    """Play with random agents, and kill the environment so many times; return the outcome."""
    folder.mkdir()
    with open_graph(folder) as graph:
        parameters = {
            'seed': 5,
            'episodes': EPISODES,
            'record_lanes': 1,
            'play_clock': 60.0,
            'journal': str(folder / 'journal.jsonl'),
        }
        environment = graph.environment(**parameters)
        recorder = graph.start('recorder_node', folder=str(folder / 'record'))
        # Slow enough to be caught in the midst of it.
        for role in ('x', 'o'):
            graph.start('random_agent', node=role, role=role, delay_ms=15)
        for number in range(kills):
            share = EPISODES * (number + 1) // (kills + 2)
            before = graph.status(lambda s, share=share: s.finished_episodes >= share)
            environment.kill()
            assert before.phase == Status.PHASE_PLAYING
            environment = graph.environment(**parameters)
            assert 'resuming at tick' in environment.output
            after = graph.status(lambda s: s.phase != Status.PHASE_WAITING)
            assert after.tick >= before.tick
            assert after.finished_episodes >= before.finished_episodes
        status = graph.status(lambda s: s.phase == Status.PHASE_FINISHED)
        path = folder / 'record' / 'matches.jsonl'
        graph.wait(lambda: path.exists() and path.read_text().count('"end"') >= EPISODES)
        assert recorder.stop() == 0
        tallies = [
            (role.role, role.wins, role.draws, role.losses, role.strikes, role.illegal_answers)
            for role in status.roles
        ]
        return [*tallies, (status.finished_episodes, status.steps, status.tick)], path.read_bytes()


def test_killed_and_undisturbed_are_the_same(tmp_path: Path) -> None:
    undisturbed, record = play(tmp_path / 'undisturbed', 0)
    assert undisturbed[-1][0] == EPISODES
    assert all(account[4] == 0 for account in undisturbed[:-1])
    killed, killed_record = play(tmp_path / 'killed', 2)
    assert killed == undisturbed
    assert killed_record == record
    assert len(list(read_recordings(tmp_path / 'killed' / 'record' / 'bag'))) == EPISODES


def test_killed_before_the_first_tick(graph: Graph) -> None:
    journal = str(graph.folder / 'journal.jsonl')
    environment = graph.environment(journal=journal)
    assert graph.ask(3).accepted
    graph.status(lambda s: 'waiting for an agent' in s.message)
    environment.kill()
    graph.environment(journal=journal)
    # A launch that was started again asks again: it must not begin another match.
    graph.status(lambda s: 'waiting for an agent' in s.message)
    assert not graph.ask(5).accepted
    graph.start('legal_agent', roles=['x', 'o'])
    status = graph.status(lambda s: s.phase == Status.PHASE_FINISHED)
    assert status.finished_episodes == 3
