"""From names to rule files."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.errors import GameNotFoundError
from gdl_env.language.library import find_game, game_folders, list_games


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two games that GDL_PATH names, and an empty working folder."""
    shelf = tmp_path / 'games'
    shelf.mkdir()
    (shelf / 'pebbles.gdl').write_text('(role a)')
    (shelf / 'stones.kif').write_text('(role a)')
    (shelf / 'notes.txt').write_text('not a game')
    work = tmp_path / 'work'
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv('GDL_PATH', str(shelf))
    return shelf


@pytest.mark.parametrize(
    ('name', 'file'),
    [
        ('pebbles', 'pebbles.gdl'),
        ('pebbles.gdl', 'pebbles.gdl'),
        ('games/pebbles', 'pebbles.gdl'),
        ('games/pebbles.gdl', 'pebbles.gdl'),
        ('stones', 'stones.kif'),
        ('stones.kif', 'stones.kif'),
    ],
)
def test_name_with_and_without_path_and_suffix(shelf: Path, name: str, file: str) -> None:
    assert find_game(name) == shelf / file


@pytest.mark.parametrize('name', ['my.kif', './my.kif', 'my', './my'])
def test_own_file_in_the_working_folder(shelf: Path, name: str) -> None:
    Path('my.kif').write_text('(role a)')
    assert find_game(name).resolve() == Path('my.kif').resolve()


def test_absolute_path_without_suffix(shelf: Path) -> None:
    assert find_game(str(shelf / 'pebbles')) == shelf / 'pebbles.gdl'


def test_file_here_wins_over_the_library(shelf: Path) -> None:
    Path('pebbles.gdl').write_text('(role mine)')
    assert find_game('pebbles').read_text() == '(role mine)'


def test_folder_of_the_same_name_is_no_game(shelf: Path) -> None:
    Path('pebbles').mkdir()
    assert find_game('pebbles') == shelf / 'pebbles.gdl'


def test_first_folder_of_the_path_wins(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tmp_path / 'first'
    first.mkdir()
    (first / 'pebbles.kif').write_text('(role first)')
    monkeypatch.setenv('GDL_PATH', f'{first}:{shelf}:{tmp_path / "missing"}')
    assert find_game('pebbles') == first / 'pebbles.kif'
    assert game_folders()[:2] == (first, shelf)
    assert first / 'pebbles.kif' in list_games()
    assert shelf / 'pebbles.gdl' not in list_games()


def test_ament_prefix_is_searched(
    shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / 'ros' / 'share' / 'gdl_env' / 'games'
    folder.mkdir(parents=True)
    (folder / 'installed_only.gdl').write_text('(role a)')
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'{tmp_path / "other"}:{tmp_path / "ros"}')
    assert find_game('installed_only') == folder / 'installed_only.gdl'


def test_unknown_name_suggests_similar_ones(shelf: Path) -> None:
    with pytest.raises(GameNotFoundError) as caught:
        find_game('Peebles')
    assert caught.value.similar == ('pebbles',)
    assert 'did you mean pebbles?' in str(caught.value)


@pytest.mark.parametrize('name', ['', '.', '/', '..', 'no/such/game', '/no/such/game.gdl'])
def test_odd_names_are_not_found(shelf: Path, name: str) -> None:
    with pytest.raises(GameNotFoundError):
        find_game(name)


def test_list_is_sorted_and_holds_only_rule_files(shelf: Path) -> None:
    names = [path.stem for path in list_games()]
    assert names == sorted(names)
    assert {'pebbles', 'stones'} <= set(names)
    assert 'notes' not in names
