"""Ranges that are too small: what `gdl check` and `gdl random` say of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# 10 can be reached as well as 9.
COUNT = """\
(role a)
(init (sum 0))
(<= (legal a (plus [1,2]:?n))
    (type [1,2] ?n))
(<= (next (sum [0,9]:?sum))
    (true (sum ?before))
    (does a (plus ?n))
    (add ?before ?n ?sum))
(<= over
    (true (sum ?n))
    (greater ?n 8))
(<= terminal
    over)
(goal a 50)
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('GDL_CACHE', str(tmp_path / 'cache'))
    path = tmp_path / 'sums.gdl'
    path.write_text(COUNT)
    return path


def test_random_says_so_in_one_sentence(gdl, path: Path):
    result = gdl('random', path, '-n', 1000, '--seed', 1)
    assert (result.code, result.out) == (1, '')
    assert result.err == (
        f'gdl: {path}:5: (sum 10) is outside the range [0,9] of its rule; a range must hold every'
        ' value that the game reaches\n'
    )


def test_check_plays_and_finds_it(gdl, path: Path):
    result = gdl('check', path)
    assert result.code == 1
    assert f'{path}:5:1: error[left-range]: play reaches (sum 10), outside' in result.out
    (finding,) = json.loads(gdl('check', path, '--json').out)['findings']
    assert (finding['severity'], finding['code'], finding['line']) == ('error', 'left-range', 5)


def test_check_is_silent_where_no_state_leaves_the_range(gdl, path: Path):
    wide = COUNT.replace('[0,9]', '[0,10]')
    # The second way of writing it, only all states of the game tell that 11 is not reached.
    view = wide.replace('(true (sum ?n))', '(at ?n)') + '(<= (at ?n)\n    (true (sum ?n)))\n'
    for text in (wide, view):
        path.write_text(text)
        result = gdl('check', path)
        assert (result.code, result.out) == (0, '1 file: no problems\n')
        assert gdl('random', path, '-n', 1000, '--seed', 1).code == 0


PERCEPTS = (
    COUNT.replace('[0,9]', '[0,10]')
    + """\
(<= (sees a (told [0,9]:?sum))
    (true (sum ?before))
    (does a (plus ?n))
    (add ?before ?n ?sum))
"""
)


def test_check_warns_of_percepts_that_no_observation_holds(gdl, path: Path):
    path.write_text(PERCEPTS)
    result = gdl('check', path)
    assert f'{path}:15:1: warning[open-type]: this rule can give (told 10)' in result.out
    path.write_text(PERCEPTS.replace('(told [0,9]', '(told [0,10]'))
    assert 'open-type' not in gdl('check', path).out


COLOURS = """\
(role a)
(type colour red)
(type colour blue)
(shade red)
(shade green)
(init (at red))
(<= (legal a (paint colour:?c)) (shade ?c))
(<= (next (at colour:?c)) (does a (paint ?c)))
(<= terminal (true (at green)))
(<= (goal a 100) (true (at green)))
(<= (goal a 0) (not (true (at green))))
"""


def test_check_warns_of_facts_and_moves_outside_of_a_named_type(gdl, path: Path):
    path.write_text(COLOURS)
    result = gdl('check', path)
    assert f'{path}:7:1: warning[open-type]: this rule can give (paint green)' in result.out
    assert f'{path}:8:1: warning[open-type]: this rule can give (at green)' in result.out
    path.write_text(COLOURS.replace('(shade green)', '(type colour green)\n(shade green)'))
    assert 'open-type' not in gdl('check', path).out


def test_check_notes_what_it_cannot_tell(gdl):
    result = gdl('check', 'connect_four')
    assert result.code == 0
    assert 'note[open-range]: this rule by itself can give (height ?column 7)' in result.out
    assert 'random games did not reach it' in result.out


def test_a_state_whose_only_moves_are_outside_their_range_is_no_dead_end(gdl, path: Path):
    """No step follows, and the reason is still the range."""
    text = COUNT.replace('(plus [1,2]:?n))\n    (type [1,2] ?n)', '(plus [1,2]:?n))\n    (by ?n)')
    path.write_text(text + '(by 3)\n')
    result = gdl('random', path, '-n', 10)
    assert result.code == 1
    assert f'{path}:3: (plus 3) is outside the range [1,2] of its rule' in result.err
    assert gdl('check', path).code == 1


def test_a_dead_end_is_not_taken_for_the_range_of_a_step_that_nobody_plays(gdl, path: Path):
    """The rule of `next` would leave its range if there were a step."""
    text = """
    (role a) (init (sum 0))
    (<= (legal a plus) (true (sum ?n)) (less ?n 3))
    (<= (next (sum [0,3]:?sum)) (true (sum ?n)) (add ?n 1 ?sum))
    (<= terminal (true (sum 9))) (goal a 50)
    """
    path.write_text(text)
    result = gdl('random', path, '-n', 10)
    assert result.code == 1
    assert 'a dead end: no role has a move, but the game is not over in the state' in result.err
    assert '(sum 3)' in result.err
    assert gdl('check', path).code == 0


# Who goes into the trap has no move any more, and nobody else has one.
TRAP = """\
(role left)
(role right)
(init (at start))
(<= (legal left (go ?place))
    (true (at start))
    (place ?place))
(<= (legal right noop)
    (true (at start)))
(place trap)
(place goal)
(<= (next (at ?place))
    (does left (go ?place)))
(<= terminal
    (true (at goal)))
(goal left 100)
(goal right 0)
"""
TRAPPED = """\
gdl: trap: a dead end: no role has a move, but the game is not over in the state
  (at trap)
which is reached by
  1. left: (go trap), right: noop
"""


@pytest.mark.parametrize(
    'words',
    [
        'eval GAME random random -n 50 --seed 1',
        'train GAME --mode random --episodes 300 --runs RUNS',
        'train GAME --algorithm alphazero --episodes 300 --runs RUNS',
    ],
)
def test_a_dead_end_ends_a_verb(gdl_process, path: Path, words: str) -> None:
    game = path.with_name('trap.gdl')
    game.write_text(TRAP)
    runs = path.with_name('runs')
    result = gdl_process(*words.replace('GAME', str(game)).replace('RUNS', str(runs)).split())
    assert (result.code, result.err.endswith(TRAPPED)) == (1, True), result
    assert 'Traceback' not in result.err


@pytest.mark.parametrize(
    'words',
    [
        'solve GAME --root RUNS',
        'solve GAME --root RUNS --method cfr+',
        'data GAME --how thorough --out RUNS',
        'ggp match GAME left=random right=random --seed 4',
    ],
)
def test_a_dead_end_is_no_result(gdl, path: Path, words: str) -> None:
    game = path.with_name('trap.gdl')
    game.write_text(TRAP)
    runs = path.with_name('runs')
    result = gdl(*words.replace('GAME', str(game)).replace('RUNS', str(runs)).split())
    assert (result.code, result.err.endswith(TRAPPED)) == (1, True), result


@pytest.mark.parametrize('algorithm', ['rainbow', 'alphazero'])
def test_training_stops_where_a_range_is_left(gdl_process, path: Path, algorithm: str) -> None:
    runs = path.with_name('runs')
    words = ('--algorithm', algorithm, '--episodes', 300, '--runs', runs)
    result = gdl_process('train', path, *words)
    assert result.code == 1
    assert f'gdl: {path}:5: (sum 10) is outside the range [0,9] of its rule' in result.err
