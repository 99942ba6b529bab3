"""`gdl play` with lines that are piped in: commands, undo, hidden information, recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.engine.recordings.reader import read_recordings

pytestmark = pytest.mark.prolog


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


COMMANDS = {
    'help': 'take back your last move',
    'moves 3 ': '7  (mark 3 1)',
    'moves zzz': "no move contains 'zzz'",
    'state': '\ncell:\n',
    'undo': 'there is nothing to take back',
    '99': 'type a number from 1 to 9',
    '0': 'type a number from 1 to 9',
    '(mark 9 9)': "'(mark 9 9)' is not a legal move; the nearest legal ones: (mark ",
    'mark 2': "'mark 2' could be (mark 1 2), (mark 2 1), ",
    'hint': 'mcts:time=1 would play (mark ',
    ')(': "')(' is not a legal move",
    '': '',
    'quit': 'Stopped before the end.',
}


def test_commands(gdl_process):
    result = gdl_process('play', 'tictactoe', '--seed', 3, stdin=type_in(*COMMANDS))
    assert result.code == 0
    assert result.err == ''
    _, *answers = result.out.split('x> ')
    assert len(answers) == len(COMMANDS)
    for (line, expected), answer in zip(COMMANDS.items(), answers, strict=True):
        assert answer.startswith(f'{line.strip()}\n')
        assert expected in answer
        assert line or answer == '\n'


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
    assert result.out.count('back before the last choice') == 2
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
    # No line shows moves of the other; its marks only where x bumped into them.
    assert '\no: (mark' not in result.out
    assert 'sees' not in result.out
    (recording,) = read_recordings(tmp_path / 'match.jsonl')
    assert any(str(role) == 'o' for step in recording.steps for role in step.moves)


def test_percepts_are_told_for_each_step(gdl_process):
    lines = type_in('1', 'state', 'quit')
    result = gdl_process('play', 'simultaneous_krieg_tictactoe', '--seed', 3, stdin=lines)
    assert 'x perceives before the first choice:\n  (nothing)\n' in result.out
    assert result.out.count('x perceives since the last choice:\n') == 1
    assert (
        'x perceived before choice 1:\n  (nothing)\nx perceived before choice 2:\n' in result.out
    )
    assert '(chose' not in result.out
    assert '\no: ' not in result.out


def test_two_people_take_turns_at_the_keyboard_where_choices_are_secret(gdl_process):
    lines = type_in('', '1', '', '2', '', 'quit')
    result = gdl_process(
        'play', 'simultaneous_krieg_tictactoe', 'x=human', 'o=human', '--seed', 1, stdin=lines
    )
    assert result.code == 0
    assert 'x, it is your turn: press Enter when no one else is looking.' in result.out
    assert 'o, it is your turn: press Enter when no one else is looking.' in result.out
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
def test_undo_where_steps_are_hidden(gdl_process, game: str):
    result = gdl_process('play', game, '--seed', 3, stdin=type_in('1', 'undo', '2', 'quit'))
    assert result.code == 0
    assert '  back before the last choice\n' in result.out


def test_undo_of_the_second_person_shows_the_first_one_its_percepts_again(gdl_process):
    lines = type_in('', '1', '', '2', '', '3', '', 'undo', '', 'quit')
    result = gdl_process(
        'play', 'simultaneous_krieg_tictactoe', 'x=human', 'o=human', '--seed', 1, stdin=lines
    )
    assert result.code == 0
    assert '  back before the last choice\n' in result.out
    turns = result.out.split('press Enter when no one else is looking. ')[1:]
    # x, o, x, o, and x again after the undo.
    assert [turn.count('x perceives since') for turn in turns] == [0, 0, 1, 0, 1]
    assert turns[4].partition('x> ')[0].strip('\n') == turns[2].partition('x> ')[0].strip('\n')


def test_percepts_are_shown_again_after_going_back(gdl_process):
    lines = type_in('1', '2', 'undo', '2', 'quit')
    result = gdl_process('play', 'simultaneous_krieg_tictactoe', '--seed', 3, stdin=lines)
    shown = [part.partition('x perceives ')[2] for part in result.out.split('x> ')]
    # Before the second choice, before the third, and before the second again.
    assert shown[1] and shown[3].partition('\n\n')[0] == shown[1].partition('\n\n')[0]


def test_two_people_see_an_open_game_together(gdl_process):
    lines = type_in('1', '1', 'undo', '2', 'quit')
    result = gdl_process('play', 'tictactoe', 'x=human', 'o=human', stdin=lines)
    assert 'press Enter' not in result.out
    assert 'back before the last choice' in result.out


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


def test_a_dead_end_is_an_error(gdl_process, tmp_path: Path):
    (tmp_path / 'trap.gdl').write_text(
        '(role a) (init p) (<= (legal a (fall 1)) (true p)) (<= (next q) (does a (fall 1)))'
        '(<= terminal (true r)) (goal a 0)'
    )
    result = gdl_process('play', './trap.gdl', stdin='fall 1\n')
    assert result.code == 1
    assert 'gdl: trap: a dead end: no role has a move, but the game is not over' in result.err
    assert '\n  q\nwhich is reached by\n  1. a: (fall 1)\n' in result.err
