"""Pictures of all games as pages show them: at the start and later, on a phone, and dark.

    .venv/bin/python benchmark/screenshots.py [GAME …] [--folder doc/screenshots]
    .venv/bin/python benchmark/screenshots.py --pages
    .venv/bin/python benchmark/screenshots.py --tiles
    .venv/bin/python benchmark/screenshots.py --film

It opens each game from the first page, as a person does who plays the first role, plays some
moves with the mouse, and takes four pictures, below games: start, later, phone, dark. With
`--pages` it takes pictures of the other pages instead: home, analysis, graph, editor, training
and tournament. It needs ROS 2, Chromium and chromedriver, and takes about fifteen seconds a game.
`--tiles` only cuts the boards of README.md's gallery out of the pictures that are there. `--film`
lets two agents play a match of Connect Four, and makes README.md's animated picture of it.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path
import sys
import tempfile
import time

ROOT = Path(__file__).resolve().parents[1]
# The hands, browsers and persons of the tests.
sys.path[:0] = [str(ROOT), *(str(ROOT / 'test' / name) for name in ('', 'gui', 'ros'))]

from domains import free_domain  # noqa: E402
from hands import PHONE, emulate_screen  # noqa: E402
from pages import Browser, BrowserPool, open_gui  # noqa: E402
from PIL import Image  # noqa: E402
from selenium.webdriver.remote.webelement import WebElement  # noqa: E402
from whole_game import Person  # noqa: E402

DESKTOP = (1280, 900)
# Moves before the second picture.
MOVES = 6
# Pieces slide for less than this [s].
STILL = 0.8
# All players' results follow the own one within this time [s].
SETTLED = 1.5
# An analysis has begun, a training has played its first games within this time [s].
PATIENCE = 240.0
# Enough to see every detail of a board [pixels].
WIDEST = 960
# The gallery of README.md: what is cut out of which picture (left, top, right, bottom) [pixels].
TILES = {
    'chess_later': (24, 110, 456, 542),
    'backgammon_later': (20, 110, 570, 545),
    'othello_later': (24, 110, 456, 542),
    'hex_later': (20, 108, 626, 500),
    'doppelkopf_later': (96, 110, 852, 516),
    'battleship_later': (20, 112, 680, 446),
}
TILE_SIZE = (420, 340)
# The animated picture: who plays, with which options, and what of the page is shown [pixels].
FILM = {'red': ('mcts_agent', 'playouts=3000'), 'yellow': ('alphabeta_agent', 'depth=5')}
FILM_SCREEN = (560, 1100)
FILM_WIDTH = 400
COLOURS = 64
MARGIN, PAGE = 6, '#f4f6fb'
# How long a position is shown, and the last one [ms].
FRAME, LAST_FRAME = 450, 3_000


def save(browser: Browser, path: Path) -> None:
    """Write the top of the page as a small picture, once nothing moves any more."""
    browser.driver.execute_script('scrollTo(0, 0)')
    time.sleep(STILL)
    picture = Image.open(BytesIO(browser.driver.get_screenshot_as_png())).convert('RGB')
    if picture.width > WIDEST:
        picture = picture.resize((WIDEST, round(picture.height * WIDEST / picture.width)))
    picture.save(path, quality=70, method=6)


def set_scheme(browser: Browser, scheme: str) -> None:
    """Prefer light or dark, as a system setting does."""
    features = [{'name': 'prefers-color-scheme', 'value': scheme}]
    browser.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': features})


def take_pictures(game: str, browser: Browser, folder: Path) -> None:
    """Open a game, and take its pictures."""
    emulate_screen(browser.driver, *DESKTOP, is_phone=False)
    set_scheme(browser, 'light')
    person = Person(browser, seed=3, uses_list=False)
    person.open_table(game)
    person.play_some(0)
    save(browser, folder / f'{game}_start.webp')
    person.play_some(MOVES)
    if person.kind == 'result':
        time.sleep(SETTLED)
    save(browser, folder / f'{game}_later.webp')
    set_scheme(browser, 'dark')
    browser.wait(lambda: browser.find('.body--dark'), 'dark page', 10)
    save(browser, folder / f'{game}_dark.webp')
    set_scheme(browser, 'light')
    browser.wait(lambda: not browser.find('.body--dark'), 'light page', 10)
    emulate_screen(browser.driver, *PHONE, is_phone=True)
    browser.wait(lambda: browser.find('.gt-player'), 'players')
    save(browser, folder / f'{game}_phone.webp')
    emulate_screen(browser.driver, *DESKTOP, is_phone=False)
    person.end_table()


def cut_tiles(folder: Path) -> None:
    """Write the gallery beside the pictures of games: boards on tiles of one size."""
    gallery = folder / 'gallery'
    gallery.mkdir(exist_ok=True)
    for name, box in TILES.items():
        page = Image.open(folder / 'games' / f'{name}.webp').convert('RGB')
        board = page.crop(box)
        board.thumbnail(TILE_SIZE, Image.Resampling.LANCZOS)
        tile = Image.new('RGB', TILE_SIZE, page.getpixel((box[0] + 1, box[3] - 1)))
        tile.paste(board, ((tile.width - board.width) // 2, (tile.height - board.height) // 2))
        tile.save(gallery / f'{name.rpartition("_")[0]}.webp', quality=85, method=6)


def take_pages(browser: Browser, folder: Path) -> None:
    """Take pictures of the pages that show no game of one's own."""
    browser.open('/')
    browser.wait(lambda: browser.find('.gt-thumb svg'), 'pictures of games')
    save(browser, folder / 'home.webp')
    browser.open('/editor?game=connect_four')
    browser.wait(lambda: browser.find('[data-square]'), 'the first position', PATIENCE)
    save(browser, folder / 'editor.webp')
    browser.open('/train')
    browser.click('Train')
    browser.open('/?game=connect_four')
    browser.wait(lambda: browser.find('.gt-tile.is-chosen'), 'the game')
    browser.click('Watch')
    browser.wait(lambda: len(browser.pieces()) > MOVES, 'some moves', PATIENCE)
    browser.click('Pause')
    browser.tap(lambda: find_switch(browser, 'analyse'), 'analyse')
    browser.wait(lambda: browser.find('.gt-study .gt-bar'), 'an analysis', PATIENCE)
    graph = 'return document.querySelector(".gt-graph polyline").getAttribute("points").split(" ")'
    browser.wait(
        lambda: len(browser.driver.execute_script(graph)) > MOVES, 'a graph of the game', PATIENCE
    )
    save(browser, folder / 'analysis.webp')
    browser.click('Continue')
    browser.click_link('who plays')
    browser.wait(lambda: any('/s' in t.text for t in browser.find('svg text')), 'rates', PATIENCE)
    save(browser, folder / 'graph.webp')
    browser.open('/tournament')
    browser.click('Start')
    browser.wait(lambda: '6' in ''.join(browser.texts('[role=status]')), 'matches', PATIENCE)
    browser.wait(lambda: browser.find('.gt-ladder td'), 'a ladder', PATIENCE)
    save(browser, folder / 'tournament.webp')
    browser.open('/train')
    browser.wait(lambda: browser.find('[data-mark=news]')[0].text, 'news', 2 * PATIENCE)
    save(browser, folder / 'training.webp')


