"""The benchmark runs, and writes what its readers expect. Nothing here is about speed."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / 'benchmark' / 'engines.py'


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPT, *arguments]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=280, check=False
    )


@pytest.mark.slow
@pytest.mark.prolog
def test_quick_run_without_peers(tmp_path: Path) -> None:
    done = run(
        *('--quick', '--games', 'tic-tac-toe', '--output', tmp_path),
        *('--contestants', 'circuit', 'prolog', 'spiel'),
        *('--peer-python', tmp_path / 'no_python'),
    )
    assert done.returncode == 0, done.stderr
    assert 'Steps a second' in done.stdout
    report = json.loads((tmp_path / 'engines.json').read_text('utf-8'))
    assert report.keys() == {'date', 'machine', 'settings', 'kernels_seconds', 'games'}
    assert report['machine'].keys() >= {'cpu', 'cores', 'memory_gb', 'python', 'load'}
    (game,) = report['games']
    assert game['game'] == 'tic-tac-toe'
    assert game['rules'] == 'games/tictactoe.gdl'
    circuit, prolog, spiel = game['entries']
    # A peer that is not installed is reported, and no failure.
    assert spiel.keys() == {'contestant', 'title', 'missing'}
    for entry in (circuit, prolog):
        assert len(entry['rates']) == report['settings']['rounds']
        assert 0 < entry['median'] <= entry['best']
        assert entry['start_seconds'].keys() == {'process', 'open'}
        assert 5 <= entry['sample']['length'] <= 9
    assert circuit['operations'] > 0
    assert circuit['lanes'] == 4096
    assert circuit['peak_mb'] > 0
    assert prolog['agreement']['rules_differ'] == ''
    assert [entry['contestant'] for entry in game['single']] != []


def test_unknown_game() -> None:
    assert run('--games', 'tiddlywinks').returncode == 2
