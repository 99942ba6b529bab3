"""Games with options, wherever a command asks for a game."""

from __future__ import annotations

import json
from pathlib import Path
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.prolog


def test_info_lists_options(gdl) -> None:
    result = gdl('info', 'nim(misere=true)')
    assert 'game            nim(misere=true)\n' in result.out
    assert 'heaps=1 3 5 7 (several of 1 to 30)' in result.out
    assert 'misere=true (false, true; default false)' in result.out
    data = json.loads(gdl('info', 'hex(size=3)', '--json').out)
    assert data['options'] == {'size': {'value': '3', 'default': '9', 'allowed': '2 to 19'}}
    assert data['first moves'] == {'red': 9, 'blue': 0}
    assert 'options' in data['uses']


def test_perft_types_and_random(gdl) -> None:
    assert '          72 ' in gdl('perft', 'hex(size=3)', 2).out
    assert 'hex(size=4) (typed): 34 facts' in gdl('types', 'hex(size=4)').out
    assert json.loads(gdl('random', 'nim(heaps=2 2)', '-n', 5, '--seed', 1, '--json').out)


def test_recording_finds_its_game_again(gdl, tmp_path: Path) -> None:
    path = tmp_path / 'matches.jsonl'
    assert gdl('record', 'nim(heaps=3 4,misere=true)', '-o', path, '--seed', 1).code == 0
    start = json.loads(path.read_text().splitlines()[0])
    assert start['game'] == 'nim(heaps=3 4,misere=true)'
    result = gdl('replay', path)
    assert result.code == 0
    assert not result.err
    # The rules of the game without options are others.
    assert gdl('replay', path, '--game', 'nim').code == 1


def test_prolog_program_stands_alone(gdl, tmp_path: Path) -> None:
    path = tmp_path / 'sokoban.pl'
    assert gdl('prolog', 'sokoban(level=together,steps=20)', '-o', path).code == 0
    swipl = shutil.which('swipl')
    if swipl is None:
        pytest.skip('no swipl')
    run = subprocess.run(
        [swipl, path.name, '--playouts', '1'],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert 'second' in run.stdout


@pytest.mark.parametrize(
    ('game', 'words'),
    [
        ('hex(size=1)', "hex.gdl:14:1: the option 'size' cannot be '1'; allowed: 2 to 19"),
        ('hex(sise=5)', "has no option 'sise', but 'size'; options: size (2 to 19)"),
        ('hex(5)', 'options are written GAME(name=value,name=value)'),
        ('tictactoe(size=4)', "has no option 'size'; options: none"),
        ('sokoban(level=nowhere)', 'causeway, together, warehouse'),
        ('hecs(size=5)', "no game named 'hecs'"),
    ],
)
def test_what_is_wrong_is_told(gdl, game: str, words: str) -> None:
    for result in (gdl('info', game), gdl('check', game)):
        assert result.code == 1
        assert words in result.err + result.out
        assert 'Traceback' not in result.err


def test_check_with_options(gdl) -> None:
    assert gdl('check', '--strict', 'hex(size=2)', 'lazerbike(players=4,teams=pairs)').code == 0


COUNTDOWN = """
(option players 2 [2,6])
(<= (role ?player) (type [1,players] ?player))
(<= (follows ?player ?next)
    (role ?player) (option players ?n) (mod ?player ?n ?before) (add ?before 1 ?next))
(init (heap [0,5]:5))
(init (control [1,players]:1))
(<= (legal ?player (take [1,2]:?n))
    (true (control ?player)) (true (heap ?m)) (type [1,2] ?n) (not (less ?m ?n)))
(<= (next (heap [0,5]:?left))
    (true (heap ?matches)) (does ?player (take ?taken)) (sub ?matches ?taken ?left))
(<= (next (control [1,players]:?other)) (true (control ?player)) (follows ?player ?other))
(<= terminal (true (heap 0)))
(<= (goal ?player 100) (true (control ?next)) (follows ?player ?next))
(<= (goal ?player 0) (true (control ?next)) (role ?player) (not (follows ?player ?next)))
"""


def test_the_number_of_players_is_an_option(gdl, tmp_path: Path) -> None:
    path = tmp_path / 'countdown.gdl'
    path.write_text(COUNTDOWN)
    assert gdl('check', path).out == '1 file: no problems\n'
    game = f'{path}(players=5)'
    assert 'roles           1, 2, 3, 4, 5\n' in gdl('info', game).out
    assert '11 facts, observations of 11, 2 actions' in gdl('types', game).out
    data = json.loads(gdl('random', game, '-n', 5, '--seed', 1, '--json').out)
    assert list(data['roles']) == ['1', '2', '3', '4', '5']
    recording = tmp_path / 'matches.jsonl'
    assert gdl('record', game, '-o', recording, '--seed', 1).code == 0
    assert gdl('replay', recording, '--game', game).code == 0
