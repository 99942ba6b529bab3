"""Roles that rules give are facts once a game is loaded."""

from __future__ import annotations

import pytest

from gdl_env.language.diagnostics import Severity
from gdl_env.language.load import game_from_text, read_game
from gdl_env.language.source import Source

FRAME = """
(option players 3 [2,6])
(init (at 1))
(<= (legal ?r go) (role ?r) (true (at 1)))
(<= (next (at 2)) (true (at 1)))
(<= terminal (true (at 2)))
(<= (goal ?r 100) (role ?r))
"""

# Rules, and the roles that four players make of them.
CASES = {
    'numbers from a range': ('(<= (role ?p) (type [1,players] ?p))', ['1', '2', '3', '4']),
    'names of seats, in the order of the file': (
        '(seat north 1) (seat west 2) (seat south 3) (seat east 4) (seat extra 5)'
        '(<= (role ?p) (seat ?p ?n) (option players ?most) (not (greater ?n ?most)))',
        ['north', 'west', 'south', 'east'],
    ),
    'beside facts': (
        '(role first) (<= (role ?p) (type [2,players] ?p)) (role random)',
        ['first', '2', '3', '4', 'random'],
    ),
    'recursion': (
        '(number 1) (<= (number ?m) (number ?n) (option players ?k) (less ?n ?k) (add ?n 1 ?m))'
        '(<= (role ?p) (number ?p))',
        ['1', '2', '3', '4'],
    ),
    'roles that follow from roles': (
        '(role r) (<= (role s) (role r)) (<= (role ?t) (after ?s ?t) (role ?s)) (after s t)',
        ['r', 's', 't'],
    ),
    'each role once': (
        '(p a) (q a) (q b) (<= (role ?r) (or (p ?r) (q ?r)))',
        ['a', 'b'],
    ),
    'negation of a computed relation': (
        '(name a) (name b) (name c) (<= (gone ?r) (name ?r) (not (distinct ?r b)))'
        '(<= (role ?r) (name ?r) (not (gone ?r)))',
        ['a', 'c'],
    ),
    'a type': ('(type seat x) (type seat y) (<= (role ?r) (type seat ?r))', ['x', 'y']),
    'count': (
        '(p 1) (p 2) (name a 2) (name b 3) (<= (role ?r) (count ?n (p ?x)) (name ?r ?n))',
        ['a'],
    ),
}


@pytest.mark.parametrize(('rules', 'expected'), CASES.values(), ids=CASES.keys())
def test_roles(rules: str, expected: list[str]) -> None:
    game = game_from_text(FRAME + rules, options={'players': '4'})
    assert [str(role) for role in game.roles] == expected
    # The rules as text are the same game, without its options.
    assert game_from_text(game.text).roles == game.roles


def test_a_loaded_game_has_facts_only() -> None:
    by_rule = game_from_text(FRAME + '(<= (role ?p) (type [1,players] ?p))')
    by_hand = game_from_text(FRAME + '(role 1) (role 2) (role 3)')
    assert by_rule.hash == by_hand.hash


def test_rules_without_end_are_refused() -> None:
    """The checker sees a bound, which never comes."""
    rules = '(n 0) (<= (n ?m) (n ?k) (sub ?k 1 ?m) (less ?m 9)) (<= (role ?r) (n ?r))'
    _, findings = read_game(Source(FRAME + rules))
    assert [finding.code for finding in findings if finding.severity is Severity.ERROR] == [
        'role-rule'
    ]
    assert 'answers without end' in findings[-1].message
