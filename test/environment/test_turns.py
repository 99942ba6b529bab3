"""Who moves in a game where one role moves at a time, and both could."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from lane_cases import SERIAL, action_of, answer, opened, small
import numpy as np
import pytest

from gdl_env.environment.environment import Environment
from gdl_env.environment.protocol import Answer, Origin
from gdl_env.importing import HookError

HOOKS = """
import numpy as np

def last_first(able, last, random):
    return len(able) - 1 - able[::-1].argmax(axis=0)

def nobody(able, last, random):
    return np.full(able.shape[1], -1)

def words(able, last, random):
    return ['ann'] * able.shape[1]
"""


def movers(environment: Environment, ticks: int) -> list[str]:
    """Return who is asked, tick by tick; everybody says yes."""
    found = []
    for _ in range(ticks):
        (role,) = environment.awaited
        found.append(role)
        say = action_of(environment, role, '(say yes)')
        environment.step(answer(environment, role, *[say] * environment.game.lanes))
    return found


@pytest.mark.parametrize(
    ('rule', 'order'),
    [
        ('rotate', ['ann', 'ben', 'ann', 'ben', 'ann'] * 2),
        ('priority', ['ann'] * 10),
    ],
)
def test_rules(rule: str, order: list[str]) -> None:
    assert movers(opened(small(SERIAL), turn=rule), 10) == order


def test_random_rule_is_fair_and_asked_once_a_step() -> None:
    environment = opened(small(SERIAL), lanes=1000, turn='random', seed=1)
    counts = environment.decides.sum(axis=1)
    assert counts.sum() == 1000
    assert 420 < counts[0] < 580
    # A lane that is held keeps its turn.
    before = environment.decides.copy()
    environment.step({}, np.arange(1000) < 500)
    assert np.array_equal(environment.decides[:, 500:], before[:, 500:])


def test_noop_passes_and_leaves_the_state() -> None:
    environment = opened(small(SERIAL))
    before = environment.game.state(0)
    environment.step(answer(environment, 'ann', action_of(environment, 'ann', 'noop')))
    assert environment.game.state(0) == before
    assert environment.awaited == ('ben',)


def test_hook(tmp_path: Path) -> None:
    hooks = tmp_path / 'my_turns.py'
    hooks.write_text(HOOKS, 'utf-8')
    assert movers(opened(small(SERIAL), turn=f'{hooks}:last_first'), 6) == ['ben'] * 6
    with pytest.raises(HookError, match='chose a player who has no move'):
        opened(small(SERIAL), turn=f'{hooks}:nobody')
    with pytest.raises(HookError, match='must return 1 players'):
        opened(small(SERIAL), turn=f'{hooks}:words')


def say(environment: Environment, role: str, what: str) -> Answer:
    action = action_of(environment, role, what)
    lanes = environment.game.lanes
    return Answer(environment.tick_of(role), role, role, np.full(lanes, action, np.int32))


def test_first_answer_moves() -> None:
    environment = opened(small(SERIAL), lanes=3, turn='first')
    counts: Counter[str] = Counter()
    for order in (('ben', 'ann'), ('ann', 'ben'), ('ben',), ('ann',)):
        assert environment.awaited == ('ann', 'ben')
        assert environment.is_enough({order[0]})
        assert not environment.is_enough(())
        step = environment.step({role: say(environment, role, '(say no)') for role in order})
        for role in ('ann', 'ben'):
            told = step.feedback[role]
            assert (told.origin == (Origin.AGENT if role == order[0] else 0)).all()
        counts[order[0]] += 1
    assert counts == {'ann': 2, 'ben': 2}
    assert all(account.strikes == 0 for account in environment.tallies.roles)


def test_without_an_answer_the_turn_rule_says_who_was_late() -> None:
    environment = opened(small(SERIAL), turn='first')
    environment.step({})
    assert environment.tallies['ann'].late == 1
    assert environment.tallies['ben'].late == 0


def test_first_answer_is_not_enough_where_it_cannot_move() -> None:
    environment = opened('rock_paper_scissors', lanes=2, turn='first')
    both = say(environment, 'ann', '(choose rock)')
    environment.step({'ann': both}, np.array([True, False]))
    # In the first lane only ben is left to choose; in the second both may.
    assert environment.decides.tolist() == [[False, True], [True, True]]
    assert not environment.is_enough({'ann'})
    assert environment.is_enough({'ben'})
    assert environment.is_enough({'ann', 'ben'})
