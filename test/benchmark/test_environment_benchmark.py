"""The benchmark of the environment runs, and writes what its readers expect: no speeds here."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / 'benchmark' / 'environment.py'


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPT, *arguments]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=280, check=False
    )


@pytest.mark.slow
def test_quick_run_without_peers(tmp_path: Path) -> None:
    done = run(
        *('peers', 'adapters', '--games', 'tic-tac-toe', '--lanes', 512),
        *('--seconds', 0.05, '--rounds', 2, '--core', -1, '--output', tmp_path),
        *('--peer-python', tmp_path / 'no_python'),
    )
    assert done.returncode == 0, done.stderr
    assert 'Million lane-steps per CPU second' in done.stdout
    peers, adapters = json.loads((tmp_path / 'environment.json').read_text('utf-8'))
    assert (peers['part'], peers['game'], peers['lanes']) == ('peers', 'tic-tac-toe', 512)
    assert peers['machine'].keys() >= {'cpu', 'cores', 'load'}
    # A peer that is not installed is reported, and no failure.
    assert peers['pgx'].keys() == {'missing'}
    assert len(peers['ours']['rates']) == 2
    assert peers['ours']['operations'] > 0
    # The ninth move is the only one without a choice.
    assert 1 < peers['ours']['steps'] < 1.2
    # An observation has 29 bits, a mask 9, and there is a state behind them.
    assert 10 < peers['ours']['bytes_a_lane'] < 10_000
    for name in ('ours', 'gymnasium', 'one_lane', 'pettingzoo'):
        assert adapters[name]['rate'] > 0


@pytest.mark.parametrize(
    'arguments',
    [('--games', 'tiddlywinks'), ('speed',), ('--lanes', 0), ('--write-doc', '--output', 'x')],
)
def test_wrong_arguments_are_refused(arguments: tuple[object, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert str(arguments[-1]) in done.stderr or '--' in done.stderr
