"""Matches with the real players and the real server of GGP-Base, both ways.

$GGP_BASE names its folder, compiled: classes in `bin` or `build/classes`, jars below `lib`. What
is needed to start them is written here in Java; nothing of theirs is part of this project.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
import json
import os
from pathlib import Path
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest

from gdl_env.cli.main import main
from gdl_env.language.load import open_game

FOLDER = Path(os.environ.get('GGP_BASE', ''))
GDL = str(Path(sys.executable).with_name('gdl'))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif('GGP_BASE' not in os.environ, reason='$GGP_BASE names no folder'),
    pytest.mark.skipif(shutil.which('java') is None, reason='Java is not installed'),
]

PLAYER = """
import org.ggp.base.player.GamePlayer;
import org.ggp.base.player.gamer.Gamer;
public final class RunPlayer {
  public static void main(String[] a) throws Exception {
    String name = "org.ggp.base.player.gamer.statemachine." + a[1];
    Gamer gamer = (Gamer) Class.forName(name).getDeclaredConstructor().newInstance();
    new GamePlayer(Integer.parseInt(a[0]), gamer).start();
  }
}
"""
SERVER = """
import java.nio.file.*;
import java.util.*;
import org.ggp.base.server.GameServer;
import org.ggp.base.util.game.Game;
import org.ggp.base.util.match.Match;
public final class RunServer {
  public static void main(String[] a) throws Exception {
    String rules = new String(Files.readAllBytes(Paths.get(a[0])), "UTF-8");
    Game game = Game.createEphemeralGame(Game.preprocessRulesheet(rules));
    List<String> hosts = new ArrayList<>(), names = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (int k = 4; k < a.length; k++) {
      hosts.add("127.0.0.1");
      ports.add(Integer.valueOf(a[k]));
      names.add("player" + k);
    }
    Match match = new Match(
        Paths.get(a[3]).getFileName().toString(), -1, Integer.valueOf(a[1]), Integer.valueOf(a[2]),
        game, "");
    match.setPlayerNamesFromHost(names);
    GameServer server = new GameServer(match, hosts, ports);
    server.start();
    server.join();
    Files.write(Paths.get(a[3] + ".xml"), match.toXML().getBytes("UTF-8"));
    Files.write(Paths.get(a[3] + ".json"), match.toJSON().getBytes("UTF-8"));
    System.exit(0);
  }
}
"""
READER = """
import java.nio.file.*;
import org.ggp.base.util.game.Game;
import org.ggp.base.util.match.Match;
public final class ReadMatch {
  public static void main(String[] a) throws Exception {
    Game game = Game.createEphemeralGame("( ( role x ) )");
    String text = new String(Files.readAllBytes(Paths.get(a[0])), "UTF-8");
    System.out.println(new Match(text, game, "").toJSON());
  }
}
"""
# Every role has a move in every state.
RULES = """
(role xPlayer) (role oPlayer) (init (control xPlayer)) (init (heap 9))
(other xPlayer oPlayer) (other oPlayer xPlayer) (amount 1) (amount 2)
(take 9 1 8) (take 8 1 7) (take 7 1 6) (take 6 1 5) (take 5 1 4) (take 4 1 3) (take 3 1 2)
(take 2 1 1) (take 1 1 0) (take 9 2 7) (take 8 2 6) (take 7 2 5) (take 6 2 4) (take 5 2 3)
(take 4 2 2) (take 3 2 1) (take 2 2 0)
(<= (legal ?p (grab ?n)) (true (control ?p)) (true (heap ?h)) (take ?h ?n ?l))
(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
(<= (next (heap ?l)) (true (heap ?h)) (does ?p (grab ?n)) (take ?h ?n ?l))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (heap 0)))
(<= (goal ?p 0) (true (control ?p)))
(<= (goal ?p 100) (role ?p) (not (true (control ?p))))
"""


def run_java(folder: Path, source: str, *arguments: str) -> subprocess.Popen[str]:
    """Run a Java source against GGP-Base."""
    match = re.search(r'final class (\w+)', source)
    assert match is not None
    path = folder / f'{match[1]}.java'
    path.write_text(source)
    classes = [FOLDER / 'bin', *FOLDER.glob('build/classes/**/main')]
    found = os.pathsep.join(map(str, [*classes, *FOLDER.glob('lib/**/*.jar')]))
    return subprocess.Popen(
        ['java', '-Djava.awt.headless=true', '-cp', found, str(path), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def free_port() -> int:
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        return int(found.getsockname()[1])


@pytest.fixture
def foreign(tmp_path: Path) -> Iterator[int]:
    """A player of GGP-Base; yields its port."""
    port = free_port()
    player = run_java(tmp_path, PLAYER, str(port), 'sample.SampleMonteCarloGamer')
    try:
        for _ in range(200):
            time.sleep(0.3)
            try:
                connection = HTTPConnection('127.0.0.1', port, timeout=5)
                connection.request('POST', '/', b'( INFO )')
                connection.getresponse().read()
                break
            except OSError:
                assert player.poll() is None
        yield port
    finally:
        player.kill()
        player.communicate()


@contextmanager
def serve(agent: str) -> Iterator[int]:
    """Serve an agent of ours; yield its port."""
    serving = subprocess.Popen(
        [GDL, 'ggp', 'serve', '--port', '0', '--agent', agent], stdout=subprocess.PIPE, text=True
    )
    try:
        assert serving.stdout is not None
        yield int(serving.stdout.readline().rsplit(':', 1)[1])
    finally:
        serving.terminate()
        serving.communicate(timeout=20)


# Games of ours with types and arithmetic and without noop, and one that is plain.
@pytest.mark.parametrize('game', ['tictactoe', 'nim', 'rules'])
def test_their_player_at_our_server(
    game: str, foreign: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = game
    if game == 'rules':
        name = str(tmp_path / 'grab.kif')
        Path(name).write_text(RULES)
    first = open_game(name).roles[0]
    record = tmp_path / 'match.json'
    clocks = ('--start-clock', '20', '--play-clock', '4', '--json', str(record))
    url = f'http://127.0.0.1:{foreign}'
    code = main(['ggp', 'match', name, f'{first}={url}', *clocks])
    assert code == 0, capsys.readouterr().err
    # They read what we have written as we do.
    reader = run_java(tmp_path, READER, str(record))
    text, _ = reader.communicate(timeout=100)
    read, written = json.loads(text), json.loads(record.read_text())
    for key in ('matchId', 'startClock', 'playClock', 'isCompleted', 'goalValues', 'stateTimes'):
        assert read[key] == written[key]
    assert len(read['states']) == len(written['states'])
    assert [len(joint) for joint in read['moves']] == [len(j) for j in written['moves']]


def test_our_player_at_their_server(foreign: int, tmp_path: Path) -> None:
    rules = tmp_path / 'grab.kif'
    rules.write_text(RULES)

    def run(number: int, first: int, second: int) -> None:
        out = str(tmp_path / f'match{number}')
        folder = tmp_path / f'server{number}'
        folder.mkdir()
        server = run_java(folder, SERVER, str(rules), '20', '4', out, str(first), str(second))
        server.communicate(timeout=200)
        assert server.returncode == 0

    # Two matches at the same time: against their player, and against another of ours.
    with serve('mcts') as ours, serve('legal') as other, ThreadPoolExecutor(2) as workers:
        list(workers.map(run, [0, 1], [ours, ours], [foreign, other]))
    for number in (0, 1):
        for kind in ('json', 'xml'):
            path = tmp_path / f'match{number}.{kind}'
            assert main(['replay', str(path), '--game', str(rules)]) == 0
        held = json.loads((tmp_path / f'match{number}.json').read_text())
        assert held['isCompleted']
        assert not any(error for step in held['errors'] for error in step)
    # Who takes one stick every time loses against who leaves three or six.
    assert held['goalValues'] == [100, 0]
