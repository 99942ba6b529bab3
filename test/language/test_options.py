"""Families of games: options that a rule file declares, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.errors import GameNotFoundError, OptionError
from gdl_env.language.diagnostics import GameError
from gdl_env.language.families.designation import Designation
from gdl_env.language.formatter import format_text
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, load_game, open_game, open_known_game, read_game
from gdl_env.language.source import Source
from gdl_env.language.types import TypeSystem

FAMILY = """; Race - run to the end of the track.
(option size 5 [3,9])
(option fast false true)
(option players 2 3)
(option heaps (list 1 3) [1,9])

(role a)
(role b)
(<= (role c)
    (option players ?n)
    (greater ?n 2))

(type player a)
(type player b)
(<= (type player c)
    (or (option players 3) (option players 4)))

(<= (init (at player:?player 1))
    (role ?player))
(<= (init (heap [1,heaps_count]:?n [0,heaps_max]:?k))
    (heaps ?n ?k))

(<= (legal ?player go)
    (role ?player)
    (not terminal))
(<= (legal ?player jump)
    (option fast true)
    (role ?player)
    (not terminal))
(<= (legal ?player crawl)
    (not (option fast true))
    (role ?player)
    (not terminal))

(<= (next (at player:?player [1,size]:?y))
    (does ?player go)
    (true (at ?player ?x))
    (add ?x 1 ?y))
(<= (next (at player:?player [1,size]:?x))
    (true (at ?player ?x))
    (not (does ?player go)))

(<= terminal
    (true (at ?player ?n))
    (option size ?n))
(<= (goal ?player 100)
    (role ?player))
