"""Counters: what bounds them, and what is refused because nothing does."""

from __future__ import annotations

import pytest
from random_walks import random_states

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.perft import each_step
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.language.load import game_from_text

pytestmark = pytest.mark.usefixtures('own_cache')


def test_what_does_not_ground_says_why() -> None:
    text = """
    (role a) (init (n 0)) (legal a go) (<= (next (n ?m)) (true (n ?k)) (add ?k 1 ?m))
    (<= terminal (true (n ?k)) (true stop)) (goal a 0)
    """
    for _ in range(2):  # the second time from the cache
        with pytest.raises(GroundingError, match=r'growing: \(next \(n \d+\)\) .* <text>:2'):
            CircuitEngine(game_from_text(text))
    # The same rules with another line: the cache knows the rules only.
    with pytest.raises(GroundingError, match=r'growing: \(next \(n \d+\)\) .* <text>:4'):
        CircuitEngine(game_from_text('\n\n' + text))


def test_a_declared_range_bounds_a_counter() -> None:
    text = """
    (role a) (init (n 0)) (legal a go) (<= (next (n [0,9]:?m)) (true (n ?k)) (add ?k 1 ?m))
    (<= terminal (true (n ?k)) (true stop)) (goal a 0)
    """
    with CircuitEngine(game_from_text(text)) as engine:
        assert len(engine.vocabulary.own_facts) == 10


STEPPING = """
(role a) (role b) (init (at 1)) (init (turn a)) (way left) (way right)
(<= (legal ?r (go ?w)) (true (turn ?r)) (way ?w) (true (at ?k)) LEFT)
(<= (legal ?r rest) (true (turn ?r)) (true (at ?k)) RIGHT)
(<= (next (at ?m)) (true (at ?n)) MOVE (add ?n 1 ?m))
(<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
(<= terminal (true (at 7)) (true (turn a))) (<= terminal (true (turn b)) (true (at 7)))
(goal a 100) (goal b 0)
"""


def stepping(left: str, right: str, move: str) -> str:
    return STEPPING.replace('LEFT', left).replace('RIGHT', right).replace('MOVE', move)


@pytest.mark.prolog
@pytest.mark.parametrize(
    'text',
    [
        stepping('(less ?k 7)', '(true stop)', '(does ?r (go ?d))'),
        stepping('(not (greater ?k 6))', '(less ?k 5)', '(does ?r ?anything)'),
        # A second rule, which never applies beside the first.
        *(
            stepping('(less ?k 7)', '(true stop)', '(does ?r (go ?d))')
            + f'(<= (next (at ?k)) (true (at ?k)) {kept}) (<= gone (does ?r (go ?w)))'
            for kept in ('(not gone)', '(not (does ?r (go ?w)))')
        ),
    ],
)
def test_comparisons_in_legal_bound_a_counter(text: str) -> None:
    game = game_from_text(text)
    with CircuitEngine(game) as ours, PrologEngine(game) as theirs:
        assert sum(str(fact).startswith('(at') for fact in ours.vocabulary.facts) == 7
        for state, _ in random_states(theirs, 40, seed=1):
            assert ours.legal_moves(state) == theirs.legal_moves(state)
            assert ours.is_terminal(state) == theirs.is_terminal(state)
            for moves in each_step(theirs, state) if not theirs.is_terminal(state) else ():
                assert ours.next_state(state, moves) == theirs.next_state(state, moves)


PUSHING = """
(role a) (init (n 1)) (init (left 9))
(<= (legal a up) (true (n ?k)) (less ?k 5)) (<= (legal a (by 2)) (true (n ?k)) (less ?k 4))
(legal a stop)
(<= (next (n ?m)) (true (n ?k)) WHEN (add ?k 1 ?m))
(<= (next (left ?m)) (true (left ?k)) (sub ?k 1 ?m))
(<= terminal (true (left 0))) (<= (goal a ?n) (true (n ?n)))
"""


@pytest.mark.prolog
@pytest.mark.parametrize(
    ('when', 'more', 'values'),
    [
        # Each move has a rule of its own, and one keeps what there is.
        (
            '(does a up)',
            '(<= (next (n ?m)) (true (n ?k)) (does a (by ?d)) (add ?k ?d ?m))'
            '(<= (next (n ?k)) (true (n ?k)) (does a stop))',
            5,
        ),
        # Of a move that is not made, `legal` says nothing: the other rule bounds the counter.
        ('(not (does a up)) (less ?k 12)', '', 12),
    ],
)
def test_moves_bound_a_counter_where_they_are_made(when: str, more: str, values: int) -> None:
    game = game_from_text(PUSHING.replace('WHEN', when) + more)
    with CircuitEngine(game) as ours, PrologEngine(game) as theirs:
        assert sum(str(fact).startswith('(n') for fact in ours.vocabulary.facts) == values
        seen = set()
        for state, _ in random_states(theirs, 200, seed=1):
            assert ours.legal_moves(state) == theirs.legal_moves(state)
            assert ours.is_terminal(state) == theirs.is_terminal(state)
            for moves in each_step(theirs, state) if not theirs.is_terminal(state) else ():
                after = ours.next_state(state, moves)
                assert after == theirs.next_state(state, moves)
                seen.add(max((str(f) for f in after if str(f).startswith('(n')), default=''))
        assert len(seen) > 4


@pytest.mark.parametrize(
    'text',
    [
        # Another move has no bound.
        stepping('(less ?k 7)', '(way ?k)', '(does ?r ?anything)'),
        # Two facts at a time: the bound may be that of the other one.
        stepping('(less ?k 7)', '(less ?k 7)', '(does ?r (go ?d))') + '(init (at 2))',
        # A second rule for the fact.
        stepping('(less ?k 7)', '(less ?k 7)', '(does ?r (go ?d))')
        + '(<= (next (at 1)) (true (at ?n)))',
        # Another rule applies to the same step: two facts come from one.
        stepping('(less ?k 7)', '(less ?k 7)', '(does ?r (go ?d))')
        + '(<= (next (at ?n)) (true (at ?n)) (does ?r (go left)))',
        # The bound is that of a move that is not made.
        stepping('(less ?k 7)', '(true (at ?k))', '(not (does a rest))'),
    ],
)
def test_what_legal_does_not_bound_is_refused(text: str) -> None:
    with pytest.raises(GroundingError, match='values keep growing'):
        CircuitEngine(game_from_text(text))


def test_numbers_that_outgrow_the_grounder_are_located() -> None:
    game = game_from_text("""
        (role r) (init (total 1)) (init (step 0)) (succ 0 1) (succ 1 2)
        (legal r go)
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= (next (total ?y)) (true (total ?x)) (mult ?x 7 ?z) (add ?z 1 ?y))
        (<= terminal (true (step 2)))
        (goal r 100)
        """)
    with pytest.raises(GroundingError, match=r'keep growing: \(next \(total \d+\)\).*<text>:5'):
        CircuitEngine(game)
    with pytest.raises(GroundingError, match=r'the number 10{21} is too large'):
        CircuitEngine(game_from_text(f'{game.text} (init (n {10**21}))'))
