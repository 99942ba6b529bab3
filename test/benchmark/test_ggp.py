"""The benchmark of general players measures what it says, keeps it, and writes tables of it."""

from __future__ import annotations

import json
from pathlib import Path
import socket
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / 'benchmark'))


def test_children_and_alphabeta_of_a_small_game(tmp_path: Path) -> None:
    import ggp
    from ggp_tables import make_tables

    kept = tmp_path / 'ggp.json'
    options = ['--only', 'tic-tac-toe', '--seconds', '0.01', '--rounds', '1']
    ggp.main(['children', 'alphabeta', *options, '--results', str(kept)])
    children, alphabeta = json.loads(kept.read_text())
    assert {'one state a call', 'do and undo', 'step, then look'} < set(children['rates'])
    # Ten thousand a second is less than any way makes.
    assert all(rate > 10_000 for rate in children['rates'].values())
    assert alphabeta['agree'] == alphabeta['positions'] > 0
    text = make_tables([children, alphabeta])
    assert text.count('| tic-tac-toe |') == 2


def test_children_are_counted_as_they_are(tmp_path: Path) -> None:
    from ggp_children import _list_ways, open_rules, sample_positions

    rules = open_rules('tic-tac-toe')
    states = sample_positions(rules, 40)
    assert len(states) == 40
    look = rules.look(states)
    assert not look.terminal.any()
    moves = int(look.counts().prod(axis=1, where=look.counts() > 0).sum())
    ways = _list_ways(rules, states)
    assert {count for name, (_, count) in ways.items() if name != 'do and undo'} == {moves}


# Five turns: who has grabbed once wins, and nothing else counts.
STICKS = """
(role first) (role second) (init (control first)) (init (heap 5))
(other first second) (other second first) (take 5 4) (take 4 3) (take 3 2) (take 2 1) (take 1 0)
(<= (legal ?p grab) (true (control ?p))) (<= (legal ?p pass) (true (control ?p)))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (heap ?l)) (true (heap ?h)) (take ?h ?l))
(<= (next (took ?p)) (does ?p grab)) (<= (next (took ?p)) (true (took ?p)))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (heap 0)))
(<= (goal ?p 100) (true (took ?p))) (<= (goal ?p 0) (role ?p) (not (true (took ?p))))
"""
# A player that knows nothing of this project: it never grabs, and works for a while.
PLAYER = """
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    role = 'first'
    def do_POST(self):
        words = self.rfile.read(int(self.headers['Content-Length'])).decode().split()
        if words[0] == '(START':
            Handler.role = words[2]
        moves = ' '.join(words[2:]).strip('() ').split()
        index = ['first', 'second'].index(Handler.role)
        own = moves == ['NIL'] and index == 0 or len(moves) == 2 and moves[index] == 'noop'
        if own:
            sum(range(3_000_000))
        body = ('pass' if own else 'noop').encode() if words[0] == '(PLAY' else b'ready'
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *arguments):
        pass

http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.mark.slow
def test_matches_against_a_player_of_others(tmp_path: Path) -> None:
    import ggp
    from ggp_tables import make_tables

    rules, player, kept = (tmp_path / name for name in ('sticks.kif', 'player.py', 'ggp.json'))
    rules.write_text(STICKS)
    player.write_text(PLAYER)
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        port = found.getsockname()[1]
    options = ['--foreign', f'passing=http://127.0.0.1:{port}', '--only', str(rules)]
    options += ['--command', f'{sys.executable} {player} {port}', '--results', str(kept)]
    options += ['--ours', 'legal', '--play-clock', '10']
    ggp.main(['foreign', *options, '--games', '1'])
    # What is there is continued, not repeated.
    ggp.main(['foreign', *options, '--games', '2'])
    (row,) = json.loads(kept.read_text())
    assert row['players'] == 'legal passing'
    assert row['result'] == [2, 0, 0]
    assert row['goals'] == [200, 0]
    # Five decisions a match, by turns; both have taken time, and nobody was late.
    assert row['moves'] == [5, 5]
    assert all(seconds > 0 for seconds in row['seconds'])
    assert row['strikes'] == [0, 0]
    assert '| sticks | `legal` : `passing` | 2 / 0 / 0 |' in make_tables([row])
    # The player was ended with its match.
    with socket.socket() as found:
        assert found.connect_ex(('127.0.0.1', port)) != 0


def test_two_players_of_ours_meet_on_both_seats(tmp_path: Path) -> None:
    import ggp
    from ggp_tables import make_tables

    kept = tmp_path / 'ggp.json'
    options = ['--only', 'tictactoe', '--games', '8', '--players', 'mcts:playouts=60', 'random']
    ggp.main(['variants', *options, '--results', str(kept)])
    (row,) = json.loads(kept.read_text())
    wins, _, losses = row['result']
    assert sum(row['result']) == 8
    assert wins > losses
    # Each has half of the decisions, but for who begins.
    assert abs(row['moves'][0] - row['moves'][1]) <= 8
    assert '`mcts:playouts=60` : `random`' in make_tables([row])