"""

CHOICE = {'size': '7', 'fast': 'TRUE', 'players': '3', 'heaps': '2 5 7'}


def family(**options: str) -> Game:
    return game_from_text(FAMILY, 'race', options)


def lines(game: Game) -> list[str]:
    return str(game).splitlines()


def test_without_a_choice_options_are_as_declared() -> None:
    game = family()
    assert game.name == 'race'
    assert [str(role) for role in game.roles] == ['a', 'b']
    assert '(option size 5)' in lines(game)
    assert '(<= terminal (true (at ?player 5)))' in lines(game)
    assert {'(heaps 1 1)', '(heaps 2 3)', '(option heaps_count 2)'} <= set(lines(game))
    assert not read_game(Source(FAMILY))[1]


def test_choice_decides_values_ranges_roles_types_and_rules() -> None:
    game = family(**CHOICE)
    assert game.name == 'race(size=7,fast=true,players=3,heaps=2 5 7)'
    assert [str(role) for role in game.roles] == ['a', 'b', 'c']
    assert [str(v) for v in TypeSystem.from_game(game).listed['player']] == ['a', 'b', 'c']
    text = str(game)
    assert '(next (at player:?player [1,7]:?y))' in text
    assert '(init (heap [1,3]:?n [0,7]:?k))' in text
    assert '(<= (legal ?player jump) (role ?player) (not terminal))' in lines(game)
    assert 'crawl' in str(family()) and 'crawl' not in text
    assert 'jump' not in str(family())


@pytest.mark.parametrize('options', [{}, CHOICE], ids=['defaults', 'chosen'])
def test_text_and_rules_are_the_game_without_a_choice(options: dict[str, str]) -> None:
    game = family(**options)
    for again in (game_from_text(game.text, game.name), game_from_text(str(game), game.name)):
        assert again == game
        assert again.hash == game.hash
        assert again.name == game.name


def test_text_keeps_what_the_author_wrote_but_for_lists_and_grids() -> None:
    text = '; Race\n(option size 5 [3,9])\n; The end.\n(<= (p [1,size]:?x) (q ?x))\n'
    game = read_game(Source(text, 'race'), {'size': '7'})[0]
    assert game.text == text.replace('5 [3,9]', '7')
    assert '; Race' not in family().text


def test_hash_and_name_tell_games_of_a_family_apart() -> None:
    games = [family(), family(size='6'), family(fast='true'), family(heaps='3 1')]
    assert len({game.hash for game in games}) == len({game.name for game in games}) == 4
    assert family(size='5') == family()
    assert family(size='5').name == 'race'


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'size': '99'}, r"race:2:1: the option 'size' cannot be '99'; allowed: 3 to 9"),
        ({'size': 'big'}, r"cannot be 'big'"),
        ({'fast': 'maybe'}, r'race:3:1: .*allowed: false, true'),
        ({'heaps': '3 10'}, r"'heaps' cannot be '10'; allowed: 1 to 9"),
        ({'heaps': ' '}, r"race:5:1: the option 'heaps' needs one value or more"),
        ({'sise': '5'}, r"race has no option 'sise', but 'size'; options: size \(3 to 9\)"),
    ],
)
def test_bad_choice(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        family(**options)


def test_game_without_options_has_none() -> None:
    with pytest.raises(OptionError, match="no option 'size'; options: none"):
        open_game('tictactoe(size=4)')


def test_error_in_a_rule_of_other_options_is_found() -> None:
    with pytest.raises(GameError, match='unsafe'):
        game_from_text(FAMILY.replace('(<= (legal ?player jump)', '(<= (legal ?other jump)'))


def test_relation_of_that_name_that_rules_define_stays_what_it_is() -> None:
    text = FAMILY.replace('(option size 5 [3,9])', '(<= (option size ?n) (succ ?n)) (succ 5)')
    text = text.replace('size]', '9]')
    game, _ = read_game(Source(text))
    assert game.options == ()
    assert '(<= terminal (true (at ?player ?n)) (option size ?n))' in lines(game)


def test_layout_keeps_declarations() -> None:
    text = '(option   size 5\n [ 3, 9 ])\n(<= (p [1, size]:?x)\n    (q ?x))\n'
    laid_out = '(option size 5 [3,9])\n(<= (p [1,size]:?x)\n    (q ?x))\n'
    assert format_text(text) == laid_out


# ---- grids

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
    found = [line for line in lines(game) if line.startswith(('(maze', '(option'))]
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


# ---- how games are named


@pytest.mark.parametrize(
    ('text', 'game', 'options'),
    [
        ('hex', 'hex', {}),
        ('hex()', 'hex', {}),
        (' hex( size = 7 , Swap=no ) ', 'hex', {'size': '7', 'swap': 'no'}),
        ('./my.gdl(size=7)', './my.gdl', {'size': '7'}),
        ('a (1)/b(x=1)', 'a (1)/b', {'x': '1'}),
        ('nim(heaps=1 3 5)', 'nim', {'heaps': '1 3 5'}),
    ],
)
def test_designation(text: str, game: str, options: dict[str, str]) -> None:
    read = Designation.read(text)
    assert (read.game, dict(read.options)) == (game, options)
    assert Designation.read(str(read)) == read


@pytest.mark.parametrize(
    'text', ['hex(7)', 'hex(size=)', 'hex(=7)', 'hex(size=7,)', 'hex(a=1,a=2)']
)
def test_bad_designation(text: str) -> None:
    with pytest.raises(OptionError):
        Designation.read(text)


def test_file_with_parentheses_in_its_name(tmp_path: Path) -> None:
    path = tmp_path / 'race(1)'
    path.write_text(FAMILY)
    game = open_game(str(path))
    assert game.name == 'race(1)'
    assert open_game(game.address) == game


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        ('hex', 'hex'),
        ('/some/where/hex.gdl(size=7)', 'hex-size-7'),
        ('nim(heaps=1 3 5,misere=true)', 'nim-heaps-1-3-5-misere-true'),
        ('sokoban(level=../my level.txt)', 'sokoban-level-..-my-level.txt'),
    ],
)
def test_file_name(text: str, name: str) -> None:
    assert Designation.read(text).file_name == name
