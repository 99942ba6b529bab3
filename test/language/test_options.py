"""Families of games: options that a rule file declares, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.errors import OptionError
from gdl_env.language.diagnostics import GameError
from gdl_env.language.families.designation import Designation
from gdl_env.language.formatter import format_text
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, open_game, read_game
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