def find_switch(browser: Browser, words: str) -> WebElement | None:
    """Return a switch by its label."""
    return next((each for each in browser.find('.q-toggle') if words in each.text), None)


def make_film(browser: Browser, path: Path) -> None:
    """Let two agents play, then go through the game on the page, position by position."""
    emulate_screen(browser.driver, *FILM_SCREEN, is_phone=False)
    set_scheme(browser, 'light')
    graph = browser.gui.graph
    graph.environment('connect_four', play_clock=0.0, start_clock=0.0)
    for role, (agent, detail) in FILM.items():
        graph.start(agent, role=role, detail=detail)
    browser.open_match()
    browser.click('New game')
    browser.wait(lambda: 'goal' in browser.banner, 'a result', 600)
    frames: list[Image.Image] = []
    moves = '.gt-history li button'
    # The list may still grow when the result is there.
    while (number := len(frames)) < len(browser.find(moves)):
        browser.tap(lambda at=number: browser.find(moves)[at], 'position')
        shown = f'.gt-history li:nth-child({number + 1}) [aria-current]'
        browser.wait(lambda at=shown: browser.find(at), 'position')
        browser.driver.execute_script('scrollTo(0, 0)')
        time.sleep(STILL)
        page = Image.open(BytesIO(browser.driver.get_screenshot_as_png())).convert('RGB')
        # Who plays, and the board; what the page says of the position in between is left out.
        players, board = (_cut(page, browser, part) for part in ('.gt-players', '.gt-boards'))
        frame = Image.new('RGB', (board.width, players.height + board.height), PAGE)
        frame.paste(players, (0, 0))
        frame.paste(board, (0, players.height))
        frames.append(frame.resize((FILM_WIDTH, round(frame.height * FILM_WIDTH / frame.width))))
    # One palette for all: that of the fullest board.
    palette = frames[-1].quantize(COLOURS)
    first, *others = [
        frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames
    ]
    durations = [FRAME] * len(others) + [LAST_FRAME]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0)


def _cut(page: Image.Image, browser: Browser, part: str) -> Image.Image:
    """Return a part of the page, with a margin, as wide as the board."""
    own, board = (browser.find(found)[0].rect for found in (part, '.gt-boards'))
    left = board['x'] - MARGIN
    right = board['x'] + board['width'] + MARGIN
    return page.crop((left, own['y'] - MARGIN, right, own['y'] + own['height'] + MARGIN))


def main() -> None:
    """Take pictures of the games that are named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('games', nargs='*', help='names of games; all if none is given')
    parser.add_argument('--folder', type=Path, default=ROOT / 'doc' / 'screenshots')
    parser.add_argument('--pages', action='store_true', help='of the other pages, not of games')
    parser.add_argument('--tiles', action='store_true', help='only cut the tiles of README.md')
    parser.add_argument('--film', action='store_true', help='only make the animated picture')
    told = parser.parse_args()
    if told.tiles:
        cut_tiles(told.folder)
        return
    (told.folder / 'games').mkdir(parents=True, exist_ok=True)
    games = told.games or sorted(path.stem for path in (ROOT / 'games').glob('*.gdl'))
    pool = BrowserPool()
    with (
        tempfile.TemporaryDirectory() as folder,
        free_domain() as domain,
        open_gui(Path(folder), domain) as gui,
    ):
        browser = Browser(gui, pool.take(), *DESKTOP)
        try:
            if told.pages:
                take_pages(browser, told.folder)
            if told.film:
                make_film(browser, told.folder / 'match.gif')
            for game in [] if told.pages or told.film else games:
                take_pictures(game, browser, told.folder / 'games')
                print(game, flush=True)
        finally:
            browser.driver.quit()


if __name__ == '__main__':
    main()
