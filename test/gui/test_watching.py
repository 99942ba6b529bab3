"""Matches are watched, agents swapped, environments killed, players trained: in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import re
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from graph import Graph
    from pages import Browser, Gui

pytestmark = [pytest.mark.ros, pytest.mark.browser]

Browse = Callable[..., 'Browser']
GAMES = Path(__file__).parents[2] / 'games'


def test_an_agent_is_swapped_while_the_match_goes_on(
    graph: Graph, gui: Gui, browse: Browse
) -> None:
    graph.environment('tictactoe', episodes=-1, start_clock=0.0)
    for role in ('x', 'o'):
        graph.start('random_agent', node=f'{role}_random', role=role, delay_ms=100)
    graph.status(lambda s: s.finished_episodes > 0)
    browser = browse()
    space = graph.namespace
    browser.open(f'/graph?ns={space}')
    browser.wait(lambda: f'{space}/o_random' in browser.text(), 'the agent of o')
    browser.choose('Replace o with', 'legal')
    browser.click('Swap o')
    # From now on the new one answers, and the old one is not heard.
    graph.status(lambda s: s.roles[1].agent.startswith(f'{space}/o_legal'))
    browser.wait(lambda: f'{space}/o_legal' in browser.text(), 'the new agent of o')
    browser.choose('Replace o with', 'the environment, at random')
    browser.click('Swap o')
    # The agent that was started here is ended, and the match continues without it.
    browser.wait(lambda: 'the environment plays' in browser.text(), 'the environment')
    finished = graph.statuses[-1].finished_episodes
    graph.status(lambda s: s.finished_episodes > finished + 2)
    graph.wait(lambda: not any(n.startswith('o_legal') for n in graph.node.get_node_names()))
    browser.choose('Replace o with', 'evolution')
    browser.click('Swap o')
    # An agent that cannot play says why, and whoever is there plays again.
    browser.wait(lambda: 'evolution could not play o: ' in browser.text(), 'the reason')
    graph.status(lambda s: s.roles[1].agent == f'{space}/o_random')


def test_the_environment_is_killed_and_comes_back(
    graph: Graph, gui: Gui, browse: Browse, tmp_path: Path
) -> None:
    from gdl_msgs.srv import SetRole

    how = {'play_clock': 0.0, 'start_clock': 0.0, 'journal': str(tmp_path / 'journal')}
    environment = graph.environment('tictactoe', **how)
    graph.start('legal_agent', role='o')
    browser, watcher = browse(), browse()
    browser.open_match('x')
    browser.click('New game')
    browser.wait_for_turn()
    browser.click_square('2 2')
    browser.wait(lambda: browser.label('1 1') == 'o', 'an answer')
    watcher.open_match()
    watcher.wait(lambda: watcher.pieces() == {'2 2': 'x', '1 1': 'o'}, 'the position')
    environment.kill()
    browser.wait(lambda: 'silent' in browser.banner, 'word that it is gone')
    assert not browser.find('.gt-square.is-target')
    graph.environment('tictactoe', **how)
    # It resumes where it was, and so does the page, without help.
    browser.wait_for_turn()
    assert browser.pieces() == {'2 2': 'x', '1 1': 'o'}
    # Nobody else may answer for its role, as before.
    graph.wait(lambda: graph.call(SetRole, 'set_role', role='x').agent == '/gui_node')
    browser.click_square('3 3')
    watcher.wait(lambda: watcher.label('3 3') == 'x', 'the next move')


@pytest.mark.slow
def test_another_match_takes_the_place_of_one(graph: Graph, gui: Gui, browse: Browse) -> None:
    environment = graph.environment('tictactoe', play_clock=0.0, start_clock=0.0)
    for role in ('x', 'o'):
        graph.start('legal_agent', node=f'legal_{role}', role=role)
    watcher = browse()
    watcher.open_match()
    watcher.click('New game')
    watcher.wait(lambda: len(watcher.pieces()) > 2, 'some moves')
    environment.kill()
    graph.environment('connect_four', play_clock=0.0, start_clock=0.0)
    watcher.wait(lambda: watcher.find('[data-coordinates="7 6"]'), 'the other board')


@pytest.mark.slow
def test_the_server_of_pages_comes_back(graph: Graph, gui: Gui, browse: Browse) -> None:
    from gdl_msgs.srv import SetRole

    browser = browse()
    browser.begin('tictactoe', 'x', missing_clock=0.0)
    browser.click_square('2 2')
    browser.wait(lambda: browser.label('1 1') == 'o', 'an answer')
    browser.driver.execute_script('window.isOld = true')
    before = graph.call(SetRole, 'set_role', role='x').agent
    gui.restart()
    # The page finds it again, takes its role again, and the game continues.
    fresh = 'return !window.isOld'
    browser.wait(lambda: browser.driver.execute_script(fresh), 'a fresh page')
    browser.wait_for_turn()
    browser.wait(lambda: browser.pieces() == {'2 2': 'x', '1 1': 'o'}, 'the position')
    browser.click_square('3 3')
    browser.wait(lambda: browser.label('3 3') == 'x', 'the next move')
    # It plays under the name that it was started with. When it goes for good, others may play.
    assert graph.call(SetRole, 'set_role', role='x').agent == before == '/gui_node'
    assert gui.process.stop() == 0, gui.process.output
    assert graph.call(SetRole, 'set_role', role='x').agent == ''


def test_a_table_is_opened_and_ended(graph: Graph, gui: Gui, browse: Browse) -> None:
    browser = browse()
    browser.open('/')
    browser.choose('o', 'legal')
    browser.click('Start')
    # One role is mine, and who plays alone may take moves back.
    browser.wait_for_turn()
    browser.click_square('1 1')
    browser.wait(lambda: browser.label('2 1') == 'o', 'an answer')
    browser.click('Undo')
    browser.wait(lambda: browser.pieces() == {}, 'an empty board')
    browser.wait_for_turn()
    browser.click_square('2 2')
    browser.wait(lambda: browser.pieces() == {'2 2': 'x', '1 1': 'o'}, 'another answer')
    first = browser.driver.current_url
    browser.open('/')
    browser.click('End')
    browser.choose('x', 'legal')
    browser.click('Start')
    # Both roles are played by agents that the page has started.
    browser.wait(lambda: 'won' in browser.banner or 'draw' in browser.banner, 'a result')
    browser.wait(lambda: {'legal', 'random'} <= set(browser.text().splitlines()), 'agents')
    assert browser.driver.current_url != first
    browser.open('/')
    browser.click('End')
    graph.wait(lambda: not any('table' in space for _, space in _nodes(graph)))


def test_recordings_and_bags_are_replayed(gui: Gui, browse: Browse) -> None:
    recording = GAMES / 'connect_four.recording.jsonl'
    shutil.copy(recording, gui.folder)
    write_bag(gui.folder / 'recordings' / 'bag', recording)
    browser = browse()
    for link in (recording.name, 'recordings/bag/bag_0.mcap'):
        browser.open('/replay')
        browser.click_link(link)
        browser.wait(lambda: 'step 0 of' in browser.banner, 'the beginning')
        assert browser.pieces() == {}
        for count in (1, 2):
            browser.step('one step forward')
            browser.wait(lambda count=count: len(browser.pieces()) == count, f'{count} discs')
        browser.press(']')
        browser.wait(lambda: len(browser.pieces()) == 3, '3 discs')
        browser.step('to the beginning')
        browser.wait(lambda: browser.pieces() == {}, 'the beginning')
    browser.open('/replay?file=../../etc/passwd')
    browser.wait(lambda: 'is not below' in browser.text(), 'refusal')


def write_bag(folder: Path, recording: Path) -> None:
    """Write a bag as a recorder does, with what is in a recording."""
    from gdl_msgs.msg import Record
    from rclpy.serialization import serialize_message

    from gdl_env.ros.recording.bag import BagWriter
    from gdl_env.ros.transport.qos import record_qos

    writer = BagWriter(folder)
    writer.open_topic('/match/record', Record, record_qos())
    for tick, line in enumerate(recording.read_text().splitlines()):
        message = Record(tick=tick, lane=0, line=[line])
        writer.write('/match/record', bytes(serialize_message(message)), 1 + tick)
    writer.close()


def _nodes(graph: Graph) -> list[tuple[str, str]]:
    return [(name, space) for name, space in graph.node.get_node_names_and_namespaces()]


@pytest.mark.torch
def test_what_a_learning_agent_thinks_and_how_well_it_plays(
    graph: Graph, gui: Gui, browse: Browse, tmp_path: Path
) -> None:
    run = train_a_little(tmp_path)
    graph.environment('tictactoe', episodes=-1, start_clock=0.0)
    agent = graph.start('dqn_agent', node='learned', role='x', detail=str(run), delay_ms=200)
    graph.start('random_agent', role='o', delay_ms=200)
    # There are positions to go back to.
    graph.status(lambda s: s.finished_episodes > 0)
    browser = browse()
    browser.open_match()
    browser.click('what agents think', '.q-toggle')
    browser.wait(lambda: len(browser.find('.gt-heat')) >= 4, 'a map of heat')
    browser.click('Pause')
    browser.wait(lambda: browser.banner == 'paused', 'pause')

    def warmest() -> str:
        """Return the square that the agent thinks most of; '' if it is not free."""
        script = """const heat = [...document.querySelectorAll('.gt-heat')]
            .sort((a, b) => b.style.opacity - a.style.opacity);
            return heat.length > 3 ? heat[0].closest('[data-square]').dataset.coordinates : ''"""
        found = str(browser.driver.execute_script(script))
        return found if found and not browser.label(found) else ''

    # Back to a position it has thought about: next, it goes where that was warmest.
    for _ in range(20):
        before = browser.pieces()
        browser.step('one step back')
        browser.wait(lambda before=before: browser.pieces() != before, 'the position before')
        if square := warmest():
            break
    assert square
    browser.step('one step forward')
    browser.wait(lambda: browser.label(square) == 'x', f'x at {square}')
    # Its level is set on the page of the graph.
    browser.open(f'/graph?ns={graph.namespace}')
    browser.wait(lambda: re.search(r'[2-9] \(reward ', browser.text()), 'levels')
    found = re.search(r'([2-9]) \(reward ', browser.text())
    assert found
    browser.tab_to('.q-slider *')
    browser.press(*['ARROW_LEFT'] * (int(found[1]) - 1))
    graph.wait(lambda: 'plays level 1' in agent.output)
    browser.wait(lambda: '1 (reward ' in browser.text(), 'the level')


def train_a_little(folder: Path) -> Path:
    """Return a run with several levels."""
    from gdl_agents.learning.dqn.value_trainer import ValueTrainer
    from gdl_agents.learning.training.config_file import make_config
    from gdl_agents.learning.training.run_folder import RunFolder
    from gdl_agents.learning.training.training_run import TrainingRun
    from gdl_env.language.load import open_game

    given = {
        **{'game': 'tictactoe', 'algorithm': 'dqn', 'network': 'small', 'episodes': 60},
        **{'lanes': 4, 'snapshots': 3, 'evaluation_games': 8, 'final_games': 8},
        'learner': {'warm_up': 30, 'batch': 16, 'capacity': 300, 'updates': 0.2},
    }
    config = make_config(given, {})
    run = RunFolder.create(config, folder / 'runs')
    assert TrainingRun(run, ValueTrainer(open_game('tictactoe'), config)).run()
    return run.path


@pytest.mark.torch
@pytest.mark.slow
def test_a_run_is_started_from_the_page_and_its_curve_grows(
    graph: Graph, gui: Gui, browse: Browse
) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = browse()
    browser.open('/train')
    browser.wait(lambda: browser.find('input[aria-label="Episodes"]'), 'the form')
    episodes = browser.find('input[aria-label="Episodes"]')[0]
    episodes.send_keys(Keys.CONTROL, 'a')
    episodes.send_keys('100000')
    browser.click('Train')
    browser.wait(lambda: 'tictactoe/rainbow-gui-1' in browser.text(), 'the run')

    def points() -> int:
        script = """const chart = document.querySelector('.nicegui-echart');
            return getElement(parseInt(chart.id.slice(1))).chart.getOption().series
              .reduce((sum, line) => sum + line.data.length, 0)"""
        return int(browser.driver.execute_script(script))

    browser.wait(lambda: points() >= 2, 'the first points of the curve', 120)
    before = points()
    browser.wait(lambda: points() > before, 'more points', 120)
    browser.click('Pause')
    browser.wait(lambda: 'paused' in browser.text(), 'pause')
    browser.click('Resume')
    browser.wait(lambda: 'running' in browser.text(), 'a running match')
    browser.click('Stop')
    browser.wait(lambda: 'ended' in browser.text(), 'the end', 60)
    assert (gui.folder / 'runs' / 'tictactoe' / 'rainbow-gui-1' / 'metrics.csv').exists()
