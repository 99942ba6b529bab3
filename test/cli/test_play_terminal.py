"""`gdl play` at a real terminal: typed moves, boards, keys, agents that fail."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

COLOUR = re.compile(r'\x1b\[[\d;]+m')


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def test_something_is_shown_before_anything_slow_begins(keyboard):
    person = keyboard('play', 'chess', '--seed', 3)
    assert person.read_until('chess\n').startswith('chess\n')
    # Not wall-clock time, since the machine may be busy.
    assert cpu_seconds(person.process.pid) < 1


def test_person_at_a_real_terminal(keyboard):
    person = keyboard('play', 'tictactoe', '--seed', 3)
    assert ' · │ · │ · ' in COLOUR.sub('', person.read_until('x> '))
    person.type('mark 2 2\n')
    shown = COLOUR.sub('', person.read_until('x> '))
    assert 'x: (mark 2 2)\n' in shown
    assert '│ X │' in shown
    # The arrow up brings the last line back: now it is illegal.
    person.type('\x1b[A\n')
    person.read_until("'mark 2 2' is not a legal move; ")
    person.read_until('x> ')
    person.type('\x04')
    person.read_until('Stopped before the end.')
    assert person.wait() == 0


@pytest.mark.parametrize('is_thinking', [False, True])
def test_ctrl_c_ends_the_match(keyboard, tmp_path: Path, is_thinking: bool):
    (tmp_path / 'slow.py').write_text(
        'import time\nfrom gdl_agents.agent import Agent\n'
        'class Slow(Agent):\n    def choose(self, question):\n        time.sleep(600)\n'
    )
    person = keyboard('play', 'tictactoe', 'o=slow.py:Slow', '--seed', 3, '-o', 'match.jsonl')
    person.read_until('x> ')
    if is_thinking:
        person.type('2 2\n')
        person.read_until('o is thinking ...')
    person.type('\x03')
    person.read_until('gdl: stopped')
    assert person.wait() == 130
    # What was played is kept.
    lines = (tmp_path / 'match.jsonl').read_text().splitlines()
    assert len(lines) == 2 + is_thinking and lines[-1].startswith('{"type":"end","terminal":false')


def test_chess_against_a_tree_search(keyboard):
    person = keyboard('play', 'chess', 'black=mcts:playouts=50', '--seed', 1)
    shown = COLOUR.sub('', person.read_until('white> '))
    assert 'white: human, black: mcts:playouts=50' in shown
    assert '8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜ ' in shown
    assert '1  ♖  ♘  ♗  ♕  ♔  ♗  ♘  ♖ ' in shown
    person.type('e2e4\n')
    shown = person.read_until('white> ', 280)
    assert 'white: (move e 2 e 4)\n' in shown
    assert 'black: (' in shown
    assert '4              ♙ ' in COLOUR.sub('', shown)
    # The square that was left, and the one that was reached, are marked.
    assert len(re.findall(r'48;2;214;201;74|48;5;185', shown)) == 2
    # Labels are dim, squares are not.
    assert not re.search(r'\x1b\[2;[\d;]*48;', shown)
    person.type('E2-E4\n')
    person.read_until("'E2-E4' is not a legal move; the nearest legal ones: ")
    person.type('g1\n')
    person.read_until("'g1' could be (move g 1 e 2), (move g 1 f 3) or (move g 1 h 3)")
    person.type('quit\n')
    assert person.wait() == 0


@pytest.mark.parametrize(
    ('game', 'symbols'), [('checkers', '⛀⛂'), ('connect_four', '●'), ('othello', '●')]
)
def test_pieces(keyboard, game: str, symbols: str):
    person = keyboard('play', game, '--seed', 1)
    person.read_until(': you play ')
    if game == 'connect_four':
        person.read_until('red> ')
        person.type('4\n')
    shown = person.read_until('> ')
    for symbol in symbols:
        assert symbol in shown
    assert COLOUR.search(shown)


@pytest.mark.parametrize(
    'environment',
    [{'NO_COLOR': '1'}, {'TERM': 'dumb'}, {'PYTHONIOENCODING': 'ascii'}],
    ids=['NO_COLOR', 'dumb', 'ascii'],
)
def test_plain_text_where_the_terminal_cannot_do_more(keyboard, environment: dict[str, str]):
    person = keyboard('play', 'connect_four', '--seed', 1, **environment)
    person.read_until('red> ')
    person.type('4\n')
    shown = person.read_until('red> ')
    assert shown.isascii()
    assert re.search(r'\n  1  [.y] [.y] [.y] r [.y] [.y] [.y]\n', shown)
    assert not COLOUR.search(shown)


def test_time_is_up(keyboard):
    person = keyboard('play', 'tictactoe', '--seed', 1, '--play-clock', 1.5)
    person.read_until('The time is up; another move is played for you.')
    shown = person.read_until('x> ')
    assert re.search(r'x: \(mark \d \d\); it was played in your place', shown)
    person.type('quit\n')
    person.read_until('Stopped before the end.')
    assert person.wait() == 0


def test_moves_at_once(keyboard):
    person = keyboard('play', 'lazerbike', '--seed', 1)
    person.read_until('red> ')
    person.type('str\n')
    shown = person.read_until('red> ')
    assert 'red: straight\nblue: ' in shown


def test_people_do_not_see_each_other_choose(keyboard):
    person = keyboard('play', 'lazerbike', 'red=human', 'blue=human', '--seed', 1)
    person.read_until('red, it is your turn: press Enter when no one else is looking. ')
    person.type('\n')
    person.read_until('red> ')
    person.type('left\n')
    shown = person.read_until('blue, it is your turn: press Enter when no one else is looking. ')
    # The screen is cleared, with what can be scrolled back to.
    assert '\x1b[2J\x1b[3J' in shown
    person.type('\n')
    assert 'left' not in person.read_until('blue> ').partition('1  left')[0]
    person.type('right\n')
    assert 'red: left\nblue: right\n' in person.read_until('press Enter')


FIXED = """
import os
from gdl_agents.players.text_agent import TextAgent
class Fixed(TextAgent):
    def choose_move(self, view, question, deadline):
        return os.environ['HIDDEN_MOVE']
