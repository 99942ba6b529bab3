"""Facts about Rock, Paper, Scissors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from walk import term

from gdl_env.engine.contract import Engine
from gdl_env.engine.interpreter import Interpreter, View

pytestmark = pytest.mark.prolog

ANN, BEN = term('ann'), term('ben')
HANDS = ('rock', 'paper', 'scissors')
BEATS = {('rock', 'scissors'), ('scissors', 'paper'), ('paper', 'rock')}


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('rock_paper_scissors')


@pytest.mark.parametrize(('first', 'second'), [(ANN, BEN), (BEN, ANN)])
def test_choice_is_hidden_until_both_have_chosen(engine: Engine, first, second) -> None:
    views = set()
    for hand in HANDS:
        match = Interpreter(engine)
        told: list[View] = []
        match.observe(second, told.append)
        match.step({first: term(f'(choose {hand})')})
        assert len(told) == 1, 'the other must not even be told that a choice was made'
        assert match.actors() == (second,)
        views.add(match.view(second).facts)
        match.step({second: term('(choose rock)')})
        assert term(f'(shown {first} {hand})') in match.view(second).facts
        assert term(f'(shown {second} rock)') in match.view(first).facts
    assert views == {engine.view(engine.initial_state, second)}


@pytest.mark.parametrize('order', [(ANN, BEN), (BEN, ANN)])
@pytest.mark.parametrize('ann', HANDS)
@pytest.mark.parametrize('ben', HANDS)
def test_points_do_not_depend_on_who_chose_first(engine: Engine, ann, ben, order) -> None:
    match = Interpreter(engine)
    for role in order:
        match.step({role: term(f'(choose {ann if role == ANN else ben})')})
    points = (int((ann, ben) in BEATS), int((ben, ann) in BEATS))
    assert match.state == {
        term('(left 2)'),
        term(f'(score ann {points[0]})'),
        term(f'(score ben {points[1]})'),
        term(f'(shown ann {ann})'),
        term(f'(shown ben {ben})'),
    }


def test_more_points_win(engine: Engine) -> None:
    match = Interpreter(engine)
    for ann, ben in (('rock', 'paper'), ('rock', 'scissors'), ('paper', 'rock')):
        match.step({ANN: term(f'(choose {ann})')})
        match.step({BEN: term(f'(choose {ben})')})
    assert match.is_terminal
    assert match.goals() == {ANN: 100, BEN: 0}
