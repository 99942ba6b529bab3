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

# The first-order engine has the same test in its own folder, with quick compilation.
ENGINES = [name for name in engine_names() if name not in {'auto', 'firstorder'}]

# The checker refuses it: its rule tells nothing of which numbers it is about.
REFUSED = {'recursion over numbers'}

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


@pytest.mark.parametrize('name', sorted(CASES.keys() - REFUSED))
@pytest.mark.parametrize('engine_name', ENGINES)
def test_rules(engine_name: str, name: str) -> None:
    rules, expected = CASES[name]
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
