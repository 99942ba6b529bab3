"""`gdl play`: by text, by a terminal, with hidden information, with recordings."""

from __future__ import annotations

import os
from pathlib import Path
import pty
import select
import subprocess
import sys
import time

import pytest

from gdl_env.engine.recording_reader import read_recordings

pytestmark = pytest.mark.prolog
ROOT = Path(__file__).resolve().parents[2]


def type_in(*lines: str) -> str:
    return ''.join(f'{line}\n' for line in lines)


def test_watch_two_random_players(gdl):
    result = gdl('play', 'tictactoe', 'x=random', 'o=random', '--seed', 3)
    assert result.code == 0
    assert result.out.startswith('x: random, o: random\n')
    assert 'The game is over.\n  x: ' in result.out
    assert result.err == ''
    assert gdl('play', 'tictactoe', 'x=random', 'o=random', '--seed', 3).out == result.out


def test_seed_is_printed_when_none_is_given(gdl):
    assert gdl('play', 'tictactoe', 'x=random', 'o=random').err.startswith('seed ')


def test_person_plays_by_number_and_by_text(gdl_process):
    lines = type_in('(mark 1 1)', 'MARK 1 2', '1', '1', '1', '1', '1')
    result = gdl_process('play', 'tictactoe', '--seed', 3, stdin=lines)
    assert result.code == 0
    assert 'x: human, o: random' in result.out
    assert 'x: (mark 1 1)\no: ' in result.out
    assert 'x: (mark 1 2)\no: ' in result.out
    assert 'The game is over.' in result.out


@pytest.mark.parametrize(
    ('line', 'answer'),
    [
        ('help', 'take back your last move'),
        ('moves 3 ', '7  (mark 3 1)'),
        ('moves zzz', "no move contains 'zzz'"),
        ('state', 'x> state\n\ncell:\n'),
        ('undo', 'there is nothing to take back'),
        ('99', 'type a number from 1 to 9'),
        ('0', 'type a number from 1 to 9'),
        ('(mark 9 9)', "'(mark 9 9)' is not a legal move"),
        (')(', "')(' is not a legal move"),
        ('', 'x> \nx> quit'),
        ('quit', 'Stopped before the end.'),
    ],
)
def test_commands(gdl_process, line: str, answer: str):
    result = gdl_process('play', 'tictactoe', '--seed', 3, stdin=type_in(line, 'quit'))
    assert result.code == 0
    assert answer in result.out
    assert result.err == ''


def test_end_of_input_ends_cleanly(gdl_process):
    result = gdl_process('play', 'tictactoe', '--seed', 3, stdin='5\n')
    assert result.code == 0
    assert result.out.endswith('x> \nStopped before the end.\n')
    assert result.err == ''


def test_the_first_role_that_is_left_is_yours(gdl_process):
    result = gdl_process('play', 'tictactoe', 'x=random', '--seed', 1, stdin='quit\n')
    assert 'x: random, o: human' in result.out
    assert 'o> quit' in result.out


def test_undo_goes_back_to_the_last_own_choice_and_is_recorded(gdl_process, tmp_path: Path):
    lines = type_in('1', 'undo', '(mark 2 2)', 'undo', 'undo', '(mark 3 3)')
    result = gdl_process('play', 'tictactoe', '--seed', 3, '--record', 'match.jsonl', stdin=lines)
    assert result.out.count('back before step 1') == 2
    assert result.out.count('there is nothing to take back') == 1
    (recording,) = read_recordings(tmp_path / 'match.jsonl')
    (first, _) = recording.steps
    assert [str(move) for move in first.moves.values()] == ['(mark 3 3)']
    assert recording.ending is not None and not recording.ending.is_terminal
    assert gdl_process('replay', 'match.jsonl').code == 0


def test_hidden_marks_are_not_shown(gdl_process, tmp_path: Path):
    lines = type_in(*'12345')
    arguments = ('play', 'krieg_tictactoe', '--seed', 3, '--record', 'match.jsonl')
    result = gdl_process(*arguments, stdin=lines)
    assert result.code == 0
    # Moves of the other are told by no line; its marks only where x bumped into them.
    assert '\no: (mark' not in result.out
    assert 'sees' not in result.out
    (recording,) = read_recordings(tmp_path / 'match.jsonl')
    assert any(str(role) == 'o' for step in recording.steps for role in step.moves)


def test_percepts_are_told_for_each_step(gdl_process):
    lines = type_in('1', 'state', 'quit')
    result = gdl_process('play', 'simultaneous_krieg_tictactoe', '--seed', 3, stdin=lines)
    assert 'x perceives nothing before the first move.' in result.out
    assert result.out.count('x perceives in step 1:') == 2
    assert '(chose' not in result.out
    assert '\no: ' not in result.out


def test_two_people_take_turns_at_the_keyboard_where_choices_are_secret(gdl_process):
    lines = type_in('', '1', '', '2', '', 'quit')
    result = gdl_process(
        'play', 'simultaneous_krieg_tictactoe', 'x=human', 'o=human', '--seed', 1, stdin=lines
    )
    assert result.code == 0
    assert 'x, it is your turn: press Enter when nobody else is looking.' in result.out
    assert 'o, it is your turn: press Enter when nobody else is looking.' in result.out
    assert 'o: (mark' not in result.out


SERIAL = """
(role a) (role b) (init open)
(<= (legal ?r noop) (role ?r) (true open))
(<= (legal a buy) (true open))
(<= (next sold) (does ?r buy))
(<= (next (sees ?r mine)) (does ?r buy))
(<= terminal (true sold))
(<= (goal ?r 50) (role ?r))
"""


