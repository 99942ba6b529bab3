"""Options that are grids: levels in text files, and which files may be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.errors import GameNotFoundError, OptionError
from gdl_env.language.diagnostics import GameError
from gdl_env.language.families.designation import Designation
from gdl_env.language.load import game_from_text, load_game, open_game, open_known_game

WALK = """; Walk - a maze from a text file.
(option maze (grid mazes/small))
(role walker)
(<= (init (at [1,maze_rows]:?row [1,maze_columns]:?column))
    (maze ?row ?column @))
(<= (legal walker stay)
    (true (at ?row ?column)))
(<= (next (at [1,maze_rows]:?row [1,maze_columns]:?column))
    (maze ?row ?column capital_x))
(<= terminal
    (true (at ?row ?column))
    (maze ?row ?column capital_x))
(<= (goal walker 100)
    terminal)
(<= (goal walker 0)
    (not terminal))
"""


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    (tmp_path / 'mazes').mkdir()
    (tmp_path / 'mazes' / 'small.txt').write_text('###\n#@ X  \n;1\n\n')
    (tmp_path / 'mazes' / 'Large.txt').write_text('@....X\n')
    path = tmp_path / 'walk.gdl'
    path.write_text(WALK)
    return path


def test_grid_becomes_facts(walk: Path) -> None:
    game = load_game(walk)
    assert game.name == 'walk'
    found = [line for line in str(game).splitlines() if line.startswith(('(maze', '(option'))]
    assert found == [
        '(option maze small)',
        '(option maze_rows 3)',
        '(option maze_columns 4)',
        *('(maze 1 1 #)', '(maze 1 2 #)', '(maze 1 3 #)'),
        *('(maze 2 1 #)', '(maze 2 2 @)', '(maze 2 3 blank)', '(maze 2 4 capital_x)'),
        *('(maze 3 1 semicolon)', '(maze 3 2 1)'),
    ]
    assert '[1,3]:?row [1,4]:?column' in str(game)


def test_grid_by_name_and_by_path(walk: Path, tmp_path: Path) -> None:
    large = open_game(f'{walk}(maze=Large)')
    assert large.name == 'walk(maze=Large)'
    assert open_game(large.address) == large
    other = tmp_path / 'elsewhere.txt'
    other.write_text('@X')
    game = open_game(f'{walk}(maze={other})')
    assert game.name == f'walk(maze={other})'
    assert open_game(game.address) == game
    # Without any file: what crosses to other machines.
    assert game_from_text(game.text, game.name) == game
    assert '/' not in Designation.read(game.name).file_name


def test_default_grid_does_not_depend_on_the_working_folder(
    walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load_game(walk)
    (tmp_path / 'other' / 'mazes').mkdir(parents=True)
    (tmp_path / 'other' / 'mazes' / 'small.txt').write_text('@X')
    monkeypatch.chdir(tmp_path / 'other')
    assert load_game(walk) == game
    # A path that is given counts from where one works.
    assert open_game(f'{walk}(maze=mazes/small)') != game


@pytest.mark.parametrize('file', ['odd.map', 'v1.2.txt'])
def test_grid_with_a_suffix_of_its_own_is_found_again(walk: Path, file: str) -> None:
    walk.parent.joinpath('mazes', file).write_text('@X')
    game = open_game(f'{walk}(maze={file})')
    assert open_game(game.address) == game
    walk.write_text(WALK.replace('small', file.removesuffix('.txt')))
    assert load_game(walk).name == 'walk'


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        (None, r"maze: there is no file 'bad'; in .*mazes: Large, small"),
        (b'', 'is empty'),
        (b'\n \n', 'is empty'),
        (b'ab\na\tb', r"bad\.txt:2:2: '\\t' cannot stand in a grid"),
        (b'\xff\xfe', 'no UTF-8'),
        (b'x' * 300, 'more than 200'),
    ],
)
def test_bad_grid(walk: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        walk.parent.joinpath('mazes', 'bad.txt').write_bytes(content)
    with pytest.raises(OptionError, match=message):
        open_game(f'{walk}(maze=bad)')


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Return a file outside the folder of the rules."""
    path = tmp_path / 'private' / 'secret.txt'
    path.parent.mkdir()
    path.write_text('@X')
    return path


