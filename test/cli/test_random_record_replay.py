"""`gdl random`, `gdl record`, `gdl replay`."""

from __future__ import annotations

import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.prolog
ROOT = Path(__file__).resolve().parents[2]


def test_random_prints_tables(gdl):
    result = gdl('random', 'tictactoe', '-n', 50, '--seed', 1)
    assert result.code == 0
    assert result.out.startswith('50 games of tictactoe, ')
    assert 'role' in result.out and 'mean goal' in result.out
    assert 'Goals at the end:' in result.out
    assert ' % ± ' in result.out


def test_random_json_adds_up_and_repeats(gdl):
    first, second = (
        json.loads(gdl('random', 'tictactoe', '-n', 40, '--seed', 5, '--json').out)
        for _ in range(2)
    )
    assert sum(row['games'] for row in first['outcomes']) == first['games'] == 40
    x = first['roles']['x']
    assert x['won'] + x['drawn'] + x['lost'] == 40
    assert first['outcomes'] == second['outcomes']


def test_random_says_when_games_were_cut(gdl):
    result = gdl('random', 'tictactoe', '-n', 5, '--seed', 1, '--max-steps', 2)
    assert '5 of them were stopped before their end' in result.out


def test_random_chance_is_no_role_of_the_table(gdl):
    data = json.loads(gdl('random', 'monty_hall', '-n', 5, '--json').out)
    assert 'random' not in data['roles']


def test_random_does_not_take_a_missing_goal_for_a_draw(gdl, tmp_path: Path):
    path = tmp_path / 'goalless.gdl'
    path.write_text(
        '(role a) (role b) (init open) (legal a m) (legal b m)'
        '(<= (next done) (does a m)) (<= terminal (true done))'
        '(<= (goal a 40) (true done)) (<= (goal b 50) (true open))'
    )
    result = gdl('random', path, '-n', 4, '--seed', 1)
    assert result.code == 0
    assert '\n4 games gave b no goal\n' in result.out
    assert 'gave a no goal' not in result.out
    rows = [line.split() for line in result.out.splitlines()]
    assert ['b', *'-------'] in rows
    assert ['40', '-', '4', '100.0', '%', '±', '0.0'] in rows
    assert '1 game gave b no goal' in gdl('random', path, '-n', 1, '--seed', 1).out
    roles = json.loads(gdl('random', path, '-n', 4, '--json').out)['roles']
    assert roles['b'] == {'goal': None, 'won': 0, 'drawn': 0, 'lost': 0, 'without_goal': 4}
    assert (roles['a']['goal']['value'], roles['a']['lost']) == (40.0, 4)


@pytest.mark.parametrize(
    'game', ['tictactoe', 'pig', 'monty_hall', 'simultaneous_krieg_tictactoe']
)
def test_record_then_replay(gdl, tmp_path: Path, game: str):
    path = tmp_path / 'games.jsonl'
    assert gdl('record', game, '-n', 3, '-o', path, '--seed', 2).code == 0
    first = path.read_bytes()
    assert gdl('record', game, '-n', 3, '-o', path, '--seed', 2).code == 0
    assert path.read_bytes() == first
    assert gdl('record', game, '-n', 2, '-o', path, '--append').code == 0
    result = gdl('replay', path)
    assert result.code == 0
    assert f'{path}: 5 matches, ' in result.out
    assert list(tmp_path.iterdir()) == [path]


def test_replay_shows_both_sides_of_the_first_deviation(gdl, tmp_path: Path):
    path = tmp_path / 'games.jsonl'
    gdl('record', 'tictactoe', '-o', path, '--seed', 2)
    lines = path.read_text().splitlines()
    step = json.loads(lines[2])
    step['state'] = ['(cell 9 9 x)' if 'control' in f else f for f in step['state']]
    lines[2] = json.dumps(step)
    path.write_text('\n'.join(lines) + '\n')
    result = gdl('replay', path)
    assert result.code == 1
    assert result.out == (
        f'{path}:3: match 1 of tictactoe: step 2: the state after the moves differs\n'
        '  only in the recording:\n    (cell 9 9 x)\n'
        '  only in the rules:\n    (control x)\n'
    )


