"""Flat decisions in some lanes: what is played, by whose draws, and what stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.episode_runner import IllegalActionError
from gdl_env.environment.options import Options, Policy
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game

GAMES = ('tictactoe', 'rock_paper_scissors', 'leduc_poker', 'connect_four', 'backgammon')


def open_two(name: str, lanes: int) -> tuple[Environment, Environment]:
    game = load_game(find_game(name))
    options = Options(lanes=lanes, seed=5)
    return Environment.open(game, options), Environment.open(game, options)


def where(environment: Environment) -> list[object]:
    """Return where all lanes are."""
    held = environment.snapshot()['runner']['lanes']
    return [np.asarray(held[name]).tolist() for name in sorted(held)]


# As rows, and as blocks whose last word is not full.
# In a game of Kuhn poker, chance moves about as often as players do: lanes play on by themselves,
# in their block and taken out of it.
# Few lanes of a block are taken out of it from the beginning.
@pytest.mark.parametrize(('lanes', 'share'), [(5, 0.6), (150, 0.6), (150, 0.02)])
@pytest.mark.parametrize('name', [*GAMES, 'kuhn_poker'])
def test_draws_are_those_of_the_policy(name: str, lanes: int, share: float) -> None:
    flat, asked = open_two(name, lanes)
    for role in asked.roles:
        asked.set_policy(role, Policy.RANDOM)
    random = np.random.default_rng(3)
    for number in range(25):
        some = random.random(lanes) < share
        tick = flat.play_drawn(some) if number % 2 else flat.play(flat.draw(some), some)
        step = asked.step({}, some)
        assert tick.ended.tolist() == step.ended.tolist()
        assert not tick.ended[~some].any()
        assert where(flat) == where(asked)


@pytest.mark.parametrize('lanes', [5, 150])
@pytest.mark.parametrize('name', ['tictactoe', 'rock_paper_scissors', 'othello'])
def test_given_actions_are_not_drawn(name: str, lanes: int) -> None:
    environment, _ = open_two(name, lanes)
    environment.play(environment.draw())
    some = np.arange(lanes) % 3 != 1
    player = int(np.flatnonzero(environment.decides.any(axis=1))[-1])
    given = np.arange(lanes, dtype=np.int32)
    turn, drawn = environment.decisions(some), environment.draw(some)
    mixed = environment.draw(some, (player, given))
    own = turn.player == player
    assert mixed[own].tolist() == given[turn.lane[own]].tolist()
    assert mixed[~own].tolist() == drawn[~own].tolist()


@pytest.mark.parametrize('lanes', [5, 150])
@pytest.mark.parametrize('name', GAMES)
def test_some_decisions_are_those_of_all(name: str, lanes: int) -> None:
    environment, _ = open_two(name, lanes)
    environment.play(environment.draw())
    some = np.arange(lanes) % 3 != 1
    every, chosen = environment.decisions(), environment.decisions(some)
    kept = some[every.lane]
    assert chosen.lane.tolist() == every.lane[kept].tolist()
    assert chosen.player.tolist() == every.player[kept].tolist()
    assert chosen.observation.data.tolist() == every.observation.data[kept].tolist()
    assert chosen.legal.data.tolist() == every.legal.data[kept].tolist()


# 256 has the same last byte as an action that is legal.
@pytest.mark.parametrize('number', [99, -1, 256])
@pytest.mark.parametrize('lanes', [5, 150])
def test_nothing_is_played_if_one_action_is_illegal(lanes: int, number: int) -> None:
    environment, _ = open_two('tictactoe', lanes)
    some = np.arange(lanes) >= 2
    action = environment.draw(some)
    action[1] = number
    before = where(environment)
    expected = rf'action {number} of decision 1 \(x in lane 3\)'
    with pytest.raises(IllegalActionError, match=expected):
        environment.play(action, some)
    assert where(environment) == before
    # No lane is held any longer.
    taken = environment.draw()
    environment.play(taken)
    assert not environment.decides[0].any()
    # A square that is taken in this lane, and free in others.
    action = environment.draw()
    action[-1] = taken[-1]
    before = where(environment)
    with pytest.raises(IllegalActionError, match=rf'decision {lanes - 1} \(o in lane'):
        environment.play(action)
    assert where(environment) == before
