"""Lanes that play on by themselves are packed into fewer blocks: nothing else changes."""

from __future__ import annotations

from typing import Any

from lane_cases import SERIAL, small
import numpy as np
import pytest

from gdl_env.environment.blocks.records import PACK_TIME
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options, Policy
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game

# Several blocks, the last of them not full.
LANES = 2_100
NEVER = 2**40

# Players move together; forced moves; deals, and lanes that end while they are packed; moves of
# chance after each other; hidden facts.
GAMES = ('rock_paper_scissors', 'tictactoe', 'kuhn_poker', 'leduc_poker', 'backgammon')


def open_game(name: str, pack_time: int, **options: Any) -> Environment:
    game = small(SERIAL) if name == 'serial' else load_game(find_game(name))
    environment = Environment.open(game, Options(lanes=LANES, seed=7, **options))
    assert environment.game.blocks is not None
    environment.game.blocks._tables.numbers[PACK_TIME] = pack_time
    return environment


def compare(flat: Environment, asked: Environment, ticks: int, share: float) -> None:
    """Play the same actions as blocks and as rows, and compare all that can be seen of it."""
    for role in asked.roles:
        asked.set_policy(role, Policy.RANDOM)
    random = np.random.default_rng(3)
    for _ in range(ticks):
        some = None if share == 1 else random.random(LANES) < share
        turn = flat.decisions(some)
        for player in range(len(flat.roles)):
            own = turn.player == player
            seen, legal = flat.game.observe(player), flat.game.legal(player)
            assert np.array_equal(turn.observation.data[own], seen.data[turn.lane[own]])
            assert np.array_equal(turn.legal.data[own], legal.data[turn.lane[own]])
        tick = flat.play(flat.draw(some), some)
        step = asked.step({}, some)
        assert np.array_equal(tick.ended, step.ended)
        for player, role in enumerate(flat.roles):
            told = step.feedback[role]
            assert np.array_equal(tick.reward[player], told.reward)
            assert np.array_equal(tick.terminated, told.terminated)
            last, expected = tick.final_observation(player), told.final_observation
            assert (last is None) == (expected is None)
            if last is not None and expected is not None:
                assert np.array_equal(last.data, expected.data)
        one, other = (env.snapshot()['runner'] for env in (flat, asked))
        for name, held in one['lanes'].items():
            assert np.array_equal(np.asarray(held), np.asarray(other['lanes'][name])), name
        for kept in ('finished', 'steps', 'unscored'):
            assert one['tallies'][kept] == other['tallies'][kept]


@pytest.mark.parametrize('pack_time', [0, NEVER])
@pytest.mark.parametrize('name', GAMES)
def test_packed_lanes_play_as_rows_do(name: str, pack_time: int) -> None:
    compare(open_game(name, pack_time), open_game(name, NEVER), 12, 1)


@pytest.mark.parametrize('name', ['leduc_poker', 'tictactoe'])
def test_held_lanes_are_not_packed(name: str) -> None:
    compare(open_game(name, 0), open_game(name, NEVER), 10, 0.6)


@pytest.mark.parametrize(
    ('name', 'options'),
    [
        ('leduc_poker', {'max_steps': 5}),
        ('kuhn_poker', {'max_steps': 4}),
        ('kuhn_poker', {'episodes': 3 * LANES}),
        ('serial', {'turn': 'random'}),
        ('serial', {'turn': 'priority', 'max_steps': 3}),
    ],
)
def test_packed_lanes_keep_to_the_options(name: str, options: dict[str, Any]) -> None:
    compare(open_game(name, 0, **options), open_game(name, NEVER, **options), 12, 1)


@pytest.mark.slow
def test_deals_of_many_cards() -> None:
    compare(open_game('doppelkopf', 0), open_game('doppelkopf', NEVER), 60, 1)
