"""The benchmark of Doppelkopf runs. Nothing here is about speed."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / 'benchmark' / 'doppelkopf.py'


@pytest.mark.slow
@pytest.mark.prolog
def test_quick_run_without_peers(tmp_path: Path) -> None:
    numbers = tmp_path / 'numbers.json'
    command = [sys.executable, SCRIPT, '--seconds', '0.2', '--rounds', '1', '--core', '-1']
    command += ['--peer-python', tmp_path / 'no_python', '--json', numbers]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr
    circuit, prolog, peer = done.stdout.splitlines()[-3:]
    assert circuit.startswith('| ours: circuit | ') and circuit.count('|') == 5
    assert prolog.startswith('| ours: Prolog | ')
    assert peer.startswith('| rlcard, Dou Dizhu | ')
    results = json.loads(numbers.read_text('utf-8'))['results']
    assert results['ours: circuit']['runs'][0]['steps'] > 0
    # A peer that is not installed is reported, and no failure.
    assert results['rlcard, Dou Dizhu']['missing']
