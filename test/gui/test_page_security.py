"""Files and texts of others run no script in a page, and pages start no programs by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import shutil
import time
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
import yaml

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, BrowserPool, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']
GAMES = Path(__file__).parents[2] / 'games'
# What a script would leave behind, in the page that it runs in.
HACK = "document.documentElement.dataset.hacked='yes'"
PICTURE = (
    f'<image href="nowhere.png" onerror="{HACK}"/><script>{HACK}</script>'
    f'<rect x="10" y="10" width="80" height="80" onload="{HACK}"/>'
    f'<foreignObject width="9" height="9"><body xmlns="http://www.w3.org/1999/xhtml">'
    f'<img src="x" onerror="{HACK}"/></body></foreignObject>'
    f'<a xlink:href="javascript:{HACK}"><circle cx="50" cy="50" r="30"/></a>'
)


@pytest.fixture(scope='module')
def received(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Put a game of others, and its view file, where games are looked up."""
    folder = tmp_path_factory.mktemp('received')
    shutil.copy(GAMES / 'tictactoe.gdl', folder / 'trap.gdl')
    view = {'pieces': {'x': {'svg': PICTURE, 'label': f'<img src=x onerror="{HACK}">'}}}
    view['title'] = f'<img src=x onerror="{HACK}">'
    (folder / 'trap.view.yaml').write_text(yaml.safe_dump(view))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('GDL_PATH', str(folder))
        yield folder


@pytest.fixture(scope='module')
def server(domain: int, received: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gui]:
    """Start a server that knows the game of others."""
    from pages import open_gui

    with open_gui(tmp_path_factory.mktemp('gui'), domain, 'gui_node_received') as gui:
        yield gui


def is_hacked(browser: Browser) -> bool:
    return bool(browser.driver.execute_script('return document.documentElement.dataset.hacked'))


