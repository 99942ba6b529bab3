"""Tournaments as a page: the cross table and the ladder, from the files of a tournament."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
from gdl_env.gui.tournaments.ladder import climb
from gdl_env.ros.tournament.cross_table import CrossTable

if TYPE_CHECKING:
    from pages import Browser, Gui

Browse = Callable[..., 'Browser']

RESULTS = """match,role,agent,episodes,won,drawn,lost,mean_goal,strikes
1,x,random,10,1,1,8,15.0,0
1,o,mcts:time=1,10,8,1,1,85.0,0
2,x,mcts:time=1,10,10,0,0,100.0,0
2,o,random,10,0,0,10,0.0,0
3,x,mcts:time=1,10,6,0,4,60.0,0
3,o,legal,10,4,0,6,40.0,0
"""


def test_a_table_is_read_as_it_was_written() -> None:
    table = CrossTable.from_csv(RESULTS)
    assert table.to_csv() == RESULTS
    assert table.agents == ('random', 'mcts:time=1', 'legal')


def test_a_ladder_ranks_by_strength_not_by_games() -> None:
    table = CrossTable.from_csv(RESULTS)
    rungs = climb([table])
    # `legal` has fewer points than `mcts`, but won them against the strongest.
    assert [rung.agent for rung in rungs] == ['mcts:time=1', 'legal', 'random']
    ratings = [rung.rating for rung in rungs]
    assert ratings == sorted(ratings, reverse=True)
    assert sum(ratings) / 3 == pytest.approx(1500)
    # Twice the same results double the games, and say the same about strength.
    assert [rung.score.games for rung in climb([table, table])] == [60, 20, 40]


@pytest.mark.ros
@pytest.mark.browser
def test_a_tournament_is_shown_with_its_ladder(gui: Gui, browse: Browse) -> None:
    folder = gui.folder / 'tournaments' / 'tictactoe-1'
    folder.mkdir(parents=True)
    (folder / 'results.csv').write_text(RESULTS)
    browser = browse()
    browser.open('/tournament')
    browser.wait(lambda: browser.find('.gt-cross'), 'the cross table')
    rows = [row.text.split('\n') for row in browser.find('.gt-cross tbody tr')]
    assert rows[1][0] == 'mcts, 1 s'
    assert 'Tic-tac-toe: cross table' in browser.text()
    assert browser.find('.gt-ladder tbody th')[0].text == 'mcts, 1 s'
    # One agent alone makes no tournament, and the page says so.
    for _ in range(2):
        browser.tap(lambda: browser.find('.q-chip__icon--remove')[-1], 'chip')
    browser.click('Start')
    browser.wait(lambda: browser.find('.q-notification'), 'what is missing')