"""


def test_nothing_tells_what_is_hidden(keyboard, tmp_path: Path):
    (tmp_path / 'fixed.py').write_text(FIXED)
    shown = set()
    for move in ('(mark 3 3)', '(mark 2 3)', '(mark 1 2)'):
        person = keyboard(
            'play', 'krieg_tictactoe', 'o=fixed.py:Fixed', '--seed', 3, HIDDEN_MOVE=move
        )
        text = person.read_until('x> ')
        person.type('1 1\n')
        text += person.read_until('x> ')
        person.type('state\n')
        text += person.read_until('x> ')
        assert 'x: (mark 1 1)\n' in text
        shown.add(text)
    assert len(shown) == 1


CRASHES = """
from gdl_agents.agent import Agent
class Crash(Agent):
    def choose(self, question):
        return 1 / 0
class Refuse(Agent):
    def begin(self, info, roles, seed):
        raise RuntimeError('not today')
    def choose(self, question):
        pass
"""


@pytest.mark.parametrize(
    ('name', 'reason'),
    [
        ('Crash', 'gdl: crashes.py:Crash as o failed: ZeroDivisionError: division by zero ('),
        ('Refuse', 'gdl: crashes.py:Refuse as o failed: RuntimeError: not today ('),
    ],
)
def test_an_agent_that_crashes_is_one_sentence(gdl_process, tmp_path, name: str, reason: str):
    (tmp_path / 'crashes.py').write_text(CRASHES)
    result = gdl_process('play', 'tictactoe', f'o=crashes.py:{name}', '--seed', 1, stdin='1\n')
    assert result.code == 1
    assert result.err.startswith(reason)
    assert result.err.count('\n') == 1


@pytest.mark.parametrize(
    ('arguments', 'reason'),
    [
        (['o=mtcs'], "no agent named 'mtcs'; did you mean mcts?"),
        (['z=random'], "has no role 'z'; its roles: x, o"),
        (['x'], 'expected ROLE=AGENT, such as x=human'),
        (['x=random', 'x=legal'], 'role x is given twice'),
        (['--turn', 'first'], '--turn first needs agents that answer at times of their own'),
        (['--time-limit', '3'], 'unrecognized arguments: --time-limit'),
    ],
)
def test_wrong_usage(gdl, arguments: list[str], reason: str):
    result = gdl('play', 'tictactoe', *arguments)
    assert result.code == 2
    assert reason in result.err


def test_hints_are_refused_where_something_is_hidden(gdl):
    result = gdl('play', 'krieg_tictactoe', '--hints', 'mcts')
    assert result.code == 2
    assert 'hides something' in result.err


def test_agents_of_the_registry_play_each_other(gdl):
    result = gdl('play', 'tictactoe', 'x=tactical', 'o=legal', '--seed', 1)
    assert result.code == 0
    assert 'The game is over.\n  x: ' in result.out


def test_a_game_that_is_too_long_is_stopped(gdl):
    result = gdl('play', 'chess', 'white=random', 'black=random', '--seed', 1, '--max-steps', 5)
    assert result.code == 0
    assert result.out.endswith('Stopped after 5 steps, before the game was over.\n')
