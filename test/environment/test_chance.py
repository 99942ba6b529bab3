"""Chance has the probabilities that the rules give it."""

from __future__ import annotations

from lane_cases import COIN, DECK, action_of, answer, opened, small
import numpy as np
import pytest

from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options, Policy
from gdl_env.errors import ExhaustedError

LANES = 4000


@pytest.mark.parametrize(('move', 'probability'), [('keep', 1 / 3), ('switch', 2 / 3)])
def test_monty_hall(move: str, probability: float) -> None:
    environment = opened('monty_hall', lanes=LANES, episodes=LANES, seed=6)
    role = 'candidate'
    environment.set_policy(role, Policy.RANDOM)
    environment.step({})
    environment.set_policy(role, Policy.AGENT)
    moves = {text.strip('()').split()[0]: text for text in environment.game.moves(0, 0)}
    action = environment.game.moves(0, 0)[moves[move]]
    environment.step(answer(environment, role, *[action] * LANES))
    assert environment.is_finished
    wins = environment.tallies[role].wins / LANES
    assert wins == pytest.approx(probability, abs=0.03)


def test_random_candidate_wins_every_second_time() -> None:
    environment = opened('monty_hall', lanes=LANES, episodes=LANES)
    environment.set_policy('candidate', Policy.RANDOM)
    while not environment.is_finished:
        environment.step({})
    assert environment.tallies['candidate'].mean_goal == pytest.approx(50, abs=3)


def toss(environment: Environment) -> np.ndarray:
    """Toss the coin in all lanes, and return where it shows tails."""
    action = action_of(environment, 'watcher', '(toss coin)')
    environment.step(answer(environment, 'watcher', *[action] * environment.game.lanes))
    assert environment.awaited == ('guesser',)
    bits = environment.question('watcher').observation
    assert bits is not None
    names = environment.info().facts
    return bits.unpack()[:, names.index('(shows tails)')]


def test_weighted_chance() -> None:
    assert toss(opened(small(COIN), lanes=LANES)).mean() == pytest.approx(0.75, abs=0.03)


@pytest.mark.parametrize('engine', ['circuit', pytest.param('prolog', marks=pytest.mark.prolog)])
def test_drawn_cards_are_gone_and_no_card_is_an_error(engine: str) -> None:
    lanes = 100 if engine == 'circuit' else 4
    environment = Environment.open(small(DECK), Options(lanes=lanes), engine)
    environment.set_policy('a', Policy.RANDOM)
    environment.step({})
    held = environment.game.observe(0).unpack()[:, _gone(environment)]
    assert (held.sum(axis=1) == 1).all()
    environment.step({})
    assert environment.game.observe(0).unpack()[:, _gone(environment)].all()
    with pytest.raises(ExhaustedError, match='no event of the experiment deck'):
        environment.step({})
    environment.close()


def _gone(environment: Environment) -> list[int]:
    return [environment.info().facts.index(f'(gone {card})') for card in ('red', 'black')]


def test_percepts_are_for_one_role_only() -> None:
    environment = opened(small(COIN), lanes=8)
    toss(environment)
    assert environment.question('guesser', with_text=True).facts == ()
    hidden = environment.question('guesser').observation
    assert hidden is not None
    assert not hidden.unpack().any()
    assert not environment.game.observe(None).unpack().any()
    assert environment.game.view(None, 0) == frozenset()
    step = environment.step({})
    final = step.feedback['guesser'].final_observation
    assert final is not None
    # The result is shown at the end: the last observation has the last percept.
    assert (final.unpack().sum(axis=1) == 1).all()


def test_what_is_told_stays_until_the_next_move() -> None:
    environment = opened(small(COIN), lanes=2)
    toss(environment)
    told = environment.question('watcher', with_text=True).facts
    assert len(told) == 1
    environment.step({})
    assert environment.question('watcher', with_text=True).facts == ()
