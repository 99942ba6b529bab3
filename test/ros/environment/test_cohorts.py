"""Lanes in cohorts, on the graph: the same record as without, for agents, recorder and journal."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from gdl_msgs.msg import GameInfo, Spectator, Status  # noqa: E402
from gdl_msgs.srv import CurrentState, LegalMoves, Reset  # noqa: E402
from graph import Graph, read_all, role_of  # noqa: E402

from gdl_env.ros.transport.messages import from_game_info  # noqa: E402
from gdl_env.ros.transport.qos import info_qos, spectator_qos  # noqa: E402

LANES = 7
EPISODES = 23


def read_lanes(folder: Path) -> list[str]:
    """Return what was recorded in each lane."""
    return [path.read_text() for path in sorted(folder.glob('*.jsonl'))]


def count_ends(folder: Path) -> int:
    return sum(text.count('"type":"end"') for text in read_lanes(folder))


def test_cohorts_record_what_all_lanes_together_do(graph: Graph, tmp_path: Path) -> None:
    """Play the same match in one and in three cohorts at once."""
    counts = (1, 3)
    for cohorts in counts:
        namespace = f'/in_{cohorts}'
        graph.start(
            'env_node',
            namespace=namespace,
            game='tictactoe',
            lanes=LANES,
            cohorts=cohorts,
            seed=11,
            episodes=EPISODES,
            record_lanes=LANES,
            play_clock=60.0,
        )
        folder = str(tmp_path / f'record_{cohorts}')
        graph.start('recorder_node', namespace=namespace, folder=folder)
        graph.start('random_agent', namespace=namespace, roles=['x', 'o'], seed=3)
    folders = [tmp_path / f'record_{cohorts}' for cohorts in counts]
    graph.wait(lambda: all(count_ends(folder) >= EPISODES for folder in folders), 150)
    together, parts = map(read_lanes, folders)
    assert len(together) == LANES
    assert parts == together


@pytest.mark.slow
def test_a_match_in_cohorts_is_killed_asked_and_reset(graph: Graph) -> None:
    told = {
        'lanes': 5,
        'cohorts': 2,
        'seed': 4,
        'episodes': 90,
        'play_clock': 60.0,
        'journal': str(graph.folder / 'match.journal'),
    }
    infos = graph.collect(GameInfo, 'info', info_qos())
    boards = graph.collect(Spectator, 'spectator', spectator_qos())
    process = graph.environment(**told)
    # Who attaches to the first cohort alone is not enough.
    assert graph.status(lambda status: 'an agent that plays' in status.message)
    graph.start('random_agent', roles=['x', 'o'], seed=3, delay_ms=10)
    graph.status(lambda status: status.finished_episodes > 20)
    process.kill()
    graph.statuses.clear()
    graph.environment(**told)
    status = graph.status(lambda status: status.phase == Status.PHASE_FINISHED, 150)
    assert status.finished_episodes == 90
    assert all(role.strikes == role.late_answers == 0 for role in status.roles)
    matches = [from_game_info(info) for info in read_all(infos, GameInfo)]
    assert {(info.lanes, info.cohorts) for info in matches} == {(5, 2)}
    board = read_all(boards, Spectator)[-1]
    assert (board.lanes, len(board.episode), len(board.terminated)) == (5, 5, 1)
    assert len(board.goal) == len(board.action) == 10
    assert sum(board.episode) == 90

    # Lanes of the second cohort are asked by their numbers in the match.
    assert graph.call(CurrentState, 'current_state', lane=4).success
    assert not graph.call(CurrentState, 'current_state', lane=5).success
    assert graph.call(LegalMoves, 'legal_moves', role='x', lane=4).success
    assert graph.call(Reset, 'reset', seed=4).success
    status = graph.status(lambda status: 0 < status.finished_episodes < 90)
    assert role_of(status, 'x').owner == '/match/random_agent'
