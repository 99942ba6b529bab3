"""Leduc poker is the game that open_spiel has: the same histories, knowledge and results."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from twin_tree import TwinTree
from walk import term

from gdl_env.engine.contract import NATURE, Engine, Move
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.terms import args_of

pytestmark = pytest.mark.prolog

ALICE, BOB = term('alice'), term('bob')
RANKS = ('jack', 'queen', 'king')
SUITS = ('spades', 'hearts')


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('leduc_poker')


def spiel_action(move: Move) -> int:
    if args_of(move):
        _, rank, suit = map(str, args_of(move))
        return 2 * RANKS.index(rank) + SUITS.index(suit)
    return ('fold', 'call', 'raise').index(str(move))


def test_same_tree_as_open_spiel(engine: Engine) -> None:
    pyspiel = pytest.importorskip('pyspiel', reason='pip install open_spiel')
    from open_spiel.python.algorithms.expected_game_score import policy_value
    from open_spiel.python.policy import UniformRandomPolicy

    game = pyspiel.load_game('leduc_poker')
    tree = TwinTree(engine, game.new_initial_state(), spiel_action, lambda value: 50 + 3 * value)
    mean = tree.walk()
    assert tree.has_same_information_sets()
    assert (tree.histories, tree.decisions, tree.ends) == (9457, 3780, 5520)
    policy = UniformRandomPolicy(game)
    value = policy_value(game.new_initial_state(), [policy, policy])[0]
    assert float(mean) == pytest.approx(50 + 3 * value)


@pytest.mark.parametrize('seed', range(20))
def test_nobody_sees_the_card_of_the_other(engine: Engine, seed: int) -> None:
    """Two deals that differ in Bob's card only look the same to Alice until cards are shown."""
    random = Random(seed)
    one, two, *others = random.sample([f'{r} {s}' for r in RANKS for s in SUITS], 4)
    states = []
    for card in (two, others[0]):
        state = engine.next_state(engine.initial_state, {NATURE: term(f'(deal alice {one})')})
        states.append(engine.next_state(state, {NATURE: term(f'(deal bob {card})')}))
    while True:
        views = {engine.view(state, ALICE) for state in states}
        first, second = states
        if any(str(fact).startswith('(shown ') for fact in first):
            assert len(views) == 2
            break
        assert len(views) == 1
        if engine.is_terminal(first):
            break
        (actor,) = engine.actors(first)
        legal = engine.legal_moves(first)[actor]
        move = random.choice(legal)
        if actor == NATURE:
            move = term(f'(deal board {others[1]})')
        else:
            assert engine.legal_moves(second)[actor] == legal
        states = [engine.next_state(state, {actor: move}) for state in states]


def test_most_that_can_be_lost(engine: Engine) -> None:
    match = Interpreter(engine, 1)
    for move in ('raise', 'raise', 'call', 'raise', 'raise', 'call'):
        match.step({match.actors()[0]: term(move)})
    assert match.is_terminal
    assert sorted(goal or 0 for goal in match.goals().values()) in ([11, 89], [50, 50])
