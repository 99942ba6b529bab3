"""`gdl info`, `games`, `perft`, `prolog` and `verify-corpus`."""

from __future__ import annotations

import json
from pathlib import Path
import shutil
import subprocess

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / 'shared' / 'gdl-corpus'
HEADER = 'file\tsource\tplayers\tgdl\tlines\tsize\toddities\tinit\tterminal0\tlegal0\tperft\tnote'


@pytest.mark.prolog
def test_info(gdl):
    result = gdl('info', 'games/tictactoe.gdl')
    assert result.code == 0
    for words in ('roles           x, o', 'mark/2', 'cell/3', 'typed           yes', '10 facts'):
        assert words in result.out
    assert 'x: 9, o: 0' in result.out


@pytest.mark.prolog
def test_info_json(gdl):
    data = json.loads(gdl('info', 'pig', '--json').out)
    assert 'weighted chance' in data['uses']
    assert {'relation': 'role', 'arity': 1, 'facts': 2, 'rules': 0} in data['relations']


def test_info_without_an_engine_tells_the_rest(gdl):
    result = gdl('info', 'tictactoe', '--engine', 'steam')
    assert result.code == 0
    assert 'mark/2' in result.out
    assert 'cannot answer' in result.out


def test_games(gdl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / 'broken.gdl').write_text('(role')
    (tmp_path / 'untitled.gdl').write_text((ROOT / 'games' / 'tictactoe.gdl').read_text()[200:])
    monkeypatch.setenv('GDL_PATH', str(tmp_path))
    result = gdl('games')
    assert result.code == 0
    rows = {line.split()[0]: line for line in result.out.splitlines()}
    assert 'Tic-tac-toe' in rows['tictactoe']
    assert 'has errors: see gdl check broken' in rows['broken']
    data = json.loads(gdl('games', '--json').out)
    assert [row['name'] for row in data] == sorted(row['name'] for row in data)
    assert str(tmp_path / 'broken.gdl') in gdl('games', '--paths').out


@pytest.mark.prolog
def test_perft(gdl):
    result = gdl('perft', 'tictactoe', 4)
    rows = [line.split()[:2] for line in result.out.splitlines()[1:]]
    assert rows == [['1', '9'], ['2', '72'], ['3', '504'], ['4', '3024']]


@pytest.mark.prolog
def test_perft_divide(gdl):
    lines = gdl('perft', 'tictactoe', 3, '--divide').out.splitlines()
    assert len(lines) == 10
    assert lines[0].split(maxsplit=1) == ['56', 'x: (mark 1 1)']
    assert lines[-1].split() == ['504', 'in', 'all']


