"""Self-play for a long time, with a node killed every minute: nothing is lost, nothing grows.

    python benchmark/soak.py                       30 minutes, kill -9 once a minute
    python benchmark/soak.py --minutes 120 --write-doc

Training runs with a recorder, the web interface and a browser that looks on, and one node after
the other is killed, in random order: environment, learner, the copy that plays against it,
evaluator, recorder, web interface, and the supervisor of them all, which is started again with the
same words. Then the same training runs without kills until its player is proved never to lose, for
as long at most. The script ends with 0 if no game was lost, nothing grew, and the player is as
strong.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
import csv
from dataclasses import replace
import math
from pathlib import Path
import random
import shutil
import sys
import tempfile
import time
from typing import Any

from soak_launch import SUPERVISOR, Launch, Onlooker, look_on
from soak_report import Kill, Outcome, format_report, write_doc
from soak_samples import Samples

from gdl_agents.learning.dqn.model import About
from gdl_agents.learning.errors import RunError
from gdl_agents.learning.levels.reward_levels import list_snapshots
from gdl_agents.learning.training.run_folder import RunFolder
from gdl_env.engine.recordings.reader import read_recordings

NODES = (
    *('env_node', 'learner_node', 'o_copy', 'evaluator_node', 'recorder_node', 'gui_node'),
    SUPERVISOR,
)
# Games of a training that ends by the time: more than it takes.
MOST_GAMES = 10_000_000
# Between two samples [s].
PERIOD = 5.0


def main() -> int:
    """Run; print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--minutes', type=float, default=30.0)
    parser.add_argument('--kill-every', type=float, default=60.0, help='seconds')
    parser.add_argument('--games', type=int, default=0, help='end with these; 0: by the time')
    parser.add_argument(
        '--patience',
        type=float,
        default=300.0,
        help='seconds until a killed node must be back; more on a busy machine',
    )
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--domain', type=int, default=88)
    parser.add_argument('--port', type=int, default=8388)
    parser.add_argument('--folder', type=Path, help='keep everything there')
    parser.add_argument('--no-browser', action='store_true')
    parser.add_argument('--no-comparison', action='store_true', help='not without kills, too')
    parser.add_argument('--write-doc', action='store_true')
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix='gdl_soak_'))
    folder.mkdir(parents=True, exist_ok=True)
    outcome = soak(options, folder / 'soak')
    if not options.no_comparison:
        print(format_report(outcome), flush=True)
        outcome = replace(outcome, plain=train_without_kills(options, folder / 'plain'))
    report = format_report(outcome)
    print(report)
    if options.write_doc:
        write_doc(report)
    return 1 if outcome.problems else 0


def train_without_kills(options: argparse.Namespace, folder: Path) -> About | None:
    """Return the first snapshot that never loses, if there is one."""
    launch = open_launch(options, folder, extra=['options:=until_proved=true'])
    end = time.monotonic() + options.minutes * 60
    launch.start()
    try:
        while launch.exit_code is None and time.monotonic() < end:
            time.sleep(0.2)
    finally:
        launch.stop()
    return find_proved(folder / 'run')


def soak(options: argparse.Namespace, folder: Path) -> Outcome:
    """Train with kills until the time is up, or all games are played."""
    extra = ['options:=until_proved=false', 'record:=true', 'gui:=true']
    launch = open_launch(options, folder, extra)
    samples, kills = Samples(), []
    started = time.monotonic()
    launch.start()
    try:
        with open_page(options) as page, look_on(options.domain) as onlooker:
            for kill in kill_in_turn(options, launch, samples, page, onlooker):
                kills.append(kill)
                print(
                    f'{kill.time:7.0f} s  {kill.node} killed, back after {kill.away:.1f} s',
                    flush=True,
                )
            if launch.exit_code is None:
                onlooker.pause()
            finished = int(onlooker.status.finished_episodes)
    finally:
        launch.stop()
    return Outcome(
        command=' '.join(['python', 'benchmark/soak.py', *sys.argv[1:]]),
        seconds=time.monotonic() - started,
        # It was stopped, or all games were played.
        has_failed=launch.exit_code not in ({0} if options.games else {0, 130}),
        finished=finished,
        recorded=sum(
            game.ending is not None
            for path in (folder / 'record').glob('*.jsonl')
            for game in read_recordings(path)
        ),
        in_metrics=count_metrics(folder),
        kills=kills,
        samples=samples,
        plain=None,
        proved=find_proved(folder / 'run'),
        is_compared=not options.no_comparison,
    )