def test_own_noop_is_told_where_it_is_a_turn(gdl_process, tmp_path: Path):
    (tmp_path / 'vase.gdl').write_text(SERIAL)
    result = gdl_process('play', './vase.gdl', '--seed', 1, stdin=type_in('noop', 'quit'))
    assert 'a> noop\na: noop\n' in result.out
    assert 'b: ' not in result.out.replace('b: random', '')


def test_noop_that_only_fills_a_turn_is_not_told(gdl_process, tmp_path: Path):
    (tmp_path / 'joint.gdl').write_text(
        '(role a) (role b) (init open) (legal a m) (legal a n) (legal b noop)'
        '(<= (next done) (does a ?m)) (<= terminal (true done)) (<= (goal ?r 50) (role ?r))'
    )
    result = gdl_process('play', './joint.gdl', stdin='m\n')
    assert 'a: m\n' in result.out
    assert 'noop' not in result.out


@pytest.mark.parametrize('game', ['krieg_tictactoe', 'simultaneous_krieg_tictactoe'])
def test_undo_tells_no_number_where_steps_are_hidden(gdl_process, game: str):
    result = gdl_process('play', game, '--seed', 3, stdin=type_in('1', 'undo', '2', 'quit'))
    assert result.code == 0
    assert '  back before the last choice\n' in result.out
    assert 'back before step' not in result.out


def test_undo_of_the_second_person_shows_the_first_one_its_percepts_again(gdl_process):
    lines = type_in('', '1', '', '2', '', '3', '', 'undo', '', 'quit')
    result = gdl_process(
        'play', 'simultaneous_krieg_tictactoe', 'x=human', 'o=human', '--seed', 1, stdin=lines
    )
    assert result.code == 0
    assert '  choose again\n' in result.out
    turns = result.out.split('press Enter when nobody else is looking. ')[1:]
    # x, o, x, o, and x again after the undo.
    assert [turn.count('x perceives in step 1:') for turn in turns] == [0, 0, 1, 0, 1]
    assert turns[4].partition('x> ')[0].strip('\n') == turns[2].partition('x> ')[0].strip('\n')


def test_percepts_are_shown_again_after_going_back(gdl_process):
    lines = type_in('1', '2', 'undo', '2', 'quit')
    result = gdl_process('play', 'simultaneous_krieg_tictactoe', '--seed', 3, stdin=lines)
    shown = [part.rpartition('perceives in step ')[2][:1] for part in result.out.split('x> ')]
    assert shown[1:5] == ['1', '2', '1', '2']


def test_two_people_see_an_open_game_together(gdl_process):
    lines = type_in('1', '1', 'undo', '2', 'quit')
    result = gdl_process('play', 'tictactoe', 'x=human', 'o=human', stdin=lines)
    assert 'press Enter' not in result.out
    assert 'back before step 2' in result.out


def test_experiments_show_what_was_drawn(gdl_process):
    result = gdl_process('play', 'pig', '--seed', 4, stdin=type_in('(roll dice)', 'quit'))
    assert 'alice: (roll ' in result.out
    assert 'alice: (roll dice)' not in result.out


def test_moves_that_are_numbers_are_typed_as_they_are(gdl_process, tmp_path: Path):
    rules = """
    (role a) (init open)
    (legal a 7) (legal a 1) (legal a 3)
    (<= (next (chose ?n)) (does a ?n))
    (<= terminal (true (chose ?n)))
    (<= (goal a 100) (true (chose 3))) (<= (goal a 0) (not (true (chose 3))))
    """
    (tmp_path / 'numbers.gdl').write_text(rules)
    result = gdl_process('play', './numbers.gdl', stdin='3\n')
    assert 'a: 3\n' in result.out
    assert '  a: 100\n' in result.out


def test_nobody_can_move(gdl_process, tmp_path: Path):
    (tmp_path / 'stuck.gdl').write_text(
        '(role a) (init p) (<= (legal a m) (true q)) (<= (next q) (does a m))'
        '(<= terminal (true q)) (goal a 0)'
    )
    result = gdl_process('play', './stuck.gdl')
    assert 'Nobody has a legal move, though the game is not over.' in result.out
    assert result.code == 0


def read_until(handle: int, text: str, seconds: float = 20.0) -> str:
    """Read from a terminal until a text appears."""
    seen = ''
    end = time.monotonic() + seconds
    while text not in seen:
        assert time.monotonic() < end, f'waited for {text!r}, got {seen!r}'
        if select.select([handle], [], [], 0.2)[0]:
            seen += os.read(handle, 4096).decode()
    return seen


def test_person_at_a_real_terminal(tmp_path: Path):
    control, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, '-m', 'gdl_env.cli.main', 'play', 'tictactoe', '--seed', '3'],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=tmp_path,
        env=os.environ | {'PYTHONPATH': str(ROOT), 'TERM': 'xterm'},
        start_new_session=True,
    )
    os.close(terminal)
    try:
        read_until(control, 'x> ')
        os.write(control, b'mark 2 2\n')
        assert 'x: (mark 2 2)\r\no: ' in read_until(control, 'x> ')
        # The arrow up brings the last line back: now it is illegal.
        os.write(control, b'\x1b[A\n')
        read_until(control, 'is not a legal move; try moves or help\r\nx> ')
        os.write(control, b'\x04')
        assert 'Stopped before the end.' in read_until(control, 'end.')
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.wait()
        os.close(control)
