"""Games that people bring: checked at their lines, drawn as they are typed, and played."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed')
from gdl_env.editor.worker_lane import WorkerLane
from gdl_env.gui.errors import GuiError
from gdl_env.gui.workshop.drafts import GameDraft, rules_path, save_draft, to_name
from gdl_env.gui.workshop.preview_worker import preview

if TYPE_CHECKING:
    from pages import Browser, Gui

Browse = Callable[..., 'Browser']

GAMES = Path(__file__).parents[2] / 'games'
# A game without end: its numbers grow for ever.
ENDLESS = """(role a)
(<= (n ?x) (n ?y) (is ?x (+ ?y 1)))
(n 1)
(<= (init (at ?x)) (n ?x))
(legal a wait)
(<= terminal (true (at 0)))
(goal a 100)
"""
RULES = """(role you)
(init (cell 1 1 b)) (init (cell 1 2 b)) (init (cell 2 1 b)) (init (cell 2 2 b))
(<= (legal you (mark ?r ?c)) (true (cell ?r ?c b)))
(<= (next (cell ?r ?c x)) (does you (mark ?r ?c)))
(<= (next (cell ?r ?c ?v)) (true (cell ?r ?c ?v)) (not (does you (mark ?r ?c))))
(<= open (true (cell ?r ?c b)))
(<= terminal (not open))
(<= (goal you 100) (not open))
(<= (goal you 0) open)
"""


def test_a_draft_is_drawn_or_its_errors_are_listed() -> None:
    answer = preview('mine', RULES, 'title: Mine', 'mine.gdl')
    assert answer['trouble'] == '' and answer['roles'] == ['you']
    assert answer['legal'] == {'you': ['(mark 1 1)', '(mark 1 2)', '(mark 2 1)', '(mark 2 2)']}
    assert len(answer['scene']['boards']) == 1
    broken = preview('mine', RULES.replace('(role you)\n', ''), 'titel: x', 'mine.gdl')
    assert 'scene' not in broken
    assert any(finding['severity'] == 'error' for finding in broken['findings'])
    assert 'titel' in broken['trouble']


def test_rules_without_end_do_not_hold_the_server() -> None:
    async def ask() -> None:
        lane = WorkerLane('gdl_env.gui.workshop.preview_worker', 1.0)
        asked = {'name': 'endless', 'rules': ENDLESS, 'view': '', 'path': 'endless.gdl'}
        try:
            answer = await lane.ask(asked)
        except (EOFError, asyncio.TimeoutError):
            return
        finally:
            await lane.close()
        # Refused, in words, is as good.
        assert answer['trouble'] or answer['findings']

    asyncio.run(ask())


@pytest.mark.parametrize(
    'name', ['', '../up', '/etc/passwd', 'a b', 'A', '1st', 'x' * 41, 'a.b', '.hidden']
)
def test_names_of_drafts_stay_in_their_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(GuiError, match='cannot be a name'):
        rules_path(tmp_path, name)


@pytest.mark.parametrize(
    ('file', 'name'),
    [
        ('Tic Tac.gdl', 'tic_tac'),
        ('../../etc/My-Game.kif', 'my_game'),
        ('C:\\games\\x.gdl', 'x'),
        ('3d.gdl', 'game_3d'),
        ('.gdl', 'game'),
    ],
)
def test_files_are_named_after_themselves(file: str, name: str) -> None:
    assert to_name(file) == name


def test_a_draft_replaces_no_other_rules(tmp_path: Path) -> None:
    path = save_draft(tmp_path, GameDraft('mine', RULES, 'title: Mine\n'), '')
    assert path == tmp_path / 'drafts' / 'mine.gdl'
    assert (tmp_path / 'drafts' / 'mine.view.yaml').read_text() == 'title: Mine\n'
    with pytest.raises(GuiError, match='has other rules'):
        save_draft(tmp_path, GameDraft('mine', '; another\n'), '')
    save_draft(tmp_path, GameDraft('mine', '; changed\n'), 'mine')
    assert path.read_text() == '; changed\n'
    assert not (tmp_path / 'drafts' / 'mine.view.yaml').exists()
    with pytest.raises(GuiError, match='a game called chess already'):
        save_draft(tmp_path, GameDraft('chess', RULES), '')


@pytest.mark.ros
@pytest.mark.browser
def test_a_file_is_dropped_mended_and_played(gui: Gui, browse: Browse, tmp_path: Path) -> None:
    file = tmp_path / 'four_cells.gdl'
    # A name that no rule defines.
    file.write_text(RULES.replace('(<= terminal (not open))', '(<= terminal (not oben))'))
    browser = browse()
    browser.open('/')
    browser.wait(lambda: browser.find('.gt-drop input'), 'a place for files')[0].send_keys(
        str(file)
    )
    browser.wait(lambda: browser.find('.gt-finding'), 'what is wrong')
    assert 'line 7' in browser.find('.gt-finding')[0].text
    assert browser.find('.cm-line.gt-found'), 'no mark at the line'
    # At the end of the line: before the parentheses, the right word instead.
    browser.tap(lambda: browser.find('.cm-line.gt-found')[0], 'the line')
    browser.press('END', 'ARROW_LEFT', 'ARROW_LEFT', *['BACKSPACE'] * 4, *'open')
    browser.wait(lambda: 'no errors' in browser.text(), 'no errors')
    browser.wait(lambda: len(browser.find('.gt-sketch [data-square]')) == 4, 'four cells')
    browser.click('Play')
    browser.wait(lambda: browser.banner == 'your turn', 'turn')
    browser.click_square('1 1')
    browser.wait(lambda: browser.label('1 1') == 'x', 'a cross')
    browser.open('/')
    browser.wait(lambda: browser.find('.gt-tile[data-game=four_cells]'), 'the game in the gallery')
    browser.click('End')
    assert browser.errors() == []