def kill_in_turn(
    options: argparse.Namespace,
    launch: Launch,
    samples: Samples,
    page: Page,
    onlooker: Onlooker,
) -> Iterator[Kill]:
    """Kill a node every so often until the launch ends; look at all of them meanwhile."""
    chance = random.Random(options.seed)
    order: list[str] = []
    started = last = sampled = time.monotonic()
    end = math.inf if options.games else started + options.minutes * 60
    while launch.exit_code is None and time.monotonic() < end:
        now = time.monotonic()
        processes = launch.list_processes()
        is_whole = all(node in processes for node in NODES)
        if now - sampled >= PERIOD:
            sampled = now
            samples.take(now - started, processes)
            page.look()
        if now - last >= options.kill_every and is_whole:
            order = order or chance.sample(NODES, len(NODES))
            node = order.pop()
            # So that it is not killed in the moment in which it ends by itself.
            if launch.exit_code is not None:
                break
            steps = onlooker.steps
            page.look()
            old = launch.kill(node)
            last = time.monotonic()
            wait_for_return(launch, node, old, page, options.patience)
            while launch.exit_code is None and onlooker.steps == steps:
                if time.monotonic() - last > options.patience:
                    raise SystemExit(f'no step for {options.patience:g} s after {node} was killed')
                time.sleep(0.1)
            away = time.monotonic() - last
            yield Kill(last - started, node, away)
        time.sleep(0.2)


def wait_for_return(launch: Launch, node: str, old: int, page: Page, patience: float) -> None:
    """Wait until a node is there again; of the web interface, its page."""
    start = time.monotonic()
    seen = page.changes
    while launch.exit_code is None:
        is_there = launch.list_processes().get(node, old) != old
        if node in {'gui_node', SUPERVISOR}:
            page.look()
            is_there = is_there and (page.changes > seen or not page.is_open)
        if is_there:
            break
        if time.monotonic() - start > patience:
            raise SystemExit(f'{node} did not come back within {patience:g} s')
        time.sleep(0.1)


def open_launch(options: argparse.Namespace, folder: Path, extra: list[str]) -> Launch:
    """Return a launch of selfplay that keeps everything in a folder, and can be resumed there."""
    folder.mkdir(parents=True, exist_ok=True)
    parameters = folder / 'parameters.yaml'
    parameters.write_text(f'gui_node:\n  ros__parameters:\n    port: {options.port}\n')
    words = [
        *('game:=tictactoe', 'o:=copy', 'lanes:=16', f'episodes:={options.games or MOST_GAMES}'),
        *(f'seed:={options.seed}', f'run:={folder / "run"}', f'journal:={folder / "journal"}'),
        *(f'record_to:={folder / "record"}', f'params:={parameters}'),
        *('evaluate:=50', 'log_level:=warn'),
    ]
    return Launch([*words, *extra], options.domain, folder / 'launch.log')


class Page:
    """A browser that looks at the match, through deaths of the server."""

    def __init__(self, driver: Any, url: str) -> None:
        self._driver = driver
        self._url = url
        self._last = ''
        # How often something else was seen.
        self.changes = 0

    @property
    def is_open(self) -> bool:
        """Tell whether there is a browser."""
        return self._driver is not None

    def look(self) -> None:
        """Read the board; open the page again if the server is back with another one."""
        if self._driver is None:
            return
        from selenium.common.exceptions import WebDriverException

        script = """return [...document.querySelectorAll('[data-square]')]
            .map((s) => s.getAttribute('aria-label')).join()"""
        try:
            text = str(self._driver.execute_script(script))
            if not text:
                self._driver.get(self._url)
                return
        except WebDriverException:
            return
        if text != self._last:
            self._last = text
            self.changes += 1


@contextmanager
def open_page(options: argparse.Namespace) -> Iterator[Page]:
    """Open a browser at the match."""
    url = f'http://127.0.0.1:{options.port}/match?ns='
    if options.no_browser:
        yield Page(None, url)
        return
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    chosen = ChromeOptions()
    for option in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'):
        chosen.add_argument(option)
    driver = Chrome(options=chosen, service=Service(shutil.which('chromedriver')))
    try:
        yield Page(driver, url)
    finally:
        driver.quit()


def count_metrics(folder: Path) -> int:
    """Return how many games the metrics of a run count."""
    with (folder / 'run' / 'metrics.csv').open(encoding='utf-8') as stream:
        return int(float(list(csv.DictReader(stream))[-1]['episodes']))


def find_proved(run: Path) -> About | None:
    """Return what is known of the first snapshot that never loses."""
    try:
        snapshots = list_snapshots(RunFolder(run))
    except RunError:
        return None
    return next((snapshot.about for snapshot in snapshots if snapshot.about.proved), None)


if __name__ == '__main__':
    sys.exit(main())
