"""`gdl eval` of players that think ahead, where something is hidden."""

from __future__ import annotations

import json

import pytest

from gdl_env.cli.main import main
from gdl_env.cli.verbs.train import eval as eval_verb
from gdl_env.environment.score import Score


def test_blind_decisions_are_in_the_results(capsys: pytest.CaptureFixture[str]) -> None:
    words = ['eval', 'kuhn_poker', 'ismcts:playouts=8', '-n', '4', '--seed', '1', '--json']
    assert main(words) == 0
    *seats, total = json.loads(capsys.readouterr().out)
    assert [row['seat'] for row in seats] == ['alice', 'bob']
    assert all(row['hidden_decisions'] > 0 for row in seats)
    assert total['hidden_decisions'] == sum(row['hidden_decisions'] for row in seats)
    assert total['blind_decisions'] == 0


@pytest.mark.parametrize(
    ('status', 'cell'),
    [({'hidden_decisions': 1_200, 'blind_decisions': 3}, '3 of 1,200 (0.2%)'), ({}, '-')],
)
def test_the_table_has_their_share(status: dict[str, int], cell: str) -> None:
    row = eval_verb._Row('ismcts', 'random', 'all', Score(), status)
    assert row.to_cells(with_status=True)[-1] == cell
    assert len(row.to_cells(with_status=False)) == len(row.to_cells(with_status=True)) - 1


def test_agents_that_think_by_the_clock_play_fewer_games() -> None:
    players = [eval_verb._open('ismcts'), eval_verb._open('random')]
    assert eval_verb._choose_number(players, 4) == 6
    assert eval_verb._choose_number([eval_verb._open('ismcts:time=20')], 4) == 4
    counted = [eval_verb._open('ismcts:playouts=100'), eval_verb._open('random')]
    assert eval_verb._choose_number(counted, 4) == 1_000
