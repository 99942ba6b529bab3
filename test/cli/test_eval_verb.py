"""`gdl eval` of players that think ahead, where something is hidden."""

from __future__ import annotations

import json
from pathlib import Path

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


# Two teams of two take turns; who is the first to sit twice wins for both. `a` and `c` together.
TEAMS = """
(role a) (role b) (role c) (role d) (init (turn a)) (init (left 4))
(after a b) (after b c) (after c d) (after d a) (side a odd) (side c odd) (side b even)
(side d even) (lower 4 3) (lower 3 2) (lower 2 1) (lower 1 0)
(<= (legal ?r sit) (true (turn ?r))) (<= (legal ?r stand) (true (turn ?r)))
(<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
(<= (next (left ?m)) (true (left ?n)) (lower ?n ?m))
(<= (next (sat ?s)) (does ?r sit) (side ?r ?s)) (<= (next (sat ?s)) (true (sat ?s)))
(<= (missed ?s) (does ?r stand) (side ?r ?s))
(<= (next (stood ?s)) (missed ?s)) (<= (next (stood ?s)) (true (stood ?s)))
(<= terminal (true (left 0)))
(<= (fine ?s) (true (sat ?s)) (not (true (stood ?s))))
(<= (goal ?r 100) (side ?r ?s) (fine ?s)) (<= (goal ?r 0) (side ?r ?s) (not (fine ?s)))
"""


def test_an_agent_plays_for_its_whole_team(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / 'sitting.gdl'
    path.write_text(TEAMS)
    # Who always sits has 100; a random team-mate would stand up in half of the games.
    assert main(['eval', str(path), 'legal', '-n', '40', '--seed', '1', '--json']) == 0
    *seats, total = json.loads(capsys.readouterr().out)
    assert [row['seat'] for row in seats] == ['a + c', 'b + d']
    assert [row['goals'] for row in seats] == [4000, 4000]
    assert total['games'] == 80
    assert main(['info', str(path), '--json']) == 0
    assert json.loads(capsys.readouterr().out)['teams'] == ['a + c', 'b + d']


# Moves and facts without a bound: there is no table of actions, and no vector.
ENDLESS = """
(role a) (role b) (init (n 1)) (init (control a)) (other a b) (other b a) (factor 2) (factor 3)
(<= (legal ?p (make ?m)) (true (control ?p)) (factor ?k) (true (n ?n)) (mult ?n ?k ?m))
(<= (next (n ?m)) (does ?p (make ?m)))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (n ?n)) (greater ?n 100))
(<= (goal ?p 100) terminal (true (control ?p)))
(<= (goal ?p 0) terminal (true (control ?q)) (other ?p ?q))
"""


@pytest.mark.parametrize('agent', ['random', 'mcts:playouts=20'])
def test_games_without_a_table_of_actions(
    agent: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / 'endless.gdl'
    path.write_text(ENDLESS)
    assert main(['eval', str(path), agent, '-n', '3', '--seed', '1']) == 0
    told = capsys.readouterr()
    assert 'endless: one lane' in told.err
    # Nothing is hidden, so no player is blind.
    assert 'blind' not in told.out


def test_no_open_game_hides_something(capsys: pytest.CaptureFixture[str]) -> None:
    # Its steps share an entry of the vectors.
    game = 'sokoban(steps=10)'
    assert main(['eval', game, 'tactical', '-n', '1', '--seed', '1']) == 0
    assert 'blind' not in capsys.readouterr().out