@pytest.mark.prolog
def test_prolog_writes_a_program_that_runs_alone(gdl, tmp_path: Path):
    path = tmp_path / 'tictactoe.pl'
    result = gdl('prolog', 'tictactoe', '-o', path)
    assert result.code == 0
    assert f'swipl {path}' in result.err
    assert path.read_text() == gdl('prolog', 'tictactoe').out
    swipl = shutil.which('swipl')
    if swipl is None:
        pytest.skip('SWI-Prolog is not on this machine')
    done = subprocess.run(
        [swipl, path.name, '--playouts', '2'],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# A dice of which two sides never come up, and is rolled once, or twice: then without any side.
ROLLS = """
(role a) (init (left {rolls})) (succ 0 1) (succ 1 2)
(random dice 0 10) (<= (random dice 1 20) (true (left {rolls}))) (random dice 0 30)
(<= (legal a (roll dice)) (true (left ?n)))
(<= (next (left ?m)) (true (left ?n)) (succ ?m ?n)) (<= (next (got ?x)) (does a (roll ?x)))
(<= terminal (true (left 0))) (<= (goal a ?x) (true (got ?x)))
"""


def run_alone(gdl, folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run 50 games of rules as a program that runs alone."""
    swipl = shutil.which('swipl')
    assert swipl is not None
    rules, path = folder / 'rules.gdl', folder / 'rules.pl'
    rules.write_text(text)
    assert gdl('prolog', rules, '-o', path).code == 0
    command = [swipl, path.name, '--playouts', '50']
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, cwd=folder, check=False
    )


@pytest.mark.prolog
def test_weights_of_0_in_a_program_that_runs_alone(gdl, tmp_path: Path):
    for rolls, code in ((1, 0), (2, 2)):
        done = run_alone(gdl, tmp_path, ROLLS.format(rolls=rolls))
        assert done.returncode == code, done.stderr
        if code:
            assert 'no event of the experiment dice has a weight above 0' in done.stderr
        else:
            assert 'a: mean goal 20.00  20: 50' in done.stdout


# Going left ends the game; going right leads to a state without moves.
STUCK = """
(role a) (role b) (init here) (<= (legal ?r wait) (role ?r) (true here) (distinct ?r a))
(<= (legal a left) (true here)) (<= (legal a right) (true here))
(<= (next there) (does a left)) (<= (next (lost 1)) (does a right))
(<= terminal (true there)) (goal a 100) (goal b 0)
"""


@pytest.mark.prolog
def test_dead_ends_of_a_program_that_runs_alone(gdl, tmp_path: Path):
    done = run_alone(gdl, tmp_path, STUCK)
    assert done.returncode == 1
    head, left_out, *goals = done.stdout.splitlines()
    stuck = int(left_out.split()[0])
    assert 0 < stuck < 50
    assert head.startswith('50 games, 50 steps')
    assert left_out == f'{stuck} of them came to a dead end and do not count below'
    ended = 50 - stuck
    assert goals == [f'a: mean goal 100.00  100: {ended}', f'b: mean goal 0.00  0: {ended}']
    assert done.stderr == (
        'error: a dead end: no role has a move, but the game is not over in the state\n(lost 1)\n'
        'which is reached by\na: right, b: wait\n'
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of one good and one broken game, with a match."""
    rules = tmp_path / 'games'
    rules.mkdir()
    shutil.copy(ROOT / 'games' / 'tictactoe.gdl', rules)
    (rules / 'broken.kif').write_text('(role x')
    write_index(tmp_path, '9,72,504')
    return tmp_path


def write_index(folder: Path, perft: str) -> None:
    rows = [
        HEADER,
        f'games/tictactoe.gdl\ts\t2\tI\t9\tsmall\t\t10\tfalse\t9,0\t{perft}\t',
        'games/broken.kif\ts\t2\tI\t9\tsmall\t\t\t\t\t\t',
    ]
    (folder / 'INDEX.tsv').write_text('\n'.join(rows) + '\n')


@pytest.mark.prolog
def test_verify_corpus(gdl, corpus: Path):
    result = gdl('verify-corpus', corpus, '--all')
    assert result.code == 0
    assert 'start, perft 3' in result.out
    assert result.out.endswith(
        '2 games: 1 ok, 0 out of time, 1 refused, 0 doubtful, 0 deviates, 0 error; '
        '3 perft numbers, 0 matches\n'
    )


@pytest.mark.prolog
def test_verify_corpus_tells_deviations(gdl, corpus: Path):
    write_index(corpus, '9,71,504')
    result = gdl('verify-corpus', corpus)
    assert result.code == 1
    assert 'tictactoe.gdl: perft 2: expected 71, found 72' in result.out
    assert gdl('verify-corpus', corpus, '--only', 'broken').code == 0
    assert gdl('verify-corpus', corpus, '--only', 'nothing').code == 2


def test_verify_corpus_without_an_index(gdl, tmp_path: Path):
    result = gdl('verify-corpus', tmp_path)
    assert (result.code, result.err) == (
        1,
        f'gdl: {tmp_path}/INDEX.tsv: No such file or directory\n',
    )


@pytest.mark.slow
@pytest.mark.prolog
@pytest.mark.skipif(not CORPUS.is_dir(), reason='no corpus of public games here')
def test_verify_corpus_on_a_sample_of_public_games(gdl):
    result = gdl('verify-corpus', CORPUS, '--sample', 30, '--states', 100, '--time', 30)
    assert result.code == 0, result.out
