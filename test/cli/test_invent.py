"""`gdl invent`: rule files, a table, and errors that say what is wrong."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest


def test_writes_games_and_scores(gdl, tmp_path: Path) -> None:
    folder = tmp_path / 'new' / 'games'
    result = gdl('invent', '-n', 2, '--seed', 4, '-o', folder, '--rejected')
    assert result.code == 0, result.err
    with (folder / 'scores.csv').open() as file:
        rows = list(csv.DictReader(file))
    names = sorted(path.stem for path in folder.glob('*.gdl'))
    assert sorted(row['game'] for row in rows) == names
    assert len(names) == 2
    assert float(rows[0]['score']) >= float(rows[1]['score'])
    assert all(0 <= float(row[key]) <= 1 for row in rows for key in ('balance', 'depth', 'drama'))
    assert f'play {folder / rows[0]["game"]}.gdl' in result.out
    checked = gdl('check', '--strict', folder)
    assert (checked.code, checked.out.strip()) == (0, '2 files: no problems')
    assert gdl('random', folder / f'{names[0]}.gdl', '-n', 20, '--seed', 1).code == 0
    again = gdl('invent', '-n', 1, '--seed', 4, '-o', folder)
    assert again.code == 2
    assert 'holds games already' in again.err


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (('-n', 0), 'above 0'),
        (('-n', 3, '--pool', 2), '--pool 2 is less than -n 3'),
        (('--seed', 'x'), 'invalid int'),
    ],
)
def test_bad_arguments(gdl, tmp_path: Path, arguments: tuple[object, ...], words: str) -> None:
    result = gdl('invent', *arguments, '-o', tmp_path / 'games')
    assert result.code == 2
    assert words in result.err
    assert not (tmp_path / 'games').exists()


def test_folder_that_is_a_file(gdl, tmp_path: Path) -> None:
    path = tmp_path / 'taken'
    path.write_text('')
    result = gdl('invent', '-n', 1, '--seed', 1, '-o', path)
    assert result.code == 1
    assert f'cannot write to {path}' in result.err
