"""The contract of engines: the same questions to all of them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
import shutil
from typing import TypeAlias

import pytest

from gdl_env.engine.contract import NATURE, Engine
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.perft import perft
from gdl_env.engine.registry import engine_names, open_engine
from gdl_env.errors import RuleError
from gdl_env.language.load import read_game
from gdl_env.language.reader import read_term
from gdl_env.language.source import Source
from gdl_env.language.terms import Symbol, Term, sort_key

pytestmark = pytest.mark.prolog

Open: TypeAlias = Callable[[str], Engine]

COUNTER = """
(role up) (role down)
(init (value 0)) (init (step 0))
(<= (legal up (plus ?n)) (amount ?n)) (amount 1) (amount 2)
(<= (legal down (minus ?n)) (amount ?n))
(<= (next (value [-6,6]:?v)) (true (value ?u)) (does up (plus ?p)) (does down (minus ?m))
    (add ?u ?p ?w) (sub ?w ?m ?v))
(<= (next (step ?n)) (true (step ?s)) (add ?s 1 ?n))
(<= terminal (true (step 3)))
(<= (goal up 100) (true (value ?v)) (greater ?v 0))
(<= (goal up 50) (true (value 0)))
(<= (goal up 0) (true (value ?v)) (less ?v 0))
(<= (goal down ?g) (goal up ?h) (sub 100 ?h ?g))
"""

DICE = """
(role a)
(random dice 1 1) (random dice 1 2) (random dice 4 6) (random dice 0 7)
(<= (random card ?w ?c) (left ?c ?w)) (left ace 1) (<= (left king 3) (true start))
(init start)
(legal a (roll dice dice)) (legal a (both dice card)) (legal a stay)
(<= (next (got ?x ?y)) (does a (roll ?x ?y)))
(<= terminal (true (got ?x ?y))) (goal a 50)
"""

HIDDEN = """
(role random) (role a) (role b)
(init (deal))
(<= (legal random (give ?c)) (true deal) (card ?c)) (card 1) (card 2)
(<= (next (sees a (has ?c))) (does random (give ?c)))
(<= (next open) (does random (give ?c)))
(<= (next (sees a (has ?c))) (true (sees a (has ?c))))
(<= (next open) (true open) (not (does a finish)))
(<= (legal ?p noop) (player ?p) (true open)) (player a) (player b)
(<= (legal a finish) (true open))
(<= terminal (not (true deal)) (not (true open)))
(<= (goal ?p 50) (player ?p)) (goal random 100)
"""


@pytest.fixture(params=[name for name in engine_names() if name != 'auto'])
def open_text(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Open:
    """Return what opens a text with each engine in turn."""
    if request.param == 'firstorder':
        if not any(shutil.which(name) for name in ('c++', 'g++', 'clang++')):
            pytest.skip('needs a C++ compiler')
        monkeypatch.setenv('GDL_CACHE', str(tmp_path))
        monkeypatch.setattr('gdl_env.engine.firstorder.compiler.OPTIMISATION', '-O0')

    return partial(_open, request.param)


def _open(name: str, text: str) -> Engine:
    # Unchecked: the checker refuses some of these texts.
    return open_engine(read_game(Source(text))[0], name)


# What the circuit says when it is opened, others when it comes to that.
REFUSAL = (RuleError, GroundingError)


def terms(*texts: str) -> frozenset[Term]:
    return frozenset(map(read_term, texts))


def test_contract_of_a_joint_game(open_text: Open) -> None:
    with open_text(COUNTER) as engine:
        up, down = engine.roles
        state = engine.initial_state
        assert state == terms('(value 0)', '(step 0)')
        assert not engine.is_terminal(state)
        assert engine.legal_moves(state)[up] == (read_term('(plus 1)'), read_term('(plus 2)'))
        moves = {up: read_term('(plus 2)'), down: read_term('(minus 1)')}
        following = engine.next_state(state, moves)
        assert following == terms('(value 1)', '(step 1)')
        assert engine.goals(following) == {up: 100, down: 0}
        assert engine.view(following, up) == following
        assert engine.actors(state) == (up, down)
        # Pure functions: asking about the first state again gives the first answers again.
        assert engine.next_state(state, moves) == following
        assert engine.is_terminal(terms('(value 1)', '(step 3)'))


def test_moves_are_sorted(open_text: Open) -> None:
    text = COUNTER.replace(
        '(amount 1)', '(amount (f 1)) (amount b) (amount a) (amount 10) (amount -3)'
    )
    with open_text(text) as engine:
        moves = engine.legal_moves(engine.initial_state)[Symbol('up')]
        assert list(moves) == sorted(moves, key=sort_key)
        assert len(moves) == 6


def test_goals_largest_and_undefined(open_text: Open) -> None:
    text = """
    (role a) (role b) (init x) (next x) (legal a n) (legal b n)
    (goal a 0) (goal a 70) (goal a 30) (<= (goal b 1) (true y)) (<= terminal (true z))
    """
    with open_text(text) as engine:
        assert engine.goals(engine.initial_state) == {Symbol('a'): 70, Symbol('b'): None}


def test_values_that_are_no_goals(open_text: Open) -> None:
    """Computed ones, too, and in random play."""
    text = """
    (role a) (role b) (role c) (init x) (next y) (legal a n) (legal b n) (legal c n)
    (<= (goal a ?v) (sub 0 ?v 2)) (<= (goal b ?v) (sub 0 ?v 1)) (goal b 101) (goal b 40000)
    (<= (goal c ?v) (add 50 ?v 150)) (<= (goal c ?v) (add 50 ?v 151)) (<= terminal (true y))
    """
    none = dict.fromkeys(map(Symbol, 'abc'))
    goals = {**none, Symbol('c'): 100}
    with open_text(text) as engine:
        assert engine.goals(engine.initial_state) == goals
        assert [game.goals for game in engine.playouts(3, 1, 5)] == [goals] * 3


def test_experiments_and_outcomes(open_text: Open) -> None:
    with open_text(DICE) as engine:
        state = engine.initial_state
        found = engine.experiments(state)
        assert {str(o.value): o.probability for o in found['dice']} == {
            '1': Fraction(1, 6),
            '2': Fraction(1, 6),
            '6': Fraction(4, 6),
        }
        assert {str(o.value): o.probability for o in found['card']} == {
            'ace': Fraction(1, 4),
            'king': Fraction(3, 4),
        }
        rolled = engine.outcomes(state, read_term('(roll dice dice)'))
        assert {str(o.value): o.probability for o in rolled} == {
            '(roll 1 1)': Fraction(1, 6),
            '(roll 2 2)': Fraction(1, 6),
            '(roll 6 6)': Fraction(4, 6),
        }
        both = engine.outcomes(state, read_term('(both dice card)'))
        assert len(both) == 6 and sum(o.probability for o in both) == 1
        (stay,) = engine.outcomes(state, read_term('stay'))
        assert (str(stay.value), stay.probability) == ('stay', 1)


def test_serial_game_with_hidden_facts(open_text: Open) -> None:
    with open_text(HIDDEN) as engine:
        a, b = Symbol('a'), Symbol('b')
        state = engine.initial_state
        assert engine.actors(state) == (NATURE,)
        state = engine.next_state(state, {NATURE: read_term('(give 2)')})
        assert engine.actors(state) == (a, b)
        assert engine.view(state, a) == terms('open', '(sees a (has 2))')
        assert engine.view(state, b) == terms('open')
        # noop never alters the state of a serial game.
        assert engine.next_state(state, {b: Symbol('noop')}) == state
        assert engine.is_terminal(engine.next_state(state, {a: Symbol('finish')}))


def test_percepts(open_text: Open) -> None:
    text = """
    (role a) (role b) (role random) (init s) (next s)
    (legal a (say 1)) (legal a (say 2)) (legal b noop) (legal random flip)
    (<= (sees b (heard ?x)) (does a (say ?x)))
    (<= terminal (true t)) (goal a 0) (goal b 0)
    """
    with open_text(text) as engine:
        a, b, nature = engine.roles
        moves = {a: read_term('(say 2)'), b: Symbol('noop'), nature: Symbol('flip')}
        assert engine.percepts(engine.initial_state, moves) == {
            a: frozenset(),
            b: terms('(heard 2)'),
            nature: frozenset(),
        }
        assert engine.view(engine.initial_state, a) == frozenset()


def test_playouts_repeat_with_their_seed(open_text: Open) -> None:
    with open_text(COUNTER) as engine:
        first = list(engine.playouts(50, seed=7, max_steps=100))
        assert first == list(engine.playouts(50, seed=7, max_steps=100))
        assert first != list(engine.playouts(50, seed=8, max_steps=100))
        assert {p.steps for p in first} == {3}
        assert len(first) == 50
        assert [p.steps for p in engine.playouts(3, seed=1, max_steps=2)] == [2, 2, 2]


def test_games_do_not_disturb_each_other(open_text: Open) -> None:
    with open_text(COUNTER) as one, open_text(HIDDEN) as two, open_text(COUNTER) as three:
        before = one.initial_state
        assert two.actors(two.initial_state) == (NATURE,)
        assert three.legal_moves(three.initial_state) == one.legal_moves(before)
        assert one.initial_state == before


def test_rule_errors_are_told_in_words(open_text: Open) -> None:
    text = """
    (role me) (init a) (next a) (<= (legal me ?x) (mult ?x 0 0))
    (goal me 50) (<= terminal (true z))
    """
    with pytest.raises(REFUSAL, match='infinitely many answers'), open_text(text) as engine:
        engine.legal_moves(engine.initial_state)


def test_bad_weight_is_told_in_words(open_text: Open) -> None:
    text = DICE.replace('(random dice 1 1)', '(random dice -1 1)')
    with pytest.raises(REFUSAL, match='an integer from 0 up'), open_text(text) as engine:
        engine.experiments(engine.initial_state)


def test_playouts_draw_by_weight(open_text: Open) -> None:
    rules = """
    (role a) (random coin 1 heads) (random coin 3 tails) (init start)
    (<= (legal a (toss coin coin)) (true start))
    (<= (next (got ?x ?y)) (does a (toss ?x ?y)))
    (<= terminal (true (got ?x ?y)))
    (<= (goal a 100) (true (got heads heads))) (<= (goal a 0) (true (got tails tails)))
    """
    with open_text(rules) as engine:
        goals = [p.goals[Symbol('a')] for p in engine.playouts(4000, seed=3, max_steps=5)]
        assert set(goals) == {0, 100}
        assert 0.21 < goals.count(100) / len(goals) < 0.29


# An event without a chance stands first, in the middle and last.
ZEROS = """
(role a) (random dice 0 1) (random dice 1 2) (random dice 0 3) (random dice 3 4) (random dice 0 5)
(init start) (<= (legal a (roll dice)) (true start))
(<= (next (got ?x)) (does a (roll ?x))) (<= terminal (true (got ?x)))
(<= (goal a ?x) (true (got ?x)))
"""

# A card that was drawn has weight 0. There are two; how many are drawn is filled in.
DECK = """
(role a) (card red) (card black) (init (drawn 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (random deck 1 ?c) (card ?c) (not (true (gone ?c))))
(<= (random deck 0 ?c) (card ?c) (true (gone ?c)))
(legal a (draw deck))
(<= (next (gone ?c)) (true (gone ?c))) (<= (next (gone ?c)) (does a (draw ?c)))
(<= (next (drawn ?m)) (true (drawn ?n)) (succ ?n ?m))
(<= (next (first ?c)) (true (drawn 0)) (does a (draw ?c)))
(<= (next (first ?c)) (true (first ?c)))
(<= terminal (true (drawn {draws})))
(<= (goal a 100) (true (gone red)) (true (gone black)) (true (first red)))
(<= (goal a 50) (true (gone red)) (true (gone black)) (true (first black)))
"""

EMPTY = 'no event of the experiment {} has a weight above 0'


def test_events_of_weight_0_never_happen(open_text: Open) -> None:
    with open_text(ZEROS) as engine:
        dice = {
            str(o.value): o.probability for o in engine.experiments(engine.initial_state)['dice']
        }
        assert dice == {'2': Fraction(1, 4), '4': Fraction(3, 4)}
        assert len(engine.outcomes(engine.initial_state, read_term('(roll dice)'))) == 2
        goals = [p.goals[Symbol('a')] for p in engine.playouts(4000, seed=3, max_steps=5)]
        assert set(goals) == {2, 4}
        assert 0.21 < goals.count(2) / len(goals) < 0.29


def test_weights_become_0_in_the_course_of_a_game(open_text: Open) -> None:
    with open_text(DECK.format(draws=2)) as engine:
        goals = [p.goals[Symbol('a')] for p in engine.playouts(2000, seed=3, max_steps=5)]
        assert set(goals) == {50, 100}
        assert 0.45 < goals.count(100) / len(goals) < 0.55


def test_drawing_from_nothing_is_an_error(open_text: Open) -> None:
    """The third draw from two cards."""
    with open_text(DECK.format(draws=3)) as engine:
        for count in (1, 3000):
            with pytest.raises(RuleError, match=EMPTY.format('deck')):
                list(engine.playouts(count, seed=1, max_steps=50))
        # Games that are cut before do not draw from it.
        assert {p.steps for p in engine.playouts(50, seed=1, max_steps=2)} == {2}
        match = Interpreter(engine, seed=1)
        (a,) = match.roles
        for _ in range(2):
            match.step({a: read_term('(draw deck)')})
        with pytest.raises(RuleError, match=EMPTY.format('deck')):
            match.step({a: read_term('(draw deck)')})
        assert len(match.history) == 2
        with pytest.raises(RuleError, match=EMPTY.format('deck')):
            list(perft(engine, 3))


def test_an_experiment_whose_events_never_exist(open_text: Open) -> None:
    text = """
    (role a) (init s) (random dice 1 6) (<= (random deck 1 ?c) (true (card ?c)))
    (<= (legal a (roll dice)) (true s)) (<= (legal a (draw dice deck)) (true t))
    (<= (next t) (true s)) (<= terminal (true u)) (goal a 50)
    """
    with open_text(text) as engine, pytest.raises(RuleError, match=EMPTY.format('deck')):
        list(engine.playouts(5, seed=1, max_steps=9))


def test_an_empty_experiment_that_no_move_names_is_no_error(open_text: Open) -> None:
    """Neither where another move is played, nor where the game is over, or nobody can move."""
    text = """
    (role a) (init s) (<= (random deck 1 x) (true s))
    (<= (legal a (draw deck)) (true s)) (<= (legal a wait) (true t))
    (<= (legal a (draw deck)) (true {ending}))
    (<= (next t) (true s)) (<= (next u) (true t))
    (<= terminal (true {ending})) (goal a 50)
    """
    for ending, is_terminal in (('u', True), ('v', False)):
        with open_text(text.format(ending=ending)) as engine:
            games = list(engine.playouts(40, seed=1, max_steps=9))
            assert {p.steps for p in games} == {2}
            assert {engine.is_terminal(terms('u'))} == {is_terminal}


def test_weights_may_be_large(open_text: Open) -> None:
    """Events are drawn by the circuit itself as long as their sum is below 2^60."""
    for weight in (10**6, 10**15):
        events = ' '.join(f'(random dice {weight + n} {n})' for n in range(1, 60))
        text = ZEROS.replace('(random dice 1 2)', events)
        with open_text(text) as engine:
            goals = {p.goals[Symbol('a')] for p in engine.playouts(2000, seed=3, max_steps=5)}
            assert goals == set(range(1, 60))
