"""What rules mean: the shared table of tiny games, asked through the first-order engine."""

from __future__ import annotations

import pytest
from rule_cases import CASES, text_of

from gdl_env.engine.firstorder.engine import FirstOrderEngine
from gdl_env.language.load import game_from_text

pytestmark = pytest.mark.usefixtures('quick')


def answers(text: str) -> list[str]:
    with FirstOrderEngine(game_from_text(text), time_limit=10) as engine:
        (me,) = engine.roles
        return [str(move)[5:-1] for move in engine.legal_moves(engine.initial_state)[me]]


@pytest.mark.parametrize(('rules', 'expected'), CASES.values(), ids=CASES.keys())
def test_rules(rules: str, expected: list[str]) -> None:
    assert sorted(answers(text_of(rules))) == sorted(expected)


def test_goal_by_default() -> None:
    """A relation may use its own negation where the ground atoms differ."""
    text = '(role me) (init a) (next a) (legal me noop) (<= terminal (true end))'
    rules = '(<= (goal ?r 100) (role ?r) (true b)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))'
    with FirstOrderEngine(game_from_text(text + rules)) as engine:
        assert list(engine.goals(engine.initial_state).values()) == [0]


def test_state_variable_ranges_over_all_facts() -> None:
    frame = '(role me) (init (a 1)) (init b) (goal me 50) (<= terminal (true end))'
    rules = '(<= (answer ?f) (true ?f)) (<= (next ?f) (true ?f))'
    assert answers(text_of(rules, frame)) == ['b', '(a 1)']


def test_facts_no_rule_knows_are_facts_all_the_same() -> None:
    frame = '(role me) (init b) (goal me 50) (<= terminal (true end))'
    game = game_from_text(text_of('(<= (answer ?f) (true ?f)) (<= (next ?f) (true ?f))', frame))
    with FirstOrderEngine(game) as engine:
        from gdl_env.language.reader import read_term

        state = frozenset({read_term('(unheard of)'), read_term('7')})
        (me,) = engine.roles
        assert [str(move) for move in engine.legal_moves(state)[me]] == [
            '(say 7)',
            '(say (unheard of))',
        ]
        assert engine.next_state(state, {me: read_term('(say 7)')}) == state


def test_recursion_with_known_arguments() -> None:
    """Prolog's order of this body runs away; a call with a known argument ends."""
    rules = (
        '(<= (fac 0 1)) (<= (fac ?n ?f) (greater ?n 0) (sub ?n 1 ?m) (fac ?m ?g) (mult ?n ?g ?f))'
        '(<= (answer ?f) (n ?n) (fac ?n ?f)) (n 5) (n 20)'
    )
    assert answers(text_of(rules)) == ['120', '2432902008176640000']


def test_rules_that_ask_for_next_and_sees() -> None:
    text = """
    (role me) (init (at 1)) (legal me go) (goal me 50) (<= terminal (true (at 9)))
    (<= (next (at ?y)) (true (at ?x)) (does me go) (add ?x 1 ?y))
    (<= (next (twice ?z)) (next (at ?y)) (mult ?y 2 ?z))
    (<= (sees me (now ?y)) (next (at ?y)))
    (<= (sees me again) (sees me (now 2)))
    """
    from gdl_env.language.load import read_game
    from gdl_env.language.reader import read_term
    from gdl_env.language.source import Source

    game, _ = read_game(Source(text))
    with FirstOrderEngine(game) as engine:
        (me,) = engine.roles
        moves = {me: read_term('go')}
        following = engine.next_state(engine.initial_state, moves)
        assert sorted(map(str, following)) == ['(at 2)', '(twice 4)']
        seen = engine.percepts(engine.initial_state, moves)[me]
        assert sorted(map(str, seen)) == ['(now 2)', 'again']


LONG = 3000


def test_long_recursion() -> None:
    """A chain that is longer than any stack, and a ring that comes back to its start."""
    chain = ' '.join(f'(e {n} {n + 1})' for n in range(LONG))
    rules = (
        f'{chain} (e {LONG} 0) (<= (r ?x) (e 0 ?x)) (<= (r ?y) (r ?x) (e ?x ?y))'
        '(<= (answer ?n) (count ?n (r ?x)))'
    )
    assert answers(text_of(rules)) == [str(LONG + 1)]
    down = (
        f'(<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?y) (e ?x ?z) (reach ?z ?y)) {chain}'
        f'(<= (answer yes) (reach 0 {LONG})) (<= (answer no) (reach {LONG} 0))'
    )
    assert answers(text_of(down)) == ['yes']
