"""Steps and what is known after them, in one call: the same as asked one by one."""

import numpy as np
import pytest

from gdl_agents.search.game.expansion import list_children
from gdl_agents.search.game.random_moves import draw_outcomes, sample_moves
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import BatchGame, States
from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.errors import RangeError
from gdl_env.language.load import game_from_text, open_game

# What is done is a fact of the next state, as it stands; there are more facts than one word holds.
ECHO = """
(role r) (role random) (init start) (init (spare 0))
(<= (legal r (say ?n)) (type [1,100] ?n) (true start))
(<= (legal r noop) (not (true start)))
(<= (legal random (throw ?n)) (type [1,2] ?n) (true start))
(<= (legal random noop) (not (true start)))
(<= (next (said ?n)) (does r (say ?n)))
(<= (next (thrown ?n)) (does random (throw ?n)))
(<= terminal (not (true start)))
(<= (goal r ?n) (true (said ?n)) (true (thrown 1)))
(<= (goal r 0) (true (thrown 2)))
(<= (goal random 0) (true (said ?n)))
"""
GAMES = (
    'tictactoe',
    'connect_four',
    'breakthrough',
    'rock_paper_scissors',
    'krieg_tictactoe',
    'lazerbike(size=6)',
)


def walk(rules: BatchGame, games: int, steps: int) -> States:
    """Return states of random games."""
    chance = np.random.Generator(np.random.Philox(key=3))
    states, met = np.repeat(rules.initial, games, axis=0), []
    for _ in range(steps):
        look = rules.look(states)
        acting = (look.counts() > 0) & ~look.terminal[:, None]
        if rules.is_serial:
            acting &= np.cumsum(acting, axis=1) == 1
        legal = sample_moves(rules, look, acting, chance)
        met.append(states)
        on = acting.any(axis=1)
        if not on.any():
            break
        states = rules.step(states[on], draw_outcomes(rules, states, legal, chance)[on])
    return np.concatenate(met)


def compare(rules: CircuitBatch, states: States) -> None:
    look = rules.look(states)
    acting = (look.counts() > 0) & ~look.terminal[:, None]
    if rules.is_serial:
        acting &= np.cumsum(acting, axis=1) == 1
    parents, _, does, _ = list_children(rules, states, look, acting)
    found = rules.follow(states, parents, does)
    plain = BatchGame.follow(rules, states, parents, does)
    assert (found.states == plain.states).all()
    assert (found.look.terminal == plain.look.terminal).all()
    assert (found.look.starts == plain.look.starts).all()
    assert (found.look.rows == plain.look.rows).all()
    assert (found.goals == plain.goals).all()
    # Nothing is left of the moves of one call in the next.
    if len(parents):
        again = rules.follow(states, parents[-1:], does[-1:])
        assert (again.states == found.states[-1:]).all()


@pytest.mark.parametrize('name', GAMES)
def test_children_of_many_states(name: str) -> None:
    rules = CircuitBatch(CircuitEngine(open_game(name)))
    states = walk(rules, 12, 60)
    compare(rules, states)
    # Parents in any order, one by one: too many to be written fact by fact.
    chance = np.random.default_rng(1)
    compare(rules, states[chance.permutation(len(states))])
    compare(rules, states[:1])


def test_moves_that_are_facts_of_the_next_state() -> None:
    rules = CircuitBatch(CircuitEngine(game_from_text(ECHO)))
    compare(rules, rules.initial)
    look = rules.look(rules.initial)
    parents, legal, does, _ = list_children(rules, rules.initial, look, look.counts() > 0)
    found = rules.follow(rules.initial, parents, does)
    for k in range(0, len(parents), 7):
        said, thrown = (rules.legal_move(int(row))[1].args[0] for row in legal[k])
        facts = {str(fact) for fact in rules.to_state(found.states[k])}
        assert facts == {f'(said {said})', f'(thrown {thrown})'}
        assert found.goals[k].tolist() == [int(str(said)) if str(thrown) == '1' else 0, 0]


def test_games_that_do_not_compile_answer_alike() -> None:
    game = open_game('tictactoe')
    rules = EngineBatch(CircuitEngine(game))
    look = rules.look(rules.initial)
    parents, _, does, _ = list_children(rules, rules.initial, look, look.counts() > 0)
    found = rules.follow(rules.initial, parents, does)
    assert len(found.states) == 9
    assert (found.look.counts().max(axis=1) == 8).all()
    assert (found.goals == -1).all()


def test_values_that_leave_their_range_are_an_error() -> None:
    rules = CircuitBatch(
        CircuitEngine(
            game_from_text("""
            (role r) (init (at 1))
            (legal r (go 1)) (legal r (go 2))
            (<= (next (at [1,2]:?m)) (true (at ?n)) (does r (go ?k)) (add ?n ?k ?m))
            (<= terminal (true (at 9)))
            (goal r 50)
            """)
        )
    )
    look = rules.look(rules.initial)
    parents, _, does, _ = list_children(rules, rules.initial, look, look.counts() > 0)
    with pytest.raises(RangeError):
        rules.follow(rules.initial, parents, does)
