"""Options of training: files, settings, errors; levels and intervals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.dqn.model import About
from gdl_agents.learning.errors import ConfigError, RunError
from gdl_agents.learning.levels.reward_levels import Snapshot, find_level, list_levels, strongest
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import (
    make_config,
    read_config,
    read_settings,
    to_yaml,
)
from gdl_agents.learning.training.milestone import Milestone
from gdl_agents.learning.training.rewards import PUNISHING, OutcomeReward, reward_range
from gdl_env.environment.rewards import RoleResults
from gdl_env.environment.score import Score, interval
from gdl_env.importing import HookError

pytestmark = pytest.mark.torch

FILES = sorted((Path(__file__).parents[2] / 'benchmark' / 'experiments_2022').glob('*.yaml'))


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_shipped_files_are_read(path: Path) -> None:
    config = make_config(read_config(path), {'game': 'tictactoe'})
    assert config.game == 'tictactoe'
    reward_range(config.reward, config.learner.value_low, config.learner.value_high)
    text = path.read_text()
    assert f'benchmark/experiments_2022/{path.name}' in text


def test_there_are_files() -> None:
    assert {path.stem for path in FILES} >= {'punished', 'gate'}


def test_options_survive_files(tmp_path: Path) -> None:
    config = make_config(
        {'game': 'x', 'learner': {'n_step': 4}},
        {'algorithm': 'dqn', 'shared': True},
        read_settings(['learner.gamma=0.5', 'batch=7', 'seed=3', 'learning_rate=1e-4']),
    )
    assert (config.learner.n_step, config.learner.gamma, config.learner.batch) == (4, 0.5, 7)
    assert config.learner.learning_rate == 1e-4
    assert not config.learner.noisy
    assert (config.seed, config.shared) == (3, 'yes')
    path = tmp_path / 'config.yaml'
    path.write_text(to_yaml(config))
    assert make_config(read_config(path)) == config
    assert make_config() == TrainingConfig()


@pytest.mark.parametrize(
    ('told', 'words'),
    [
        ({'episods': 3}, "no option 'episods'; did you mean episodes"),
        # Options of all algorithms, as long as none is named.
        ({'playout': 3}, "no option 'playout'; did you mean playouts"),
        ({'algorithm': 'dqn', 'playout': 3}, r"no option 'playout' \(options: .*\bepisodes\b"),
        ({'gamma': 0.9}, 'gamma=0.9 is at the wrong place: it belongs in the section learner'),
        ({'learner': {'n_stp': 3}}, 'did you mean n_step'),
        ({'learner': 3}, 'learner must hold options'),
        ({'episodes': 'many'}, "episodes must be int, not 'many'"),
        ({'episodes': True}, 'episodes must be int'),
        ({'episodes': 0}, 'episodes must be 1 or more, not 0'),
        ({'lanes': -1}, 'lanes must be 1 or more'),
        ({'algorithm': 'sarsa'}, "no algorithm 'sarsa'; known: rainbow, .*dqn"),
        ({'illegal': 'ignore'}, "no illegal 'ignore'; known: end, random, best"),
        ({'shared': 'maybe'}, 'no shared'),
        ({'learner': {'atoms': 2}}, 'atoms must be 1'),
        ({'learner': {'gamma': 1.5}}, 'gamma must be from 0 to 1, not 1.5'),
        ({'learner': {'double': 'x'}}, "double must be bool, not 'x'"),
        ({'learner': {'learning_rate': 0}}, 'learning_rate must be above 0'),
        ({'learner': {'value_low': 3, 'value_high': 2}}, 'value_low must be below'),
        ({'gate_every': 5}, 'gate_every does nothing here: it applies with mode=gate'),
        ({'mode': 'random', 'strangers': 'legal'}, 'strangers does nothing here'),
        ({'search_rounds': 2}, 'it applies with network=search'),
        ({'learner': {'noisy': False, 'sigma': 0.1}}, 'it applies with noisy=true'),
    ],
)
def test_wrong_options(told: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        make_config(told)


def test_wrong_files(tmp_path: Path) -> None:
    path = tmp_path / 'a.yaml'
    with pytest.raises(ConfigError, match='cannot be read'):
        read_config(path)
    path.write_text('a: [')
    with pytest.raises(ConfigError, match='is not YAML'):
        read_config(path)
    path.write_text('- a')
    with pytest.raises(ConfigError, match='are written'):
        read_config(path)
    path.write_text('')
    assert read_config(path) == {}
    with pytest.raises(ConfigError, match='name=value'):
        read_settings(['episodes'])


def test_range_of_rewards(tmp_path: Path) -> None:
    assert reward_range('goal', None, None) == (-10, 10)
    assert reward_range('goal', -1, None) == (-1, 10)
    low, high = reward_range('gdl_agents.learning.training.rewards:PUNISHING', None, None)
    assert (low, high) == (-8, 12.5)
    own = tmp_path / 'own.py'
    own.write_text('def pay(goal, state, legal, episode):\n    return 1.0\n')
    with pytest.raises(ConfigError, match='does not say what it can pay'):
        reward_range(f'{own}:pay', None, None)
    assert reward_range(f'{own}:pay', 0, 3) == (0, 3)
    with pytest.raises(HookError):
        reward_range('gold', None, None)
    # What a function, or a reward that extends the usual one, says of itself counts.
    own.write_text(
        'from gdl_env.environment.rewards import GoalReward\n\n'
        'def pay(goal, state, legal, episode):\n    return 1.0\n\n'
        'pay.low, pay.high = 0, 3\n\n'
        'class Halved(GoalReward):\n    low, high = -5.0, 5.0\n'
    )
    assert reward_range(f'{own}:pay', None, None) == (0, 3)
    assert reward_range(f'{own}:pay', None, 2) == (0, 2)
    assert reward_range(f'{own}:Halved', None, None) == (-5, 5)


def test_punishing_reward() -> None:
    def results(episode: int) -> RoleResults:
        # A legal move, an illegal one that ends the game, a loss, a draw, a win, another's move.
        over = np.array([0, 1, 1, 1, 1, 0], np.bool_)
        acted = np.array([1, 0, 0, 1, 1, 0], np.bool_)
        legal = np.array([1, 0, 1, 1, 1, 1], np.bool_)
        goal = np.array([-1, -1, 0, 50, 100, -1], np.int16)
        return RoleResults('x', goal, over, acted, legal, np.full(6, episode, np.uint64))

    assert PUNISHING(results(1333)).tolist() == [0.75, -8, 0, 0.75, 0.75, 0]
    assert PUNISHING(results(1334)).tolist() == [0.75, -8, -6, 2.75, 5.75, 0]


def test_rewards_of_all_players_at_once() -> None:
    reward = OutcomeReward(win=3, draw=1, loss=-2)
    goals = np.array([[0, 50, 75, 100, -1, 100], [100, 50, 25, 0, -1, 0]], np.int16)
    over = np.array([1, 1, 1, 1, 1, 0], np.bool_)
    acted, episode = np.ones(6, np.bool_), np.ones(6, np.uint64)
    shown = np.where(over, goals, np.int16(-1))
    singly = [reward(RoleResults('x', row, over, acted, acted, episode)) for row in shown]
    assert np.array_equal(reward.reward_all(goals, over), singly)
    assert singly[0].tolist() == [-2, 1, 2, 3, 0, 0]
    # What is paid for moves does not follow from goals.
    assert PUNISHING.reward_all(goals, over) is None


def snapshots(*rewards: float) -> list[Snapshot]:
    return [
        Snapshot(Path(str(n)), About(episodes=100 * n, reward=reward))
        for n, reward in enumerate(rewards, 1)
    ]


@pytest.mark.parametrize(
    ('games', 'rewards', 'chosen'),
    [
        (400, (4.0, 10.0, 9.95, 9.96), 4),
        (400, (9.95, 10.0, 9.0, 9.2), 2),
        (20, (4.0, 10.0, 9.0, 3.0), 3),
        # Exact rewards.
        (0, (4.0, 10.0, 9.95, 9.96), 2),
    ],
)
def test_luck_does_not_choose_the_strongest(
    games: int, rewards: tuple[float, ...], chosen: int
) -> None:
    """Of snapshots that their games do not tell apart, the latest is the strongest."""
    taken = [Snapshot(one.path, replace(one.about, games=games)) for one in snapshots(*rewards)]
    assert strongest(taken).about.episodes == 100 * chosen


def test_levels_are_the_closest_snapshots() -> None:
    taken = snapshots(-1, 2, 9, 3.9, 7, 9)
    assert strongest(taken).about.episodes == 600
    levels = list_levels(taken, 3)
    assert [level.target for level in levels] == [3, 6, 9]
    assert [level.snapshot.about.episodes for level in levels] == [400, 500, 600]
    assert len(list_levels(taken)) == 6
    assert find_level(taken, '') is taken[5]
    assert find_level(taken, '1/3') is taken[3]
    assert find_level(taken, '6') is taken[5]
    for text in ('0', '7', '4/3'):
        with pytest.raises(RunError, match='no level'):
            find_level(taken, text)


def test_milestones() -> None:
    milestone = Milestone(10 / 3)
    due = [episodes for episodes in range(11) if milestone.is_due(episodes)]
    assert due == [4, 7, 10]
    # However far a tick goes, one thing happens once.
    assert milestone.is_due(50)
    assert not milestone.is_due(50)


def test_intervals_and_scores() -> None:
    low, high = interval(50, 100)
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)
    assert interval(0, 10)[0] == 0
    assert interval(0, 0) == (0, 1)
    score = Score(4, 2, 1, 1, 250) + Score(1, 1, 0, 0, 100)
    assert (score.games, score.wins, score.reward) == (5, 3, 4.0)
    assert Score().reward == 0
