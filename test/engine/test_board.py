"""Facts drawn as boards or lists."""

from __future__ import annotations

from itertools import product

from gdl_env.engine.board import Board
from gdl_env.language.game import Game, build_rules
from gdl_env.language.parser import parse
from gdl_env.language.reader import read_term
from gdl_env.language.source import Source


def board(rules: str = '') -> Board:
    return Board(Game(build_rules(parse(Source(rules)).forms)))


def facts(*texts: str) -> list:
    return [read_term(text) for text in texts]


def test_rows_and_columns():
    marks = facts('(cell 1 1 x)', '(cell 1 2 b)', '(cell 2 1 o)', '(cell 2 2 b)', '(control x)')
    assert board().draw(marks) == 'cell:\n     1 2\n  1  x .\n  2  o .\n\n  (control x)'


def test_letters_run_from_left_to_right_and_numbers_upward():
    pieces = facts('(cell a 1 wk)', '(cell b 2 bk)', '(cell a 2 b)', '(cell b 1 b)')
    assert board().draw(pieces) == 'cell:\n  2  .  bk\n  1  wk .\n     a  b'


def test_names_of_variables_tell_the_direction():
    rules = '(<= (next (cell ?column ?row ?disc)) (true (cell ?column ?row ?disc)))'
    discs = facts('(cell 1 1 x)', '(cell 2 1 o)', '(cell 2 2 x)')
    assert board(rules).draw(discs) == 'cell:\n  2  . x\n  1  x o\n     1 2'


def test_declared_ranges_show_an_empty_board():
    rules = '(<= (next (cell [1,2]:?row [1,3]:?y m:?m)) (p ?row ?y ?m))'
    assert board(rules).draw([]) == 'cell:\n     1 2 3\n  1  . . .\n  2  . . .'
    assert board(rules).draw([], with_empty=False) == '  (nothing)'


def test_size_is_remembered_from_the_start():
    rules = ' '.join(f'(init (cell {row} {column} b))' for row, column in product('123', '123'))
    assert board(rules).draw(facts('(cell 2 2 x)')).count('.') == 8


def test_long_words_are_shortened_with_a_legend():
    discs = facts('(cell 1 1 red)', '(cell 2 2 yellow)', '(cell 1 2 empty)')
    text = board().draw(discs)
    assert '  1  r .\n  2  . y\n' in text
    assert text.endswith('(r red, y yellow)')


def test_words_with_the_same_first_letter_stay():
    assert 'rook' in board().draw(facts('(cell 1 1 rook)', '(cell 2 2 red)'))


def test_contents_of_two_words_are_shortened_as_far_as_they_differ():
    pieces = facts('(cell a 1 white king)', '(cell b 1 white knight)', '(cell b 2 black king)')
    text = board().draw([*pieces, *facts('(blank a 2)', '(control white)')])
    assert text.startswith('cell:\n  2  .   bki\n  1  wki wkn\n     a   b\n')
    assert text.endswith('(bki black king, wki white king, wkn white knight)\n\n  (control white)')


def test_other_relations_of_four_are_no_board():
    assert 'way:' not in board().draw(facts('(way 1 2 a b)', '(way 1 1 2 2)', '(way 2 1 (f x) y)'))


def test_rules_for_the_first_state_are_no_facts():
    rules = '(<= (init (cell [1,2]:?x [1,2]:?y m:?m)) (p ?x ?y ?m))'
    assert board(rules).draw(facts('(cell 1 1 x)', '(cell 2 2 o)')).startswith('cell:\n')


def test_two_contents_in_one_place_are_no_board():
    text = board().draw(facts('(at 1 1 x)', '(at 1 1 y)', '(at 2 2 x)'))
    assert text == '  (at 1 1 x)   (at 1 1 y)   (at 2 2 x)'


def test_other_relations_of_three_are_no_board():
    text = board().draw(facts('(edge red blue 3)', '(edge blue green 4)'))
    assert text == '  (edge blue green 4)   (edge red blue 3)'


def test_numbers_are_in_natural_order():
    holes = facts('(hole a c2 peg)', '(hole a c10 peg)', '(hole b c2 peg)', '(hole b c10 peg)')
    assert '     c2  c10' in board().draw(holes).replace('peg', 'p')


def test_many_facts_are_filled_without_breaking_one():
    text = board().draw(facts(*(f'(owns player {i})' for i in range(40))))
    assert all(line.count('(') == line.count(')') for line in text.splitlines())
    assert all(len(line) <= 96 for line in text.splitlines())
