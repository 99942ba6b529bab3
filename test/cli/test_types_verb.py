"""`gdl types`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

UNTYPED = """\
; A walk.
(role player)
(step north) (step south)
(init (at 1))
(<= (legal player (go ?step)) (step ?step))
(<= (next (at ?n)) (true (at ?m)) (does player (go north)) (add ?m 1 ?n) (less ?n 4))
(<= (next (at ?n)) (true (at ?n)) (does player (go south)))
(<= terminal (true (at 3)))
(<= (goal player 100) (true (at 3)))
"""


@pytest.fixture
def untyped(tmp_path: Path) -> Path:
    path = tmp_path / 'walk.gdl'
    path.write_text(UNTYPED)
    return path


def test_tables_of_a_typed_game(gdl):
    result = gdl('types', 'tictactoe')
    assert result.code == 0
    lines = [' '.join(line.split()) for line in result.out.splitlines()]
    assert 'content typecombine 3 x, o, b' in lines
    assert '(cell [1,3] [1,3] content) 27 0 23, 24, 25, 26, 27, 28, 29, 30, 31, 40, 43' in lines
    assert '(cell 1 1 b) (cell [1,3] [1,3] content) 1 is in [1,3], b is in content' in lines
    assert 'board: 3 channels, 3 rows, 3 columns; 2 entries beside it' in lines
    assert lines[-1] == 'tictactoe (typed): 29 facts, observations of 29, 9 actions'


def test_hidden_facts_have_a_table_of_their_own(gdl):
    out = gdl('types', 'krieg_tictactoe').out
    assert 'what a player is shown' in out
    assert out.splitlines()[-1].endswith('38 facts, observations of 20, 9 actions')
    assert 'what a player is shown' not in gdl('types', 'pig').out


def test_json(gdl):
    data = json.loads(gdl('types', 'pig', '--json').out)
    assert [row['type'] for row in data['types']] == ['player', 'stake', 'time']
    assert data['facts']['size'] == data['observation']['size'] == 209
    assert data['actions']['templates'][0] == {
        'template': '(roll dice)',
        'size': 1,
        'from': 0,
        'lines': [65],
    }
    step = {'from': ['(turn time)', '(turn 1)'], 'to': ['(turn time)'], 'why': '1 is in time'}
    assert step in data['facts']['merges']
    assert data['board'] is None


def test_an_untyped_game(gdl, untyped: Path):
    out = gdl('types', untyped).out
    assert 'at/1' in out
    assert out.splitlines()[-1] == 'walk (inferred): 3 facts, observations of 3, 2 actions'
    data = json.loads(gdl('types', untyped, '--json').out)
    assert data['actions']['relations'] == [
        {'relation': 'go/1', 'size': 2, 'such as': '(go north)'}
    ]


def test_inferred_types_can_be_used_at_once(gdl, untyped: Path, tmp_path: Path):
    result = gdl('types', untyped, '--infer')
    assert result.code == 0
    assert '(type step north)' in result.out
    assert '(legal player (go step:?step))' in result.out
    assert result.out.startswith('; A walk.\n')
    typed = tmp_path / 'typed.gdl'
    typed.write_text(result.out)
    assert gdl('check', typed).code == 0
    last = gdl('types', typed).out.splitlines()[-1]
    assert last == 'typed (typed): 3 facts, observations of 3, 2 actions'


def test_nothing_to_infer(gdl, tmp_path: Path):
    path = tmp_path / 'still.gdl'
    path.write_text('(role r)\n(init f)\n(legal r m)\nterminal\n(goal r 0)\n')
    result = gdl('types', path, '--infer')
    assert result.out == path.read_text()
    assert 'nothing to type' in result.err


def test_wrong_usage(gdl):
    assert gdl('types', 'tictactoe', '--infer', '--json').code == 2
    result = gdl('types', 'tictactoe', '--infer')
    assert result.code == 1
    assert 'already' in result.err


GROWING = """
(role a)
(init (at 1))
(legal a go)
(<= (next (at ?m)) (true (at ?n)) (does a go) (add ?n 1 ?m))
(init (fresh yes))
(<= terminal (true (at 5)) (not (true (fresh yes))))
(goal a 100)
"""


@pytest.mark.prolog
def test_numbers_without_a_bound_in_the_rules(gdl, tmp_path: Path) -> None:
    path = tmp_path / 'growing.gdl'
    path.write_text(GROWING)
    refusal = gdl('types', path)
    assert refusal.code == 1
    assert 'values keep growing: (next (at ' in refusal.err
    assert f'{path}:5' in refusal.err
    result = gdl('types', path, '--infer')
    assert result.code == 0
    assert '(next (at [1,5]:?m))' in result.out
    assert 'random games' in result.out
    path.write_text(result.out)
    assert gdl('random', path, '-n', 5, '--engine', 'circuit').code == 0