def test_replay_names_the_line_of_the_end_in_a_later_match(gdl, tmp_path: Path):
    path = tmp_path / 'games.jsonl'
    gdl('record', 'tictactoe', '-n', 2, '-o', path, '--seed', 2)
    lines = path.read_text().splitlines()
    lines[-1] = json.dumps(json.loads(lines[-1]) | {'goals': {'x': 33}})
    path.write_text('\n'.join(lines) + '\n')
    result = gdl('replay', path)
    assert result.code == 1
    assert result.out.startswith(f'{path}:{len(lines)}: match 2 of tictactoe: step ')
    assert 'the goals differ' in result.out


def test_replay_with_other_rules_remarks_on_it(gdl, tmp_path: Path):
    path = tmp_path / 'games.jsonl'
    gdl('record', 'tictactoe', '-o', path, '--seed', 2)
    mine = tmp_path / 'mine.gdl'
    rules = (ROOT / 'games' / 'tictactoe.gdl').read_text()
    mine.write_text(rules + '\n(<= (watched ?x)\n    (role ?x))\n')
    result = gdl('replay', path, '--game', mine)
    assert result.code == 0
    assert 'the rules of mine are not those this was recorded with' in result.err


def test_replay_of_something_else(gdl, tmp_path: Path):
    path = tmp_path / 'x.jsonl'
    path.write_text('hello\n')
    assert gdl('replay', path).err.startswith(f'gdl: {path}:1: this is not JSON')
    path.write_text('')
    assert gdl('replay', path).err == f'gdl: {path} holds no match\n'
    assert gdl('replay', tmp_path / 'missing').code == 1


@pytest.mark.parametrize('key', ['roles', 'moves', 'initial'])
def test_replay_prints_no_names_that_forge_lines(gdl, tmp_path: Path, key: str) -> None:
    path = tmp_path / 'games.jsonl'
    gdl('record', 'tictactoe', '-n', 1, '-o', path, '--seed', 1)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    forged = '\x1b[31m\ngdl: all as recorded'
    if key == 'moves':
        lines[1][key] = {f'x{forged}': '(mark 1 1)'}
    else:
        lines[0][key][0] += forged
    path.write_text(''.join(json.dumps(line) + '\n' for line in lines))
    result = gdl('replay', path)
    assert result.code == 1
    assert '\x1b' not in result.out + result.err
    assert '\ngdl: all as recorded' not in result.out + result.err


def test_record_into_a_missing_folder(gdl, tmp_path: Path):
    result = gdl('record', 'tictactoe', '-o', tmp_path / 'no' / 'x.jsonl')
    assert result.code == 1
    assert 'cannot write' in result.err


def start_recording(path: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, '-m', 'gdl_env.cli.main', 'record', 'connect_four']
    return subprocess.Popen(
        [*command, '-n', '100000', '-o', str(path), '--seed', '1', *options],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {'PYTHONPATH': str(ROOT)},
        start_new_session=True,
    )


def wait_for_lines(folder: Path, count: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        texts = [path.read_bytes() for path in folder.iterdir()]
        if any(text.count(b'\n') > count for text in texts):
            return
        time.sleep(0.05)
    raise AssertionError('nothing was recorded')


def test_recording_survives_a_kill(gdl, tmp_path: Path):
    path = tmp_path / 'killed.jsonl'
    process = start_recording(path, '--append')
    wait_for_lines(tmp_path, 60)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=20)
    # As if the kill had come in the middle of the last step.
    whole = path.read_bytes().rpartition(b'\n')[0]
    cut = (whole + b'\n').index(b'\n', whole.rindex(b'"type":"step"')) - 20
    path.write_bytes(whole[:cut])
    result = gdl('replay', path)
    assert result.code == 0, result.err
    assert '1 without an end' in result.out
    assert 'the last line is cut off and was left out' in result.err
    assert gdl('record', 'connect_four', '-o', path, '--append', '--seed', 1).code == 0
    assert gdl('replay', path).code == 0
    # Or when a match had hardly begun.
    path.write_bytes(whole[: whole.rindex(b'"type":"match"') + 30])
    result = gdl('replay', path)
    assert result.code == 0, result.err
    assert 'without an end' not in result.out


