"""The same seed and answers give the same match, whatever else happens."""

from __future__ import annotations

from lane_cases import COIN, asked, choose_all, opened, small, told
import numpy as np
import pytest

from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options, OptionsError, Policy
from gdl_env.language.game import Game


def transcript(environment: Environment, ticks: int, *, is_curious: bool = False) -> list[object]:
    """Play at random; half of the answers are missing, so that chance has something to do."""
    first = environment.tick
    found: list[object] = []
    chance = np.random.default_rng(1)
    for _ in range(ticks):
        if is_curious:
            # What is read, and how often, must not matter.
            environment.questions(with_text=True)
            environment.info()
            environment.game.observe(None)
        answers = choose_all(environment, chance)
        for answer in answers.values():
            assert answer.action is not None
            answer.action[::2] = -1
        if is_curious:
            answers = dict(reversed(answers.items()))
        found.append((asked(environment)[1:], told(environment.step(answers))[1:]))
    assert environment.tick == first + ticks
    return found


@pytest.mark.each_game
def test_seed_decides_everything(game: Game) -> None:
    environments = [Environment.open(game, Options(lanes=9, seed=seed)) for seed in (4, 4, 5)]
    first = transcript(environments[0], 12)
    assert transcript(environments[1], 12, is_curious=True) == first
    assert transcript(environments[2], 12) != first


def test_reset_with_a_seed_repeats_and_without_goes_on() -> None:
    environment = opened('krieg_tictactoe', lanes=4, seed=8)
    first = transcript(environment, 10)
    environment.reset()
    second = transcript(environment, 10)
    assert strip_episodes(second) != strip_episodes(first)
    environment.reset(8)
    assert strip_episodes(transcript(environment, 10)) == strip_episodes(first)


def strip_episodes(found: list[object]) -> list[object]:
    """Leave out what keeps counting: keep rewards, goals, actions and last observations."""
    kept = []
    for _, after in found:  # type: ignore[misc]
        kept.append([after[2:][i] for i in range(len(after) - 2) if i % 9 != 1])  # type: ignore[has-type]
    return kept


@pytest.mark.parametrize('seed', [-1, 2**64])
def test_seeds_have_64_bits(seed: int) -> None:
    environment = opened('tictactoe')
    with pytest.raises(OptionsError, match='seed must be'):
        environment.reset(seed)


def test_late_answers_do_not_count_twice() -> None:
    environment = opened('tictactoe')
    before = environment.tick
    old = choose_all(environment, np.random.default_rng(0))
    environment.step({})
    step = environment.step(old)
    assert step.tick == before + 1
    assert environment.tallies['x'].late + environment.tallies['o'].late == 2


def test_held_lanes_stay_as_they_are(game: Game) -> None:
    environment = Environment.open(game, Options(lanes=6))
    chance = np.random.default_rng(2)
    lanes = np.array([True, False, True, True, False, False])
    for _ in range(10):
        before = [environment.game.state(lane) for lane in range(6)]
        decides, episode = environment.decides.copy(), environment.episode.copy()
        step = environment.step(choose_all(environment, chance), lanes)
        for lane in np.flatnonzero(~lanes):
            assert environment.game.state(int(lane)) == before[lane]
            assert np.array_equal(environment.decides[:, lane], decides[:, lane])
        assert np.array_equal(environment.episode[~lanes], episode[~lanes])
        for feedback in step.feedback.values():
            assert not feedback.is_over[~lanes].any()
            assert (feedback.action[~lanes] == -1).all()
            assert not feedback.origin[~lanes].any()
    assert all(account.strikes == 0 for account in environment.tallies.roles)


def test_held_lanes_keep_their_percepts() -> None:
    environment = opened(small(COIN), lanes=2)
    environment.set_policy('watcher', Policy.LEGAL)
    environment.step({})
    shown = environment.question('watcher', with_text=True).facts
    assert len(shown) == 1
    environment.step({}, np.array([False, True]))
    assert environment.question('watcher', with_text=True).facts == shown
