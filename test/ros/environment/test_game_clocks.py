"""Clocks for a whole game: counted down while a role thinks, and ended by random moves."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(240)]

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
pytest.importorskip('gdl_msgs.msg', reason='gdl_msgs is not built')

from graph import Graph, role_of  # noqa: E402

from gdl_env.environment.options import OptionsError  # noqa: E402
from gdl_env.ros.environment.game_clocks import GameClocks  # noqa: E402
from gdl_env.ros.environment.phase import PhaseClocks  # noqa: E402


def make(play: float = 0.0, total: float = 0.0, increment: float = 0.0) -> GameClocks:
    clocks = GameClocks(PhaseClocks(0.0, play, 1.0, total, increment))
    clocks.begin(1)
    return clocks


def test_each_answer_takes_its_time_and_brings_the_increment() -> None:
    clocks = make(total=10.0, increment=2.0)
    assert clocks.limit('x') == clocks.limit('o') == 10.0
    clocks.spend('x', 4.0, is_answer=True)
    assert (clocks.limit('x'), clocks.limit('o')) == (8.0, 10.0)
    # What passes without an answer brings nothing, and neither does an answer that is too late.
    clocks.spend('x', 3.0, is_answer=False)
    assert clocks.limit('x') == 5.0
    clocks.spend('x', 6.0, is_answer=True)
    assert 0 < clocks.limit('x') < 0.01
    clocks.begin(1)
    assert clocks.limit('x') < 0.01
    clocks.begin(2)
    assert clocks.limit('x') == 10.0


def test_a_move_takes_no_longer_than_the_play_clock() -> None:
    clocks = make(play=5.0, total=8.0)
    assert clocks.limit('x') == 5.0
    clocks.spend('x', 5.0, is_answer=True)
    assert clocks.limit('x') == 3.0
    assert make(play=5.0).limit('x') == 5.0
    assert make().limit('x') == 0.0


def test_who_has_no_time_left_is_played_for(graph: Graph) -> None:
    graph.environment(play_clock=0.0, total_clock=0.5, increment=0.1)
    graph.start('random_agent', node='slow', role='x', delay_ms=60_000)
    graph.start('random_agent', node='quick', role='o')
    result = graph.play(1, seed=3)
    x, o = role_of(result, 'x'), role_of(result, 'o')
    assert result.finished_episodes == 1
    assert x.strikes >= 3
    assert o.strikes == 0


@pytest.mark.parametrize(
    ('clocks', 'lanes', 'problem'),
    [
        (PhaseClocks(0.0, 0.0, 1.0, total=5.0), 2, 'total_clock is for one game at a time'),
        (PhaseClocks(0.0, 0.0, 1.0, increment=5.0), 1, 'increment adds to total_clock'),
    ],
)
def test_clocks_that_make_no_sense_are_refused(
    clocks: PhaseClocks, lanes: int, problem: str
) -> None:
    with pytest.raises(OptionsError, match=problem):
        clocks.check(lanes)
