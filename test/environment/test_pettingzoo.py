"""PettingZoo's own tests, on every game; and what they do not look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import warnings

from lane_cases import COIN, FORCED, SERIAL, small
import numpy as np
import pytest

pytest.importorskip('pettingzoo', reason="pip install '.[rl]'")

from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from gdl_env.adapters.pettingzoo import GameAEC, GameParallel, aec_env, parallel_env
from gdl_env.environment.options import OptionsError
from gdl_env.errors import GameNotFoundError, OptionError
from gdl_env.importing import HookError
from gdl_env.language.game import Game

# PettingZoo recommends names and spaces that a game with roles and masks does not have, though its
# own board games do the same; and a role that sees nothing yet, or has nothing to decide, sees
# zeros.
RECOMMENDATIONS = (
    'Observation space for each agent probably should be',
    'We recommend agents to be named in the format',
    'Observation is not a NumPy array',
    'Observation numpy array is all zeros',
    'Action mask numpy array is all zeros',
    'Observation is a single number',
    'Action mask is a single number',
)
CYCLES = 60


@pytest.fixture(autouse=True)
def _no_recommendations() -> Iterator[None]:
    with warnings.catch_warnings():
        for start in RECOMMENDATIONS:
            warnings.filterwarnings('ignore', message=start, category=UserWarning)
        yield


def check_all(open_aec: Callable[[], GameAEC], open_parallel: Callable[[], GameParallel]) -> None:
    api_test(open_aec(), CYCLES)
    seed_test(open_aec, CYCLES)
    parallel_api_test(open_parallel(), CYCLES)
    parallel_seed_test(open_parallel, CYCLES)


@pytest.mark.each_game
def test_every_game(rule_file: Path) -> None:
    check_all(lambda: aec_env(rule_file, render_mode='ansi'), lambda: parallel_env(rule_file))


@pytest.mark.parametrize('options', [{'max_steps': 3}, {'illegal': 'end'}, {'turn': 'random'}])
@pytest.mark.parametrize('text', [COIN, SERIAL, FORCED], ids=['coin', 'serial', 'forced'])
def test_small_games_with_options(text: str, options: dict[str, object]) -> None:
    game = small(text)
    check_all(lambda: aec_env(game, **options), lambda: parallel_env(game, **options))


def play(environment: GameAEC, seed: int) -> list[tuple[str, float, object, object]]:
    """Play a game at random; return what each agent was told when it was asked."""
    chance = np.random.default_rng(seed)
    environment.reset(seed=seed)
    found = []
    for agent in environment.agent_iter():
        seen, reward, terminated, truncated, info = environment.last()
        action = None
        if not (terminated or truncated):
            legal = np.flatnonzero(seen['action_mask'])
            assert len(legal) > 1
            action = int(chance.choice(legal))
        found.append((agent, reward, info['goal'], info['move']))
        environment.step(action)
    return found


def test_rewards_and_infos_at_the_end() -> None:
    environment = aec_env('tictactoe')
    for seed in range(5):
        told = play(environment, seed)
        assert [agent for agent, *_ in told[:4]] == ['x', 'o', 'x', 'o']
        last = {agent: (reward, goal) for agent, reward, goal, _ in told[-2:]}
        assert set(last) == {'x', 'o'}
        for reward, goal in last.values():
            assert reward == goal / 5 - 10  # type: ignore[operator]
        assert all(goal is None for _, _, goal, _ in told[:-2])
        assert all(reward == 0 for _, reward, *_ in told[:-2])
        assert told[2][3] == ''
        assert play(environment, seed) == told


def test_joint_decisions_are_played_when_all_have_answered() -> None:
    environment = aec_env('simultaneous_krieg_tictactoe')
    environment.reset(seed=1)
    first, second = environment.agents
    assert environment.agent_selection == first
    before = environment.observe(second)
    environment.step(0)
    assert environment.agent_selection == second
    # What the first has chosen is not to be seen.
    assert environment.observe(second) is before
    tick = environment.table.environment.tick
    environment.step(1)
    assert environment.table.environment.tick == tick + 1
    assert environment.infos[first]['move'] != environment.infos[second]['move'] != ''


def test_who_has_nothing_to_decide_is_ignored() -> None:
    environment = parallel_env('tictactoe', illegal='end')
    seen, infos = environment.reset(seed=0)
    assert not seen['o']['action_mask'].any()
    assert seen['x']['action_mask'].all()
    assert infos['x']['action_mask'] is seen['x']['action_mask']
    _, rewards, terminated, *_ = environment.step({'x': 4, 'o': 4})
    assert not any(terminated.values())
    _, rewards, terminated, truncated, infos = environment.step({'x': 0, 'o': 4})
    assert rewards == {'x': 0, 'o': -10}
    assert all(terminated.values())
    assert not any(truncated.values())
    assert environment.agents == []
    assert infos['o']['goal'] is None
    assert environment.step({}) == ({}, {}, {}, {}, {})


def play_to_the_end(environment: GameParallel, seed: int | None) -> list[bytes]:
    """Return all that is seen in an episode in which the first legal actions are played."""
    seen, _ = environment.reset(seed)
    shown = []
    while environment.agents:
        shown.append(b''.join(view['observation'].tobytes() for view in seen.values()))
        actions = {role: int(view['action_mask'].argmax()) for role, view in seen.items()}
        seen, *_ = environment.step(actions)
    return shown


def test_an_episode_begins_at_the_beginning_and_chance_goes_on_with_it() -> None:
    environment = parallel_env('pig', max_steps=300)
    games = [play_to_the_end(environment, seed) for seed in (5, None, None, 5, None, None)]
    assert games[:3] == games[3:]
    assert games[0] != games[1] != games[2]
    # In the middle of an episode, and after its end, it is the same beginning.
    first, _ = environment.reset(seed=5)
    beginning = first['alice']['observation'].copy()
    environment.step({role: int(view['action_mask'].argmax()) for role, view in first.items()})
    again, _ = environment.reset()
    assert (again['alice']['observation'] == beginning).all()
    play_to_the_end(environment, None)
    after, _ = environment.reset()
    assert (after['alice']['observation'] == beginning).all()


def test_missing_action_is_late() -> None:
    environment = parallel_env('tictactoe')
    environment.reset(seed=0)
    environment.step({})
    environment.step({'o': None})
    tallies = environment.table.environment.tallies
    assert tallies['x'].late == tallies['o'].late == 1


def test_render_shows_the_last_state() -> None:
    environment = aec_env('tictactoe', render_mode='ansi')
    environment.reset(seed=0)
    empty = environment.render()
    assert empty is not None
    assert empty.count('x') == 1
    play(environment, 3)
    shown = environment.render()
    assert shown is not None
    assert shown.count('x') > 3
    environment.reset(seed=0)
    assert environment.render() == empty
    assert parallel_env('tictactoe').render() is None


@pytest.mark.parametrize(
    ('options', 'error', 'message'),
    [
        ({'lanes': 2}, OptionsError, 'one game at a time'),
        ({'episodes': 2}, OptionsError, 'one game at a time'),
        ({'colour': 'red'}, OptionsError, 'no option colour; options: engine, mapping, '),
        ({'illegal': 'maybe'}, OptionsError, 'illegal must be one of end, random, best'),
        ({'turn': 'first'}, OptionsError, "turn 'first'"),
        ({'render_mode': 'human'}, OptionsError, 'render_mode must be ansi'),
        ({'reward': 'gold'}, HookError, "no reward 'gold'"),
    ],
)
def test_bad_options(options: dict[str, object], error: type[Exception], message: str) -> None:
    for opener in (aec_env, parallel_env):
        with pytest.raises(error, match=message):
            opener('tictactoe', **options)


def test_unknown_game() -> None:
    with pytest.raises(GameNotFoundError, match='tiktaktoe'):
        aec_env('tiktaktoe')


def test_game_object_and_path(game: Game, rule_file: Path) -> None:
    assert aec_env(game).possible_agents == parallel_env(rule_file).possible_agents


def test_game_of_a_family() -> None:
    environment = parallel_env('lazerbike(players=3,size=7)')
    assert environment.possible_agents == ['red', 'blue', 'green']
    assert environment.metadata['name'] == 'lazerbike(size=7,players=3)'
    with pytest.raises(OptionError, match="'players' cannot be '9'"):
        aec_env('lazerbike(players=9)')