@pytest.mark.parametrize('place', ['{secret}', '../private/secret', 'mazes/../../private/secret'])
def test_rules_name_no_file_outside_their_folder(tmp_path: Path, secret: Path, place: str) -> None:
    (tmp_path / 'received' / 'mazes').mkdir(parents=True)
    rules = tmp_path / 'received' / 'walk.gdl'
    rules.write_text(WALK.replace('mazes/small', place.format(secret=secret)))
    with pytest.raises(GameError, match='outside the folders whose files rules may name') as found:
        load_game(rules)
    assert 'private/secret' in str(found.value)
    assert str(rules.parent) in str(found.value)
    # Whether it exists makes no difference, and a name does not lead there either.
    secret.unlink()
    with pytest.raises(GameError, match='outside the folders'):
        load_game(rules)
    with pytest.raises(OptionError, match=r"there is no file 'other'$"):
        open_game(f'{rules}(maze=other)')


def test_rules_follow_no_link_out_of_their_folder(walk: Path, tmp_path: Path) -> None:
    received = tmp_path / 'received'
    received.mkdir()
    rules = received / 'walk.gdl'
    rules.write_text(WALK)
    (received / 'mazes').symlink_to(walk.parent / 'mazes')
    with pytest.raises(GameError, match='outside the folders'):
        load_game(rules)
    (received / 'mazes').unlink()
    (received / 'mazes').mkdir()
    (received / 'mazes' / 'small.txt').symlink_to(walk.parent / 'mazes' / 'small.txt')
    with pytest.raises(GameError, match='outside the folders'):
        load_game(rules)
    # Rules that are a link themselves have their files where it leads, as colcon installs them.
    rules.unlink()
    rules.symlink_to(walk)
    assert load_game(rules) == load_game(walk)


def test_user_may_choose_any_file(tmp_path: Path, secret: Path) -> None:
    rules = tmp_path / 'received' / 'walk.gdl'
    rules.parent.mkdir()
    rules.write_text(WALK)
    assert open_game(f'{rules}(maze={secret})').options[0].value == str(secret)


@pytest.mark.parametrize('choice', ['{secret}', '../../private/secret', 'secret', 'link'])
def test_others_choose_files_of_the_games_only(
    tmp_path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch, choice: str
) -> None:
    """What a page or a message names; not even beside the place where a program was started."""
    walk = tmp_path / 'library' / 'walk.gdl'
    (walk.parent / 'mazes').mkdir(parents=True)
    walk.write_text(WALK)
    (walk.parent / 'mazes' / 'small.txt').write_text('@X')
    (walk.parent / 'mazes' / 'link.txt').symlink_to(secret)
    monkeypatch.chdir(secret.parent)
    monkeypatch.setenv('GDL_PATH', str(walk.parent))
    assert open_known_game('walk(maze=small)') == load_game(walk)
    with pytest.raises(OptionError, match=r'outside the folders|no file'):
        open_known_game(f'walk(maze={choice.format(secret=secret)})')
    with pytest.raises(OptionError, match=r'outside the folders|no file'):
        chosen = {'maze': choice.format(secret=secret)}
        game_from_text(WALK, options=chosen, is_trusted=False)
    with pytest.raises(GameNotFoundError):
        open_known_game(str(walk))


def test_rules_as_text_name_no_file(walk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(walk.parent)
    with pytest.raises(GameError, match='outside the folders'):
        game_from_text(WALK)


LIMITED = WALK.replace('(grid mazes/small)', '(grid mazes/small) (one @ p 1) (at_most_one 2)')


@pytest.mark.parametrize(
    ('content', 'message'),
    [
        ('#@\n#X\np2\n', r"small\.txt:3:1: 'p' is one too many: .* of @ p 1, .* line 1, column 2"),
        ('@2\n 2X\n', r"small\.txt:2:2: '2' is one too many"),
        ('2X\n', r'small\.txt:1:1: the grid holds none of @ p 1'),
    ],
)
def test_grid_with_too_many_of_a_character(walk: Path, content: str, message: str) -> None:
    walk.write_text(LIMITED)
    walk.parent.joinpath('mazes', 'small.txt').write_text('@X\n')
    assert load_game(walk)
    walk.parent.joinpath('mazes', 'small.txt').write_text(content)
    with pytest.raises(OptionError, match=message):
        open_game(f'{walk}(maze=small)')
    # The default one is a mistake of the rule file, and reported once.
    with pytest.raises(GameError, match=message) as refusal:
        load_game(walk)
    assert [finding.code for finding in refusal.value.diagnostics] == ['option-grid']


def test_sokoban_has_one_first_player(tmp_path: Path) -> None:
    level = tmp_path / 'two.txt'
    level.write_text('#####\n#p p#\n#$ .#\n#####\n')
    with pytest.raises(OptionError, match=r"two\.txt:2:4: 'p' is one too many"):
        open_game(f'sokoban(level={level})')
