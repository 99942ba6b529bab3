"""The benchmark of general players measures what it says, keeps it, and writes tables of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / 'benchmark'))


def test_children_and_alphabeta_of_a_small_game(tmp_path: Path) -> None:
    import ggp
    from ggp_tables import make_tables

    kept = tmp_path / 'ggp.json'
    options = ['--only', 'tic-tac-toe', '--seconds', '0.01', '--rounds', '1']
    ggp.main(['children', 'alphabeta', *options, '--results', str(kept)])
    children, alphabeta = json.loads(kept.read_text())
    assert {'one state a call', 'do and undo', 'step, then look'} < set(children['rates'])
    # Ten thousand a second is less than any way makes.
    assert all(rate > 10_000 for rate in children['rates'].values())
    assert alphabeta['agree'] == alphabeta['positions'] > 0
    text = make_tables([children, alphabeta])
    assert text.count('| tic-tac-toe |') == 2


def test_children_are_counted_as_they_are(tmp_path: Path) -> None:
    from ggp_children import _list_ways, open_rules, sample_positions

    rules = open_rules('tic-tac-toe')
    states = sample_positions(rules, 40)
    assert len(states) == 40
    look = rules.look(states)
    assert not look.terminal.any()
    moves = int(look.counts().prod(axis=1, where=look.counts() > 0).sum())
    ways = _list_ways(rules, states)
    assert {count for name, (_, count) in ways.items() if name != 'do and undo'} == {moves}


def test_two_players_of_ours_meet_on_both_seats(tmp_path: Path) -> None:
    import ggp
    from ggp_tables import make_tables

    kept = tmp_path / 'ggp.json'
    options = ['--only', 'tictactoe', '--games', '8', '--players', 'mcts:playouts=60', 'random']
    ggp.main(['variants', *options, '--results', str(kept)])
    (row,) = json.loads(kept.read_text())
    wins, _, losses = row['result']
    assert sum(row['result']) == 8
    assert wins > losses
    # Each has half of the decisions, but for who begins.
    assert abs(row['moves'][0] - row['moves'][1]) <= 8
    assert '`mcts:playouts=60` : `random`' in make_tables([row])
