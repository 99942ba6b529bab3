"""A match in progress: turns, chance, undo, and observers that hear only what is theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from gdl_env.engine.contract import Engine, Outcome
from gdl_env.engine.interpreter import Interpreter, View, draw, play_randomly
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.errors import GdlError, IllegalMoveError
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol

pytestmark = pytest.mark.prolog

A, B, RANDOM = Symbol('a'), Symbol('b'), Symbol('random')

# Cards are dealt by random; a looks at its card, then either passes it openly or ends.
CARDS = """
(role random) (role a) (role b)
(init (deck 1)) (init (deck 2))
(<= (legal random (deal ?p ?c)) (true (deck ?c)) (player ?p) (not (has ?p))) (player a) (player b)
(<= (has ?p) (true (sees ?p (card ?c))))
(<= ready (has a) (has b))
(<= (next (sees ?p (card ?c))) (does random (deal ?p ?c)))
(<= (next (sees ?p (card ?c))) (true (sees ?p (card ?c))))
(<= (next (deck ?c)) (true (deck ?c)) (not (dealt ?c)))
(<= (dealt ?c) (does random (deal ?p ?c)))
(<= (next ?f) (true ?f) (public ?f))
(<= (public (shown ?p ?c)) (player ?p) (true (shown ?p ?c)))
(<= (public over) (true over))
(<= (legal ?p noop) (player ?p) ready)
(<= (legal ?p show) (player ?p) ready (not (out ?p)))
(<= (out ?p) (true (shown ?p ?c)))
(<= (next (shown ?p ?c)) (does ?p show) (true (sees ?p (card ?c))))
(<= (next (sees ?p (wink ?q))) (does ?q (wink ?p)))
(<= (legal ?q (wink ?p)) (player ?p) (player ?q) (distinct ?p ?q) ready)
(<= terminal (out a) (out b))
(<= (goal ?p 100) (true (sees ?p (card 2))))
(<= (goal ?p 0) (true (sees ?p (card 1))))
"""

PERCEPTS = """
(role a) (role b) (init (turn a))
(<= (legal a (say ?x)) (true (turn a)) (word ?x)) (word hello) (word bye)
(<= (legal b (say ?x)) (true (turn b)) (word ?x))
(<= (legal a wait) (true (turn b))) (<= (legal b wait) (true (turn a)))
(<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
(<= (sees b (heard ?x)) (does a (say ?x)))
(<= terminal (true never)) (goal a 0) (goal b 0)
"""


@pytest.fixture(scope='module')
def cards() -> Iterator[Engine]:
    with PrologEngine(game_from_text(CARDS)) as engine:
        yield engine


def test_random_plays_first_and_alone(cards: Engine) -> None:
    match = Interpreter(cards, seed=1)
    assert len(match.history) == 2
    assert match.actors() == (A, B)
    assert RANDOM not in match.roles


def test_serial_moves(cards: Engine) -> None:
    match = Interpreter(cards, seed=1)
    before = match.state
    match.step({B: Symbol('noop')})
    assert match.state == before
    match.step({B: Symbol('show')})
    assert any('shown b' in str(fact) for fact in match.state)
    with pytest.raises(IllegalMoveError, match='show is not a legal move of b; legal: noop'):
        match.step({B: Symbol('show')})
    with pytest.raises(GdlError, match='one role moves at a time'):
        match.step({A: Symbol('show'), B: Symbol('noop')})
    match.step({A: Symbol('show')})
    assert match.is_terminal
    assert sorted(v for v in match.goals().values() if v is not None) == [0, 100]
    assert match.actors() == () and match.legal_moves(A) == ()
    with pytest.raises(GdlError, match='the game is over'):
        match.step({A: Symbol('noop')})


def test_observers_hear_only_changes_of_their_own_view(cards: Engine) -> None:
    match = Interpreter(cards, seed=1)
    heard: dict[Symbol, list[View]] = {A: [], B: []}
    match.observe(A, heard[A].append)
    end = match.observe(B, heard[B].append)
    assert len(heard[A]) == len(heard[B]) == 1
    assert all('(sees b' not in str(fact) for fact in heard[A][0].facts)
    match.step({A: Symbol('noop')})
    assert (len(heard[A]), len(heard[B])) == (1, 1)
    match.step({A: read_term('(wink b)')})
    assert (len(heard[A]), len(heard[B])) == (1, 2)
    match.step({A: Symbol('show')})
    # The wink is over (b's view changed) and the card is on the table (everybody's did).
    assert (len(heard[A]), len(heard[B])) == (2, 3)
    end()
    match.step({B: Symbol('show')})
    assert (len(heard[A]), len(heard[B])) == (3, 3)
    assert heard[A][-1].is_terminal and heard[A][-1].goal in {0, 100}


def test_reset_tells_observers_and_repeats_with_a_seed(cards: Engine) -> None:
    match = Interpreter(cards)
    heard: list[View] = []
    match.observe(A, heard.append)
    match.reset(seed=5)
    first = match.state
    assert heard[-1].facts == cards.view(first, A)
    match.step({A: Symbol('show')})
    match.reset(seed=5)
    assert match.state == first


def test_undo_takes_back_a_decision_with_its_chance(cards: Engine) -> None:
    match = Interpreter(cards, seed=1)
    dealt = match.state
    assert not match.undo()
    assert match.state == dealt
    match.step({A: Symbol('show')})
    assert match.undo()
    assert match.state == dealt


def test_joint_moves_must_be_complete() -> None:
    with PrologEngine(game_from_text(PERCEPTS)) as engine:
        match = Interpreter(engine)
        with pytest.raises(GdlError, match='no move given for b'):
            match.step({A: read_term('(say hello)')})
        assert not match.history


def test_percepts_are_told_each_time() -> None:
    with PrologEngine(game_from_text(PERCEPTS)) as engine:
        match = Interpreter(engine)
        heard: list[View] = []
        match.observe(B, heard.append)
        silent: list[View] = []
        match.observe(A, silent.append)
        for _ in range(2):
            match.step({A: read_term('(say hello)'), B: Symbol('wait')})
            match.step({A: Symbol('wait'), B: read_term('(say bye)')})
        told = [view for view in heard if view.facts]
        assert [str(*view.facts) for view in told] == ['(heard hello)'] * 2
        assert len(silent) == 1


def test_chance_is_drawn_when_a_move_is_played() -> None:
    text = """
    (role a) (random dice 1 1) (random dice 2 2) (init start)
    (<= (legal a (roll dice)) (true start)) (<= (next (got ?x)) (does a (roll ?x)))
    (<= terminal (true (got ?x))) (goal a 50)
    """
    with PrologEngine(game_from_text(text)) as engine:
        match = Interpreter(engine, seed=3)
        drawn: Counter[str] = Counter()
        for _ in range(300):
            match.reset()
            step = match.step({A: read_term('(roll dice)')})
            assert str(step.chosen[A]) == '(roll dice)'
            drawn[str(step.played[A])] += 1
        assert set(drawn) == {'(roll 1)', '(roll 2)'}
        assert abs(drawn['(roll 2)'] - 200) < 3.5 * (300 * 2 / 9) ** 0.5


def test_draw_follows_the_probabilities() -> None:
    from fractions import Fraction

    outcomes = (
        Outcome(Symbol('rare'), Fraction(1, 1000)),
        Outcome(Symbol('never'), Fraction(0)),
        Outcome(Symbol('often'), Fraction(999, 1000)),
    )
    counts = Counter(str(draw(outcomes, Random(seed))) for seed in range(5000))
    assert counts['never'] == 0
    assert 0 < counts['rare'] < 20


def test_random_play_in_python_and_in_prolog_agree_in_the_mean(cards: Engine) -> None:
    ours = [p.steps for p in play_randomly(cards, 150, 1, 500)]
    theirs = [p.steps for p in cards.playouts(1000, 1, 500)]
    mean, other = sum(ours) / len(ours), sum(theirs) / len(theirs)
    spread = (sum((s - mean) ** 2 for s in ours) / len(ours)) ** 0.5
    assert abs(mean - other) < 4 * spread / len(ours) ** 0.5


def test_a_game_in_which_only_chance_moves_is_an_error() -> None:
    text = """
    (role random) (role a) (init s) (next s) (legal random flip)
    (<= terminal (true never)) (goal a 0) (<= (legal a go) (true never))
    """
    with (
        PrologEngine(game_from_text(text)) as engine,
        pytest.raises(GdlError, match='only random has moved'),
    ):
        Interpreter(engine)
