"""The benchmark of sequence players runs, and says what it found."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(('game', 'guard'), [('connect_four', 'tactical'), ('lazerbike', 'look')])
def test_a_player_is_trained_and_played(
    game: str,
    guard: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / 'benchmark'))
    import sequences

    words = ['sequences.py', game, '--games', '60', '--matches', '10', '--folder', str(tmp_path)]
    more = ['--opponents', 'random', '--set', 'episodes=60', '--set', 'batch=256']
    monkeypatch.setattr('sys.argv', [*words, *more])
    assert sequences.main() == 0
    said = capsys.readouterr().out
    rows = [line for line in said.splitlines() if '`random`' in line]
    assert len(rows) == 2 and guard in rows[0] and 'network alone' in rows[1]
    assert all('| 20 |' in row for row in rows)
