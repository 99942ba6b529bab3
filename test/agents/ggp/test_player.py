"""Our agents as GGP players, asked over HTTP by a server that this file writes by hand."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
import time

import pytest

from gdl_agents.ggp.player_server import GgpPlayer, open_server

# Two players take one or two matches of five in turn; who takes the last one wins.
NIM = """
(role first) (role second)
(init (heap 5)) (init (control first))
(less 1 2) (take 5 1 4) (take 5 2 3) (take 4 1 3) (take 4 2 2) (take 3 1 2) (take 3 2 1)
(take 2 1 1) (take 2 2 0) (take 1 1 0)
(other first second) (other second first)
(<= (legal ?p (grab ?n)) (true (control ?p)) (true (heap ?h)) (take ?h ?n ?l))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (heap ?l)) (true (heap ?h)) (does ?p (grab ?n)) (take ?h ?n ?l))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (heap 0)))
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?p 100) (role ?p) (not (true (control ?p))))
"""
# A coin falls; who sees it says what it is. Perceived is the coin, moves are not.
COIN = """
(role guesser) (role random)
(init fresh)
(<= (legal random (throw heads)) (true fresh))
(<= (legal random (throw tails)) (true fresh))
(<= (legal random noop) (not (true fresh)))
(<= (legal guesser noop) (true fresh))
(<= (legal guesser (say heads)) (not (true fresh)))
(<= (legal guesser (say tails)) (not (true fresh)))
(<= (next (coin ?c)) (does random (throw ?c)))
(<= (next (coin ?c)) (true (coin ?c)))
(<= (next (said ?c)) (does guesser (say ?c)))
(<= (sees guesser (coin ?c)) (does random (throw ?c)))
(<= terminal (true (said ?c)))
(<= (goal guesser 100) (true (said ?c)) (true (coin ?c)))
(<= (goal guesser 0) (true (said ?c)) (not (true (coin ?c))))
"""


class Server:
    """What a GGP server sends, word by word."""

    def __init__(self, port: int) -> None:
        self._port = port

    def send(self, text: str) -> tuple[int, str]:
        connection = HTTPConnection('127.0.0.1', self._port, timeout=60)
        connection.request('POST', '/', text.encode(), {'Content-Type': 'text/acl'})
        response = connection.getresponse()
        found = response.status, response.read().decode()
        connection.close()
        return found

    def say(self, text: str) -> str:
        status, answer = self.send(text)
        assert status == 200, answer
        return answer

    def start(self, match: str, role: str, rules: str, clock: int = 20) -> None:
        assert self.say(f'(START {match} {role} ({rules}) 60 {clock})') == 'ready'


@pytest.fixture
def agent() -> str:
    return 'mcts:playouts=300'


@pytest.fixture
def server(agent: str) -> Iterator[Server]:
    player = GgpPlayer(agent, 'our player', most=2)
    listening = open_server(player, '127.0.0.1', 0)
    thread = Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield Server(listening.server_port)
    listening.shutdown()
    listening.server_close()
    player.close()
    thread.join(10)


def test_whole_match(server: Server) -> None:
    assert server.say('(INFO)') == '((name our_player)(status available)(language gdl_env))'
    server.start('m1', 'first', NIM)
    # Five matches: the winning move takes two, and leaves three.
    assert server.say('(PLAY m1 NIL)') == '(grab 2)'
    assert server.say('(PLAY m1 ((grab 2) noop))') == 'noop'
    assert server.say('(PLAY m1 (noop (grab 1)))') == '(grab 2)'
    assert server.say('(STOP m1 ((grab 2) noop))') == 'done'
    assert server.send('(PLAY m1 NIL)') == (400, 'there is no match m1')


def test_the_second_role_and_upper_case(server: Server) -> None:
    server.start('M2', 'SECOND', NIM.upper())
    assert server.say('(PLAY M2 NIL)') == 'NOOP'
    assert server.say('(PLAY M2 ((GRAB 1) NOOP))') == '(GRAB 1)'
    assert server.say('(ABORT M2)') == 'aborted'


def test_several_matches_at_once_and_no_more(server: Server) -> None:
    server.start('a', 'first', NIM)
    server.start('b', 'second', NIM)
    assert server.say('(INFO)').endswith('(status busy)(language gdl_env))')
    assert server.say(f'(START c first ({NIM}) 60 20)') == 'busy'
    assert server.say('(PLAY b NIL)') == 'noop'
    assert server.say('(PLAY a NIL)') == '(grab 2)'
    assert server.say('(STOP a NIL)') == 'done'
    assert server.say('(INFO)').endswith('(status available)(language gdl_env))')


@pytest.mark.parametrize('coin', ['heads', 'tails'])
@pytest.mark.parametrize('agent', ['ismcts:playouts=200'])
def test_percepts_instead_of_moves(server: Server, coin: str) -> None:
    server.start('h', 'guesser', COIN)
    assert server.say('(PLAY h 0 NIL NIL)') == 'noop'
    assert server.say(f'(PLAY h 1 noop ((coin {coin})))') == f'(say {coin})'
    assert server.say(f'(STOP h 2 (say {coin}) NIL)') == 'done'


def test_rules_that_cannot_be_played(server: Server) -> None:
    status, problem = server.send('(START x first ((role first) (<= (legal first)) 60 20)')
    assert status == 400 and 'balanced' in problem
    status, problem = server.send('(START x first ((role first)) 60 20)')
    assert status == 400 and 'error' in problem
    status, problem = server.send(f'(START x third ({NIM}) 60 20)')
    assert (status, problem) == (
        400,
        "the game has no role 'third' for a player; its roles: first, second",
    )
    # None of them is a match now.
    assert server.say('(INFO)').endswith('(status available)(language gdl_env))')


def test_announcements_that_do_not_fit(server: Server) -> None:
    server.start('m', 'first', NIM)
    server.say('(PLAY m NIL)')
    status, problem = server.send('(PLAY m ((grab 2)))')
    assert status == 400
    assert problem == '1 moves were announced for 2 roles: first, second'
    assert server.send('(HELLO)')[0] == 400


def write_agent(folder: Path, body: str) -> str:
    path = folder / 'own.py'
    path.write_text(
        'import time\n'
        'from gdl_agents.agent import Agent\n'
        'class Own(Agent):\n'
        '    def choose(self, question):\n'
        f'        {body}\n'
    )
    return f'{path}:Own'


@pytest.mark.parametrize('body', ['raise ValueError("no idea")', 'time.sleep(5)'])
def test_agents_that_fail_or_sleep_still_move_in_time(tmp_path: Path, body: str) -> None:
    player = GgpPlayer(write_agent(tmp_path, body))
    try:
        assert player.answer(f'(START m first ({NIM}) 60 2)') == 'ready'
        assert player.answer('(PLAY m NIL)') in {'(grab 1)', '(grab 2)'}
    finally:
        player.close()


# Nothing hidden; names in capitals, which some servers tell from small letters.
CAPITALS = NIM.replace('first', 'First').replace('(grab ', '(Grab ')


def test_moves_are_spelt_as_in_the_rules(server: Server) -> None:
    server.start('m1', 'First', CAPITALS)
    assert server.say('(PLAY m1 NIL)') == '(Grab 2)'
    assert server.say('(PLAY m1 ((GRAB 2) NOOP))') == 'noop'


def test_legal_moves_while_the_agent_is_not_ready(tmp_path: Path) -> None:
    path = tmp_path / 'slow.py'
    path.write_text(
        'import time\n'
        'from gdl_agents.players.legal import LegalAgent\n'
        'class Slow(LegalAgent):\n'
        '    def begin(self, info, roles, seed):\n'
        '        time.sleep(3)\n'
        '        super().begin(info, roles, seed)\n'
    )
    player = GgpPlayer(f'{path}:Slow')
    try:
        begin = time.monotonic()
        assert player.answer(f'(START m second ({NIM}) 1 2)') == 'ready'
        # It follows what is announced: one match is left, then two would be too many.
        assert player.answer('(PLAY m NIL)') == 'noop'
        assert time.monotonic() - begin < 3
        assert player.answer('(PLAY m ((grab 2) noop))') in {'(grab 1)', '(grab 2)'}
        # The agent takes over where the match is by then.
        time.sleep(max(0.0, begin + 4 - time.monotonic()))
        assert player.answer('(PLAY m (noop (grab 1)))') == 'noop'
        assert player.answer('(PLAY m ((grab 1) noop))') == '(grab 1)'
    finally:
        player.close()
