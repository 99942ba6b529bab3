"""Templates from types, and the numbers that follow from them."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.static_rules import StaticRules
from gdl_env.engine.mapping.typed import TypedEncoding
from gdl_env.language.load import game_from_text, load_game, open_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTED = {
    match[1]: (int(match[2]), int(match[3]))
    for match in re.finditer(
        r'^\| \[(\w+)\]\(.*\| (\d+) \| (\d+) \|$',
        (ROOT / 'doc' / 'games.md').read_text('utf-8'),
        re.MULTILINE,
    )
}
FRAME = (
    '(role a) (role b) (<= (legal a [1,2]:?n) (type [1,2] ?n)) terminal (goal a 0) (goal b 0)\n'
)


def typed(name: str) -> TypedEncoding:
    return TypedEncoding(load_game(ROOT / 'games' / f'{name}.gdl'))


def mapping_of(rules: str) -> TypedEncoding:
    return TypedEncoding(game_from_text(FRAME + rules))


def facts(mapping: TypedEncoding) -> list[str]:
    return [str(term) for term in mapping.state_table.terms()]


@pytest.mark.parametrize('name', DOCUMENTED)
def test_numbers_are_the_documented_ones(name: str):
    mapping = typed(name)
    assert (mapping.state_size, mapping.action_size) == DOCUMENTED[name]


def test_tictactoe_in_full():
    mapping = typed('tictactoe')
    assert (mapping.observation_size, mapping.action_size) == (29, 9)
    assert [str(t) for t in mapping.state.merged] == [
        '(cell [1,3] [1,3] content)',
        '(control player)',
    ]
    assert [str(t) for t in mapping.action.merged] == ['(mark [1,3] [1,3])']
    assert len(mapping.state.written) == 13
    assert mapping.observation_name(0) == '(cell 1 1 x)'
    assert mapping.observation_name(28) == '(control o)'
    assert mapping.move(Symbol('x'), 5) == read_term('(mark 2 3)')


def test_merges_say_why():
    reasons = {
        str(step.before[-1]): step.reason
        for step in typed('tictactoe').state.merges
        if str(step.after[0]) == '(cell [1,3] [1,3] content)'
    }
    assert reasons['(cell [1,3] [1,3] player)'] == 'player is in content'
    assert reasons['(cell 1 3 b)'] == '1 is in [1,3], 3 is in [1,3], b is in content'


def test_own_hidden_facts_come_without_the_role_and_those_of_chance_not_at_all():
    krieg = typed('krieg_tictactoe')
    assert (krieg.state_size, krieg.observation_size) == (38, 20)
    assert '(sees (cell [1,3] [1,3] player))' in map(str, krieg.observation.merged)
    view = frozenset({read_term('(sees x (cell 1 2 o))'), read_term('(sees o (cell 1 1 o))')})
    ones = [krieg.observation_name(i) for i in krieg.observe(view, Symbol('x')).nonzero()[0]]
    assert ones == ['(sees (cell 1 2 o))']
    monty = typed('monty_hall')
    assert (monty.state_size, monty.observation_size) == (17, 14)


def test_percepts_are_the_observation_of_a_game_of_percepts():
    mapping = typed('simultaneous_krieg_tictactoe')
    assert (mapping.state_size, mapping.observation_size) == (46, 18)
    assert mapping.observation_name(0) == '(got 1 1)'


def test_moves_name_experiments_and_leave_chance_out():
    pig = typed('pig')
    assert [str(pig.move(Symbol('bob'), i)) for i in range(2)] == ['(roll dice)', 'hold']
    moves = {str(move) for move in typed('monty_hall').action_table.terms()}
    assert moves == {'(choose 1)', '(choose 2)', '(choose 3)', 'keep', 'switch'}


@pytest.mark.parametrize(
    ('points', 'name'),
    [(0, 'nothing'), (1, 'small'), (9, 'small'), (10, 'fair'), (29, 'large'), (400, 'huge')],
)
def test_typemap_sorts_numbers_into_classes(points: int, name: str):
    pig = typed('pig')
    vector = pig.observe(frozenset({read_term(f'(pot {points})')}), Symbol('bob'))
    (index,) = vector.nonzero()[0]
    assert pig.observation_name(index) == f'(pot {name})'


def test_typemap_may_ask_tables_and_use_the_whole_language():
    mapping = mapping_of("""
        (odd 1) (odd 3) (odd 5)
        (<= (big ?n) (type [10,99] ?n))
        (<= (typemap k odd ?n) (odd ?n) (not (big ?n)))
        (<= (typemap k tens ?n) (div ?n 10 ?m) (mult ?m 10 ?n) (big ?n) (count 3 (odd ?i)))
        (<= (typemap k edge ?n) (or (not (distinct ?n 7)) (and (type [8,9] ?n) (less ?n 9))))
        (<= (init (at k:?n)) (odd ?n))
        (init (at 8))
    """)
    assert facts(mapping) == ['(at odd)', '(at tens)', '(at edge)']
    place = mapping.state_table.find
    numbers = {n: place(read_term(f'(at {n})')) for n in (1, 5, 7, 8, 9, 10, 20, 25)}
    assert numbers == {1: 0, 5: 0, 7: 2, 8: 2, 9: None, 10: 1, 20: 1, 25: None}


def test_facts_outside_the_types_are_named():
    mapping = typed('tictactoe')
    with pytest.raises(EncodingError, match=r'\(cell 4 1 x\) lies outside of the types'):
        mapping.observe(frozenset({read_term('(cell 4 1 x)')}), Symbol('x'))
    with pytest.raises(EncodingError, match=r'\(mark 4 1\) of x'):
        mapping.action_index(Symbol('x'), read_term('(mark 4 1)'))


def test_the_line_of_a_type_that_is_left_is_named():
    rules = """(role eye) (init (sum [0,9]:0)) (legal eye look)
        (<= (next (sum [0,9]:?n)) (true (sum ?n)))
        (<= (sees eye (total [0,4]:?m)) (true (sum ?k)) (add ?k 5 ?m))
        (<= terminal (true (sum 9))) (goal eye 50)"""
    encoding = TypedEncoding(game_from_text(rules, 'sums'))
    message = r'\(total 5\) lies outside of the types of its rules: \(total \[0,4\]\) in line 3$'
    with pytest.raises(EncodingError, match=message):
        encoding.observe(frozenset({read_term('(total 5)')}), Symbol('eye'))


def test_templates_that_differ_at_one_place_become_one():
    mapping = mapping_of("""
        (type p a) (type p b) (type e n) (typecombine c p e)
        (<= (init (at [1,2]:?x p:?v)) (type [1,2] ?x) (type p ?v))
        (<= (init (at [1,2]:?x n)) (type [1,2] ?x))
        (init (is red)) (init (is green)) (init done)
    """)
    assert [str(t) for t in mapping.state.merged] == ['(at [1,2] c)', '(is {red, green})', 'done']
    assert any(step.reason == 'differ at place 2 only: p + n = c' for step in mapping.state.merges)
    assert mapping.state_size == 6 + 2 + 1


def test_overlapping_templates_count_a_fact_once():
    mapping = mapping_of("""
        (<= (init (at [1,4]:?x [2,3]:?y)) (type [1,4] ?x) (type [2,3] ?y))
        (<= (init (at [2,3]:?x [1,4]:?y)) (type [2,3] ?x) (type [1,4] ?y))
    """)
    assert sorted(facts(mapping)) == sorted(set(facts(mapping)))
    assert mapping.state_size == 12


def test_values_may_be_compounds():
    mapping = mapping_of("""
        (type card (card 7 clubs)) (type card (card 8 clubs)) (type card joker)
        (<= (init (hand a card:?c)) (type card ?c))
        (<= (init (hand b (card [7,9]:?n clubs))) (type [7,9] ?n))
    """)
    assert mapping.state_size == 3 + 3
    assert mapping.state_table.find(read_term('(hand a (card 8 clubs))')) is not None
    assert mapping.state_table.find(read_term('(hand a (card 9 clubs))')) is None
    assert mapping.state_table.find(read_term('(hand a joker)')) is not None


def test_a_move_may_be_one_variable():
    mapping = mapping_of("""
        (type act wait) (type act (go north)) (type act (go south))
        (<= (legal b act:?m) (type act ?m))
    """)
    moves = {str(mapping.move(Symbol('a'), i)) for i in range(mapping.action_size)}
    assert moves == {'1', '2', 'wait', '(go north)', '(go south)'}


def test_untyped_games_are_refused():
    with pytest.raises(EncodingError, match='has no types'):
        TypedEncoding(game_from_text('(role a) (legal a b) terminal (goal a 0) (init f)'))


def test_percepts_need_types_too():
    with pytest.raises(EncodingError, match=r'\?n has no type'):
        mapping_of('(<= (sees a (heard ?n)) (type [1,2] ?n)) (init f)')


def test_only_what_needs_no_state_is_answered():
    rules = StaticRules(game_from_text(FRAME + '(init on) (<= (q ?n) (less 1 2) (true (at ?n)))'))
    with pytest.raises(EncodingError, match='the state decides'):
        list(rules.answers(read_term('(q 1)')))


@pytest.mark.parametrize('sides', ['7 ?n', '?n 7'])
def test_equality_gives_a_value(sides: str):
    rules = StaticRules(game_from_text(FRAME + f'(<= (q ?n) (not (distinct {sides})))'))
    assert list(rules.answers(read_term('(q ?x)'))) == [read_term('(q 7)')]
    assert list(rules.answers(read_term('(q 8)'))) == []


@pytest.mark.parametrize(
    ('name', 'state', 'actions'),
    re.findall(
        r'^\| `(\w+(?:\([\w=]+\))?)` \| [^|]+ \| (\d+), (\d+) \|',
        (ROOT / 'doc' / 'mapping.md').read_text('utf-8'),
        re.MULTILINE,
    ),
)
def test_published_dimensions_are_as_the_table_says(name: str, state: str, actions: str) -> None:
    mapping = TypedEncoding(open_game(name))
    assert (mapping.state_size, mapping.action_size) == (int(state), int(actions))


def test_the_table_of_published_dimensions_has_its_games() -> None:
    text = (ROOT / 'doc' / 'mapping.md').read_text('utf-8')
    assert '| `chess(promotions=queen)` | 851, 4096 | 851, 4096 |' in text
    assert '| `doppelkopf` | 2958, 64 |' in text
