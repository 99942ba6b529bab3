"""Merging keeps every term, each one once, whatever the templates are."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings, strategies

from gdl_env.engine.mapping.classes import Classes
from gdl_env.engine.mapping.domain import Domains
from gdl_env.engine.mapping.merge import merge
from gdl_env.engine.mapping.table import TemplateTable
from gdl_env.engine.mapping.template import Template
from gdl_env.language.load import game_from_text
from gdl_env.language.terms import Compound, Number, Symbol
from gdl_env.language.types import TypeSystem

GAME = game_from_text(
    '(role r) (legal r m) terminal (goal r 0) (init f)'
    '(type p a) (type p b) (type q c) (typecombine pq p q)'
)
DOMAINS = Domains(TypeSystem.from_game(GAME), Classes(GAME))
VALUES = [*map(Symbol, 'abcd'), *map(Number, range(5))]
SETS = strategies.lists(strategies.sampled_from(VALUES), min_size=1, max_size=5, unique=True)
SHAPES = {1: ('f', (None,)), 2: ('g', (None, ('h', (None,)))), 3: ('k', (None, None, None))}


@strategies.composite
def templates(draw):
    places = draw(strategies.integers(1, 3))
    sets = draw(strategies.lists(SETS, min_size=places, max_size=places))
    return Template(SHAPES[places], tuple(DOMAINS.of_values(values) for values in sets))


def terms(template: Template) -> list:
    return [template.term(index) for index in range(template.size)]


@settings(max_examples=300, deadline=None)
@given(strategies.lists(templates(), max_size=7))
def test_merging_keeps_each_term_once(written):
    merged, _ = merge(written, DOMAINS)
    wanted = {term for template in written for term in terms(template)}
    table = TemplateTable(merged)
    assert table.size == len(wanted)
    assert set(table.terms()) == wanted
    assert [table.find(term) for term in table.terms()] == list(range(table.size))
    assert table.find(Symbol('elsewhere')) is None


@settings(max_examples=100, deadline=None)
@given(SETS, SETS)
def test_constants_become_one_template(rows, columns):
    written = [
        Template(SHAPES[2], (DOMAINS.of_values([row]), DOMAINS.of_values([column])))
        for row, column in product(rows, columns)
    ]
    merged, _ = merge(written, DOMAINS)
    assert len(merged) == 1


def test_index_counts_the_last_place_fastest():
    template = Template(SHAPES[3], tuple(DOMAINS.of_values(map(Number, range(3))) for _ in '123'))
    assert template.term(5) == Compound('k', (Number(0), Number(1), Number(2)))
