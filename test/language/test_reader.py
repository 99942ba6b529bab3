"""The fast reader agrees with the grammar, and knows no largest number."""

from __future__ import annotations

import sys

import pytest

from gdl_env.language.integers import integer_text, read_integer
from gdl_env.language.parser import parse_term
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Number

TERMS = ['a', '42', '-3', '007', '-0', '(f)', '(f ?x (g 1 -2))', '(1 2)', 'WHITE']


@pytest.mark.parametrize('text', TERMS)
def test_term_is_read_as_the_grammar_reads_it(text: str) -> None:
    assert read_term(text) == parse_term(text)


@pytest.mark.parametrize('text', ['', '(', ')', '()', 'a b', '(f', '((f) 1)'])
def test_text_that_is_not_one_term(text: str) -> None:
    with pytest.raises(ValueError, match=r'.'):
        read_term(text)


# Escape, a bell, the one-character form of `ESC [`, and a character that turns what follows.
CONTROLS = '\x1b\x07\x9b\u202e'


@pytest.mark.parametrize('control', CONTROLS)
def test_control_characters_are_refused(control: str) -> None:
    """A terminal that shows them does what they say."""
    with pytest.raises(ValueError, match='a control character'):
        read_term(f'(cell a{control}[31m)')
    with pytest.raises(ValueError, match='the control character'):
        parse_term(f'(cell a{control}[31m)')


# Python's own limit is 4300 digits, and can be set to 640 at least.
@pytest.mark.parametrize('digits', [1, 639, 640, 641, 1281, 4299, 4300, 4301, 20001])
@pytest.mark.parametrize('sign', ['', '-'])
@pytest.mark.parametrize('pattern', ['1', '9', '10', '7000000003'])
def test_number_of_any_size_is_read_and_written(pattern: str, sign: str, digits: int) -> None:
    text = sign + (pattern * digits)[:digits]
    number = read_term(text)
    assert isinstance(number, Number)
    assert str(number) == text
    assert str(read_term(f'(at {text})')) == f'(at {text})'


@pytest.mark.parametrize('exponent', [640, 4300, 9999])
def test_long_numbers_have_the_right_value(exponent: int) -> None:
    for value in (10**exponent, 10**exponent - 1, -(10**exponent) + 1, 2**exponent):
        assert read_integer(integer_text(value)) == value
    assert integer_text(10**exponent) == '1' + '0' * exponent


def test_limit_of_the_process_stays_as_it_is() -> None:
    before = sys.get_int_max_str_digits()
    read_term(str(read_term('9' * 10000)))
    assert sys.get_int_max_str_digits() == before
