"""The type system as data."""

from __future__ import annotations

import pytest

from gdl_env.language.game import Game
from gdl_env.language.load import build_game
from gdl_env.language.parser import parse, parse_term
from gdl_env.language.source import Source
from gdl_env.language.terms import Number, Range, Symbol
from gdl_env.language.types import TypeKind, TypeSystem, UnknownTypeError, variable_types

RULES = """
(type mark x) (type mark o)
(typecombine content mark empty)
(type empty b)
(type bid 60) (type bid 90)
(typecombine call content bid)
(typecombine size [1,3] bid)
(<= (typemap points low ?n) (less ?n 0))
(<= (typemap points high ?n) (greater ?n -1))
(<= (typemap points low 1000))
(typecombine score points mark)
(<= (next (cell [1,3]:?x ?y ?m)) (true (cell ?x [1,8]:?y mark:?m)) (does mark:?p go))
"""


def game(text: str) -> Game:
    return build_game(parse(Source(text)))


@pytest.fixture
def types() -> TypeSystem:
    return TypeSystem.from_game(game(RULES))


def names(*values: str) -> tuple[object, ...]:
    return tuple(parse_term(value) for value in values)


MEMBERS = [
    ('mark', ('x', 'o')),
    ('empty', ('b',)),
    ('content', ('x', 'o', 'b')),
    ('call', ('x', 'o', 'b', '60', '90')),
    ('size', ('1', '2', '3', '60', '90')),
    ('points', ('low', 'high')),
    ('score', ('low', 'high', 'x', 'o')),
]


@pytest.mark.parametrize(('name', 'members'), MEMBERS)
def test_members_come_in_the_order_of_declaration(
    types: TypeSystem, name: str, members: tuple[str, ...]
) -> None:
    assert types.members(Symbol(name)) == names(*members)


def test_range_has_its_integers(types: TypeSystem) -> None:
    assert types.members(Range(-1, 2)) == names('-1', '0', '1', '2')
    assert types.contains(Range(1, 10**12), Number(10**9))
    assert not types.contains(Range(1, 3), Symbol('x'))


def test_names_and_kinds(types: TypeSystem) -> None:
    assert types.names[:2] == ('mark', 'content')
    assert types.kinds['points'] is TypeKind.MAPPED
    assert types.parts(Symbol('call')) == (Symbol('mark'), Symbol('empty'), Symbol('bid'))
    assert types.parts(Range(1, 2)) == (Range(1, 2),)


def test_type_of_a_value_is_the_one_that_declares_it(types: TypeSystem) -> None:
    assert types.type_of(Symbol('x')) == Symbol('mark')
    assert types.type_of(Number(60)) == Symbol('bid')
    assert types.type_of(Number(2)) is None
    assert types.type_of(Symbol('cell')) is None
    assert types.type_of(Symbol('low')) == Symbol('points')


def test_mapped_type_takes_any_number(types: TypeSystem) -> None:
    assert types.contains(Symbol('score'), Number(-5000))
    assert not types.contains(Symbol('score'), Symbol('b'))
    assert types.is_mapped(Symbol('score'))
    assert not types.is_mapped(Symbol('call'))
    assert not types.is_mapped(Range(1, 2))


def test_one_annotation_types_a_variable_in_the_whole_rule() -> None:
    rule = game(RULES).rules[-1]
    assert variable_types(rule) == {
        'x': Range(1, 3),
        'y': Range(1, 8),
        'm': Symbol('mark'),
        'p': Symbol('mark'),
    }


def test_unknown_type_is_an_error(types: TypeSystem) -> None:
    assert not types.is_known(Symbol('nothing'))
    with pytest.raises(UnknownTypeError, match='nothing'):
        types.members(Symbol('nothing'))


def test_first_declaration_counts_where_the_game_is_wrong() -> None:
    types = TypeSystem.from_game(
        game('(type a x) (type b x) (type b y) (typecombine a b b) (typecombine c c a)')
    )
    assert types.members(Symbol('a')) == names('x')
    assert types.members(Symbol('b')) == names('y')
    assert types.members(Symbol('c')) == names('x')
    assert types.type_of(Symbol('x')) == Symbol('a')
