"""Facts that form no board, as text."""

from __future__ import annotations

from gdl_env.engine.fact_list import draw_facts
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Term


def facts(*texts: str) -> list[Term]:
    return [read_term(text) for text in texts]


def test_few_facts_are_written_as_they_are() -> None:
    assert draw_facts(facts('(control x)', '(heap 3)')) == '  (control x)   (heap 3)'


def test_no_facts() -> None:
    assert draw_facts([]) == '  (nothing)'


def test_many_facts_are_listed_by_relation() -> None:
    hands = facts(*(f'(hand {p} {c} 1)' for p in ('ann', 'ben') for c in range(9)))
    cards = facts('(cards ann 9)', '(cards ben 9)')
    assert draw_facts([*facts('(control ann)'), *cards, *hands]) == (
        '  (control ann)\n'
        '  cards     ann 9, ben 9\n'
        '  hand ann  0 1, 1 1, 2 1, 3 1, 4 1, 5 1, 6 1, 7 1, 8 1\n'
        '  hand ben  0 1, 1 1, 2 1, 3 1, 4 1, 5 1, 6 1, 7 1, 8 1'
    )


def test_long_lists_go_on_below_each_other() -> None:
    text = draw_facts(facts(*(f'(holds card_number_{n})' for n in range(30))))
    first, *others = text.splitlines()
    assert first.startswith('  holds  card_number_0, card_number_1,')
    assert others and all(line.startswith('         card_number_') for line in others)
    assert max(map(len, text.splitlines())) <= 96


def test_names_without_arguments_stay_what_they_are() -> None:
    names = facts('dark', *(f'(lamp {n})' for n in range(25)))
    assert draw_facts(names).splitlines()[0] == '  dark'