def test_picture_of_a_view_file_runs_no_script(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.begin('trap', 'x', 'random')
    browser.wait(lambda: len(browser.find('.gt-square.is-target')) == 9, 'nine free squares')
    browser.click_square('2 2')
    browser.wait(lambda: browser.find('[data-piece="1,1"] image'), 'the picture')
    browser.wait(lambda: len(browser.pieces()) == 2, 'an answer')
    assert not is_hacked(browser)
    # It is drawn, as a picture.
    size = browser.driver.execute_async_script(
        """const done = arguments[0], image = new Image();
        image.onload = () => done(image.width); image.onerror = () => done(-1);
        image.src = document.querySelector('[data-piece="1,1"] image').getAttribute('href');"""
    )
    assert size > 0
    assert not browser.find('.gt-pieces script, .gt-pieces foreignObject, .gt-pieces a')
    # The words of the file are words.
    assert '<img src=x' in (browser.square('2 2').get_attribute('aria-label') or '')
    assert not is_hacked(browser)
    assert browser.errors() == []


PAGES = ('/', '/train', '/replay', '/graph?ns={ns}', '/match?ns={ns}', '/match?ns={ns}&role=x')


def test_pages_work_with_a_strict_policy(graph: Graph, gui: Gui, browse: Browse) -> None:
    graph.environment('tictactoe', play_clock=0.0, start_clock=0.0)
    browser = browse()
    for path in PAGES:
        check_policy(browser, path.format(ns=graph.namespace))


def check_policy(browser: Browser, path: str) -> None:
    """Open a page, and try what its policy forbids."""
    browser.open(path)
    browser.wait(lambda: browser.find('header a'), f'the page {path}')
    browser.wait(lambda: browser.find('.q-card, .gt-player, .q-btn'), 'the content')
    assert browser.errors() == [], path
    with urlopen(f'{browser.gui.url}{path}') as answer:
        policy = answer.headers['Content-Security-Policy']
        assert answer.headers['X-Content-Type-Options'] == 'nosniff'
    parts = dict(part.split(' ', 1) for part in policy.split('; '))
    assert parts['default-src'] == "'none'"
    assert "'unsafe-inline'" not in parts['script-src']
    assert "script-src 'self' 'unsafe-eval' 'sha256-" in policy
    # Whatever gets into the page later does not run, nor load anything from elsewhere.
    browser.driver.execute_script(
        """const box = document.createElement('div');
        box.style = 'position: fixed; top: 100px; z-index: 9999';
        box.innerHTML = `<img src="x" onerror="${arguments[0]}"><svg onload="${arguments[0]}"/>
        <a id="trap" href="javascript:${arguments[0]}">here</a>`;
        document.body.append(box);
        const script = document.createElement('script');
        script.textContent = arguments[0];
        document.body.append(script);""",
        HACK,
    )
    browser.tap(lambda: browser.find('#trap')[0], 'the trap')
    refused: list[str] = []

    def count() -> int:
        refused.extend(text for text in browser.errors() if 'Content Security Policy' in text)
        return len(refused)

    browser.wait(lambda: count() >= 4, f'refusals of {path}')
    assert not is_hacked(browser)


def test_names_of_roles_are_no_properties() -> None:
    """NiceGUI runs properties that begin with a colon; roles of a match may be any text."""
    from nicegui import ui
    from nicegui.client import Client
    from nicegui.page import page

    from gdl_env.gui.pages.shell import mark

    role = f'role-o<:onclick={HACK}'
    with Client(page('/nowhere')):
        element = ui.element()
        mark(element, role)
        assert dict(element.props) == {'data-mark': role}


def enter(browser: Browser, label: str, text: str) -> None:
    """Type a new value into a selection; again, as people do, where a new page took it away."""
    field = f'input[aria-label="{label}"]'

    def is_entered() -> bool:
        browser.tap(lambda: browser.find(field)[0], label)
        browser.press_with_control('a')
        browser.press(*text, 'ENTER')
        browser.wait(lambda: is_closed(browser), 'end of the menu')
        return browser.find(field)[0].get_attribute('value') == text

    browser.wait(lambda: browser.find(field), label)
    browser.wait(is_entered, text)


def is_closed(browser: Browser) -> bool:
    """Close a menu; tell whether it stays closed: new options of the server open it again."""
    if browser.find('.q-menu'):
        browser.press('ESCAPE')
        return False
    time.sleep(0.5)
    return not browser.find('.q-menu')


def test_pages_start_no_programs(graph: Graph, gui: Gui, browse: Browse, tmp_path: Path) -> None:
    mark = tmp_path / 'mark'
    browser = browse()
    browser.open('/')
    enter(browser, 'o', f'external:touch {mark}')
    browser.click('Start')
    browser.wait(lambda: 'gdl gui --allow-programs' in browser.text(), 'the refusal')
    graph.environment('tictactoe', play_clock=0.0, start_clock=0.0)
    browser.open(f'/graph?ns={graph.namespace}')
    enter(browser, 'Replace x with', f'external:touch {mark}')
    browser.click('Swap x')
    browser.wait(lambda: 'gdl gui --allow-programs' in browser.text(), 'the refusal')
    browser.open('/train')
    browser.wait(lambda: browser.find('input[aria-label^="Options"]'), 'options')
    browser.tap(lambda: browser.find('input[aria-label^="Options"]')[0], 'options')
    browser.press(*f'reward={mark}.py:r')
    browser.click('Train')
    browser.wait(lambda: 'gdl gui --allow-programs' in browser.text(), 'the refusal')
    assert not mark.exists()


# That tables start them is in test_agent_choice.py; a server of its own takes a while.
@pytest.mark.slow
def test_pages_start_programs_where_the_server_allows_it(
    domain: int, pool: BrowserPool, tmp_path: Path
) -> None:
    from graph import Graph
    from pages import Browser, Gui

    graph = Graph(tmp_path, domain, '/allowing')
    browser = None
    try:
        gui = Gui(graph, tmp_path, 'gui_node_allowing', allow_programs=True)
        browser = Browser(gui, pool.take(), 1200, 900)
        browser.open('/')
        # Programs run in the folder of the server: the fewer keys, the sooner the list is quiet.
        enter(browser, 'o', 'external:touch mark')
        browser.click('Start')
        browser.wait((tmp_path / 'mark').exists, 'trace of the program')
    finally:
        if browser is not None:
            pool.give_back(browser.driver)
        graph.close()
