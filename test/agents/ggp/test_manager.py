"""Matches that we run, with players of others: a small one of this file, over real HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import json
from pathlib import Path
import subprocess
import sys
from threading import Thread
import time

import pytest

from gdl_agents.ggp.manager import Manager, MatchClocks
from gdl_agents.ggp.seats import GgpSeat, LocalSeat, RemoteSeat
from gdl_env.cli.main import main
from gdl_env.engine.registry import open_engine
from gdl_env.errors import GdlError
from gdl_env.language.load import game_from_text, open_game

Reply = Callable[[str], str]
GDL = str(Path(sys.executable).with_name('gdl'))


class Foreign:
    """A GGP player that knows nothing of this project: what it hears, and what it replies."""

    def __init__(self, reply: Reply) -> None:
        self.heard: list[str] = []
        heard = self.heard

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                text = self.rfile.read(int(self.headers['Content-Length'])).decode()
                if text != '(INFO)':
                    heard.append(text)
                body = reply(text).encode()
                try:
                    self.send_response(200)
                    self.send_header('Content-Length', str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except ConnectionError:
                    pass

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f'http://127.0.0.1:{self._server.server_port}'

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


@pytest.fixture
def foreign() -> Iterator[Callable[[Reply], Foreign]]:
    made: list[Foreign] = []

    def make(reply: Reply) -> Foreign:
        made.append(Foreign(reply))
        return made[-1]

    yield make
    for player in made:
        player.close()


def play(game: str, seats: dict[str, GgpSeat], clocks: MatchClocks | None = None) -> Manager:
    with open_engine(open_game(game)) as engine:
        manager = Manager(engine, seats, clocks or MatchClocks(60, 20), 'match.1', 4)
        manager.run()
        assert manager.match.is_terminal
        return manager


class Marks:
    """Plays x of tic-tac-toe: the first line, from left to right."""

    def __init__(self) -> None:
        self._left = ['(mark 1 1)', '(mark 1 2)', '(mark 1 3)']

    def __call__(self, text: str) -> str:
        if text.startswith('(PLAY') and (text.endswith('NIL)') or '(noop ' in text):
            return self._left.pop(0) if self._left else '(mark 3 3)'
        return 'noop' if text.startswith('(PLAY') else 'ready'


def test_foreign_player_hears_every_step(foreign: Callable[[Reply], Foreign]) -> None:
    player = foreign(Marks())
    manager = play('tictactoe', {'x': RemoteSeat(player.url), 'o': LocalSeat('legal', 1)})
    start, *asked, stop = player.heard
    assert start.startswith('(START match.1 x (') and start.endswith(' 60 20)')
    # Plain GDL: no types, and a move for everyone.
    assert '(legal o noop)' in start
    assert 'type' not in start
    assert asked[0] == '(PLAY match.1 NIL)'
    assert asked[1].startswith('(PLAY match.1 ((mark 1 1) ')
    assert stop.startswith('(STOP match.1 (')
    assert len(asked) == len(manager.match.history)


BAD = [
    ('illegal', lambda text: '(mark 9 9)', "answered '(mark 9 9)', which is not legal"),
    ('no term', lambda text: '((', "answered '((', which is not legal"),
]


@pytest.mark.parametrize(('reply', 'reason'), [row[1:] for row in BAD], ids=[r[0] for r in BAD])
def test_illegal_moves_become_random_ones(
    foreign: Callable[[Reply], Foreign], reply: Reply, reason: str
) -> None:
    seats = {'x': RemoteSeat(foreign(reply).url), 'o': LocalSeat('random', 1)}
    manager = play('tictactoe', seats)
    assert {(s.role, s.reason) for s in manager.strikes} == {('x', reason)}
    assert manager.strikes[0].step == 1


def test_late_players_get_strikes(foreign: Callable[[Reply], Foreign]) -> None:
    def reply(text: str) -> str:
        if text.startswith('(PLAY'):
            time.sleep(2)
        return 'ready'

    seats = {'x': RemoteSeat(foreign(reply).url), 'o': LocalSeat('random', 1)}
    manager = play('tictactoe', seats, MatchClocks(60, 0.5))
    reasons = [s.reason for s in manager.strikes if s.role == 'x']
    assert reasons[0].endswith('did not answer within 0.5 s')


def test_nobody_there() -> None:
    manager = play(
        'tictactoe', {'x': RemoteSeat('http://127.0.0.1:1'), 'o': LocalSeat('random', 1)}
    )
    assert 'cannot be reached' in manager.strikes[0].reason
    assert {strike.role for strike in manager.strikes} == {'x'}


def test_drawn_events_are_announced(foreign: Callable[[Reply], Foreign]) -> None:
    player = foreign(lambda text: '(roll dice)' if text.startswith('(PLAY') else 'ready')
    play('pig', {'alice': RemoteSeat(player.url), 'bob': LocalSeat('random', 1)})
    told = [text for text in player.heard if '(roll ' in text and text.startswith('(PLAY')]
    assert told and not any('dice' in text for text in told)


def test_percepts_are_sent_to_those_who_see() -> None:
    rules = Path(__file__).with_name('test_player.py').read_text()
    coin = rules.split('COIN = """')[1].split('"""')[0]
    with open_engine(game_from_text(coin)) as engine:
        manager = Manager(
            engine, {'guesser': LocalSeat('ismcts:playouts=200', 1)}, MatchClocks(60, 20), 'm', 3
        )
        manager.run()
        assert not manager.strikes
        assert list(manager.match.goals().values()) == [100]


def test_games_that_the_protocol_cannot_announce() -> None:
    engine = open_engine(open_game('krieg_tictactoe'))
    with engine, pytest.raises(GdlError, match='cannot announce'):
        Manager(engine, {'x': LocalSeat('random', 1)}, MatchClocks(), 'm', 1)


def run_gdl(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [GDL, 'ggp', *arguments],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_command_line(tmp_path: Path) -> None:
    serving = subprocess.Popen(
        [GDL, 'ggp', 'serve', '--port', '0', '--agent', 'legal'],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert serving.stdout is not None
        url = serving.stdout.readline().rsplit(' ', 1)[1].strip()
        record, match, xml = (tmp_path / f'm.{kind}' for kind in ('jsonl', 'json', 'xml'))
        result = run_gdl(
            *('match', 'tictactoe', f'x={url}', 'o=legal', '--seed', '3'),
            *('-o', str(record), '--json', str(match), '--xml', str(xml)),
        )
        assert result.returncode == 0, result.stderr
        assert f'x ({url}): 100' in result.stdout
        held = json.loads(match.read_text())
        assert held['isCompleted'] and held['goalValues'] == [100, 0]
        assert len(held['states']) == len(held['moves']) + 1
        assert held['moves'][0] == ['(mark 1 1)', 'noop']
        # Bare facts, and times in milliseconds, as GGP-Base has them.
        assert held['states'][0].startswith('( (cell 1 1 b) ')
        assert len(held['stateTimes']) == len(held['states'])
        for written in (record, match, xml):
            assert main(['replay', str(written)]) == 0
    finally:
        serving.terminate()
        serving.communicate(timeout=20)


WRONG = [
    (('match', 'tictactoe', 'z=random'), "no role 'z'; its roles: x, o"),
    (('match', 'tictactoe', 'x'), 'such as x=http://localhost:'),
    (('match', 'tictactoe', 'x=ftp://there'), 'no address of a player'),
    (('match', 'tictactoe', '--play-clock', '0'), 'more than 0'),
    (('serve', '--agent', 'nobody'), 'nobody'),
    (('serve', '--port', '99999'), 'cannot listen'),
]


@pytest.mark.parametrize(('arguments', 'problem'), WRONG, ids=[' '.join(a) for a, _ in WRONG])
def test_wrong_arguments(arguments: tuple[str, ...], problem: str) -> None:
    result = run_gdl(*arguments)
    assert result.returncode in {1, 2}
    assert problem in result.stderr and 'Traceback' not in result.stderr
