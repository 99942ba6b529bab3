"""`gdl agents`, and agents of other packages and of one's own file in `gdl eval`."""

from __future__ import annotations

from collections.abc import Callable
import json
import os
from pathlib import Path
import subprocess
import sys

import pytest

from gdl_env.cli.main import main

MakePackage = Callable[..., Path]

CODE = """
from gdl_agents.players.legal import LegalAgent

class Second(LegalAgent):
    '''Plays second fiddle.

    And more.
    '''
"""


def run_gdl(*words: str, cwd: Path, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(site or ''), os.environ.get('PYTHONPATH')]))
    return subprocess.run(
        [sys.executable, '-m', 'gdl_env.cli.main', *words],
        cwd=cwd,
        env={**os.environ, 'PYTHONPATH': path},
        capture_output=True,
        text=True,
        timeout=250,
    )


def test_agents_are_listed_with_their_packages(
    make_package: MakePackage,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    agents = {
        'second': 'listed_agents:Second',
        'gone': 'gone_module:Gone',
        'poor': 'listed_agents:Second [rich]',
        'legal': 'listed_agents:Second',
    }
    needs = 'Provides-Extra: rich\nRequires-Dist: gold_bars>=1; extra == "rich"\n'
    monkeypatch.syspath_prepend(make_package('listed_agents', agents, CODE, needs))
    assert main(['agents', '--json']) == 0
    rows = {(row['name'], row['package']): row for row in json.loads(capsys.readouterr().out)}
    second = rows['second', 'listed_agents 1.5']
    assert second['summary'] == 'Plays second fiddle.'
    assert second['place'] == 'listed_agents:Second'
    assert second['problem'] == ''
    problems = {name: row['problem'] for (name, _), row in rows.items()}
    assert problems['gone'] == "no: there is no module 'gone_module'"
    assert problems['poor'] == "no: needs gold_bars: pip install 'listed_agents[rich]'"
    assert problems['legal'] == 'no: registered more than once'
    assert problems['random'] == ''
    assert 'listed_agents' not in sys.modules, 'listing imports no agent'


def test_the_table_names_every_agent_of_this_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['agents', '--places']) == 0
    lines = capsys.readouterr().out.splitlines()
    (random,) = [line for line in lines if line.startswith('random ')]
    assert 'gdl_env' in random
    assert 'Plays any legal move' in random
    assert random.endswith('gdl_agents.players.random:RandomAgent')


def test_listing_is_cheap() -> None:
    code = (
        'import sys; from gdl_env.cli.main import main; main(["agents"]); '
        'sys.exit(bool({"torch", "numba", "numpy", "rclpy"} & set(sys.modules)))'
    )
    assert subprocess.run([sys.executable, '-c', code], stdout=subprocess.DEVNULL).returncode == 0


def test_eval_of_another_package_and_of_a_file(make_package: MakePackage, tmp_path: Path) -> None:
    site = make_package('eval_agents', {'second': 'eval_agents:Second'}, CODE)
    (tmp_path / 'own.py').write_text(CODE)
    words = ('tictactoe', 'second', 'own.py:Second', '-n', '4', '--seed', '1', '--json')
    done = run_gdl('eval', *words, cwd=tmp_path, site=site)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert {row['agent'] for row in rows} == {'second', 'own.py:Second'}
    # The first legal move wins the game of tic-tac-toe against the first legal move.
    assert all(row['wins'] == row['games'] for row in rows if row['seat'] == 'x')
