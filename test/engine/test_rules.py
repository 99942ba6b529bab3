"""What rules mean: the same table of tiny games, put to every engine."""

from __future__ import annotations

from pathlib import Path
import sys

import pytest

from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.engine.registry import engine_names, open_engine
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, read_game
from gdl_env.language.source import Source

sys.path.insert(0, str(Path(__file__).parent))

from rule_cases import CASES, text_of

pytestmark = pytest.mark.prolog

ENGINES = [name for name in engine_names() if name != 'auto']

# The checker refuses it: its rule tells nothing of which numbers it is about.
REFUSED = {'recursion over numbers'}

MORE = {
    'a count in a count counts for itself': (
        '(p a) (p b) (q a) (q b) (<= (r ?x) (or (p ?x) (q ?x)))'
        '(<= (answer ?n) (count ?n (r ?x) (count 2 (r ?y)) (not (true (no ?z)))))',
        ['2'],
    ),
    'a type combined with a range': (
        '(type pl p) (typecombine seat [1,2] pl) (typecombine more seat [7,7])'
        '(<= (answer ?x) (type more ?x)) (<= (answer yes) (type seat 2))'
        '(<= (answer no) (type seat 3))',
        ['1', '2', '7', 'p', 'yes'],
    ),
    'values of a typemap': (
        '(<= (typemap age young ?n) (less ?n 10)) (<= (typemap age old ?n) (greater ?n 9))'
        '(typecombine any age [3,3]) (<= (answer ?x) (type age ?x))'
        '(<= (answer (a ?x)) (type any ?x))',
        ['(a 3)', '(a old)', '(a young)', 'old', 'young'],
    ),
    'a count is a number': (
        '(p a) (<= (answer no) (count many (p ?x))) (<= (answer yes) (count 1 (p ?x)))',
        ['yes'],
    ),
    'the same unknown twice': (
        '(n 1) (n 2) (n 3) (n 4) (t 8) (<= (answer ?n) (n ?n) (t ?t) (add ?n ?n ?t))',
        ['4'],
    ),
    'not of a count': (
        '(p a) (<= (answer yes) (not (count 0 (p ?x)))) (<= (answer no) (not (count 1 (p ?x))))',
        ['yes'],
    ),
}

# Answers without end, or asked only where they end: not to be ground.
NOT_GROUND = {'typemap'}


def unchecked(text: str) -> Game:
    """Read a game without the checker, which refuses some that have a meaning all the same."""
    return read_game(Source(text))[0]


def answers(engine_name: str, text: str) -> list[str]:
    with open_engine(unchecked(text), engine_name, time_limit=10) as engine:
        (me,) = engine.roles
        moves = engine.legal_moves(engine.initial_state)[me]
    return [str(move)[5:-1] for move in moves]


@pytest.mark.parametrize('name', sorted((CASES | MORE).keys() - REFUSED))
@pytest.mark.parametrize('engine_name', ENGINES)
def test_rules(engine_name: str, name: str) -> None:
    rules, expected = (CASES | MORE)[name]
    if engine_name == 'circuit' and name in NOT_GROUND:
        with pytest.raises(GroundingError):
            answers(engine_name, text_of(rules))
        return
    assert sorted(answers(engine_name, text_of(rules))) == sorted(expected)


@pytest.mark.parametrize('engine_name', ENGINES)
def test_goal_by_default(engine_name: str) -> None:
    """A relation may use its own negation where the ground atoms differ."""
    text = '(role me) (init a) (next a) (legal me noop) (<= terminal (true end))'
    rules = '(<= (goal ?r 100) (role ?r) (true b)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))'
    with open_engine(game_from_text(text + rules), engine_name) as engine:
        assert list(engine.goals(engine.initial_state).values()) == [0]


@pytest.mark.parametrize('engine_name', ENGINES)
def test_state_variable_ranges_over_all_facts(engine_name: str) -> None:
    frame = '(role me) (init (a 1)) (init b) (goal me 50) (<= terminal (true end))'
    rules = '(<= (answer ?f) (true ?f)) (<= (next ?f) (true ?f))'
    assert answers(engine_name, text_of(rules, frame)) == ['b', '(a 1)']
