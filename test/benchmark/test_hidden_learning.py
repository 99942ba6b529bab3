"""The benchmark of players that mix: a run from its options to the row of its table."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')
pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parents[2]


def test_a_short_run_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / 'benchmark'))
    from hidden_learning import main

    arguments = ['--games', 'kuhn_poker', '--seeds', '1', '--seconds', '1.5', '--set', 'lanes=64']
    monkeypatch.setattr('sys.argv', ['hidden_learning.py', *arguments])
    assert main() == 0
    [row] = [line for line in capsys.readouterr().out.splitlines() if '| kuhn_poker' in line][:1]
    found = re.search(r'NashConv (\d+\.\d+) \| 0\.05 at most \| ([\d,]+) \|', row)
    assert found is not None, row
    # Uniform play has 0.92, and no player of this game more than 4 chips to give away.
    assert 0 < float(found[1]) < 4
    assert int(found[2].replace(',', '')) > 0
