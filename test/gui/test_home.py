"""The first page: pictures of the games, a search, options, and matches with names."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, Gui

Browse = Callable[..., 'Browser']
GAMES = Path(__file__).parents[2] / 'games'


def test_kinds_are_derived_from_rules() -> None:
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    from gdl_env.gui.gallery.game_cards import list_cards

    cards = {card.name: card for card in list_cards()}
    assert set(cards['chess'].kinds) == {'perfect information', 'board'}
    assert cards['chess'].players == 2
    assert set(cards['skat'].kinds) == {'hidden', 'chance', 'cards'}
    assert 'simultaneous' in cards['lazerbike'].kinds
    assert 'puzzle' in cards['sokoban'].kinds
    assert cards['connect_four'].board is not None
    assert cards['connect_four'].board['style'] == 'holes'
    # Every game says what it is, and has two pictures only by chance.
    assert all(card.summary and card.players for card in cards.values())


@pytest.mark.ros
@pytest.mark.browser
def test_a_game_is_found_and_started_with_options(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.open('/')

    def tiles() -> list[str]:
        return [t.get_attribute('data-game') for t in browser.find('.gt-tile') if t.is_displayed()]

    browser.wait(lambda: len(tiles()) > 10, 'games')
    browser.click('hidden', '.gt-kinds button')
    browser.wait(lambda: 'skat' in tiles() and 'chess' not in tiles(), 'hidden games')
    browser.click('hidden', '.gt-kinds button')
    browser.tap(lambda: browser.find('input[aria-label="search the games"]')[0], 'search')
    browser.press('hex')
    browser.wait(lambda: tiles() == ['hex'], lambda: f'hex alone: {tiles()}')
    browser.tap(lambda: browser.find('.gt-tile[data-game=hex]')[0], 'hex')
    field = '[data-mark=option-size] input, input[data-mark=option-size]'
    browser.wait(lambda: browser.find(field), 'the size as an option')
    browser.tap(lambda: browser.find(field)[0], 'size')
    browser.press_with_control('a')
    browser.press('4')
    browser.click('Start')
    browser.wait(lambda: browser.find('.gt-player.is-you'), 'a table')
    browser.wait(lambda: len(browser.find('[data-square]')) == 16, 'sixteen cells')
    browser.open('/')
    browser.wait(lambda: 'Hex: you against random' in browser.text(), 'a name for the match')
    browser.click('End')
    browser.wait(lambda: 'you against' not in browser.text(), 'end')
    assert browser.errors() == []


def test_the_gallery_is_made_again_when_games_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    pytest.importorskip('nicegui', reason='NiceGUI is not installed')
    from gdl_env.gui.gallery.gallery_data import GalleryData, gallery_path

    monkeypatch.setenv('GDL_PATH', str(tmp_path))
    gallery = GalleryData()
    # It takes a moment, and no page waits for it.
    assert gallery_path(gallery).endswith('?of=')
    gallery.refresh()
    first = gallery_path(gallery)
    assert first == gallery_path(gallery) != '/gdl/gallery.json?of='
    (tmp_path / 'new_game.gdl').write_text((GAMES / 'tictactoe.gdl').read_text())
    assert gallery_path(gallery) != first
    names = [card['name'] for card in json.loads(gallery.text)]
    assert 'new_game' in names and 'chess' in names