def test_drawing_from_nothing_ends_random_games(gdl, tmp_path: Path):
    path = tmp_path / 'rolls.gdl'
    path.write_text("""
    (role a) (init (left 2)) (succ 0 1) (succ 1 2)
    (random dice 0 10) (<= (random dice 1 20) (true (left 2)))
    (<= (legal a (roll dice)) (true (left ?n)))
    (<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
    (<= terminal (true (left 0))) (goal a 50)
    """)
    result = gdl('random', path, '-n', 2000, '--seed', 1, '--engine', 'circuit')
    assert result.code == 1
    assert result.err == 'gdl: no event of the experiment dice has a weight above 0\n'
    assert result.out == ''


def test_interrupt_keeps_the_games_that_are_done(gdl, tmp_path: Path):
    path = tmp_path / 'stopped.jsonl'
    process = start_recording(path)
    wait_for_lines(tmp_path, 60)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert 'recorded ' in errors and ' of 100000 games' in errors
    assert 'Traceback' not in errors
    assert gdl('replay', path).code == 0
    assert list(tmp_path.iterdir()) == [path]


# The third square has a way out only for those who went left before.
TRAP = """
(role a)
(init (at 1))
(succ 1 2) (succ 2 3)
(<= (legal a (go ?way)) (way ?way) (true (at ?n)) (succ ?n ?m))
(way left) (way right)
(<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
(<= (next (gone ?way)) (does a (go ?way)))
(<= (next (gone ?way)) (true (gone ?way)))
(<= terminal (true (at 3)) (true (gone left)))
(goal a 100)
"""
REACHED = """\
a dead end: no role has a move, but the game is not over in the state
  (at 3) (gone right)
which is reached by
  1. a: (go right)
  2. a: (go right)
"""


@pytest.mark.parametrize('engine', ['circuit', 'firstorder', 'prolog'])
def test_a_dead_end_is_an_error(gdl, tmp_path: Path, engine: str) -> None:
    path = tmp_path / 'trap.gdl'
    path.write_text(TRAP)
    result = gdl('random', path, '-n', 40, '--seed', 1, '--engine', engine)
    assert result.code == 1
    assert 'came to a dead end and do not count below' in result.out
    assert result.err.endswith(REACHED)
    result = gdl('random', path, '-n', 40, '--seed', 1, '--engine', engine, '--json')
    data = json.loads(result.out)
    assert result.code == 1
    assert data['cut'] == 0
    assert 0 < data['stuck'] < 40
    result = gdl('perft', path, 3, '--engine', engine)
    assert result.code == 1
    assert '    2                4' in result.out
    assert result.err.endswith(REACHED)
    result = gdl('record', path, '-n', 20, '-o', tmp_path / 'r.jsonl', '--engine', engine)
    assert result.code == 1
    assert result.err.endswith(REACHED)
    assert (tmp_path / 'r.jsonl').read_text().count('"type":"end"') == 20


@pytest.mark.parametrize('engine', ['circuit', 'firstorder', 'prolog'])
def test_games_that_are_cut_are_no_dead_ends(gdl, engine: str) -> None:
    result = gdl('random', 'tictactoe', '-n', 4, '--max-steps', 3, '--engine', engine, '--json')
    assert result.code == 0
    assert (json.loads(result.out)['cut'], json.loads(result.out)['stuck']) == (4, 0)
