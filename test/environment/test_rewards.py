"""What a step is worth: by default, by a function, by a class."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from lane_cases import COIN, SHORT_OR_LONG, choose_all, opened, small
import numpy as np
import pytest

from gdl_env.environment.options import Policy
from gdl_env.environment.rewards import GoalReward, RoleResults, open_reward

CODE = """
import numpy as np
from gdl_env.environment.rewards import Reward

calls = []

def by_function(goal, state, legal, episode):
    calls.append((goal, state, legal, episode))
    return 0.5 if goal is None else goal

class ByClass(Reward):
    def __call__(self, results):
        return results.has_acted.astype(np.float32) - results.is_over

class Pure(ByClass):
    is_pure = True
"""


def results(goal: list[int], *, is_over: bool = True, is_legal: bool = True) -> RoleResults:
    lanes = len(goal)
    full = np.full(lanes, True)
    return RoleResults(
        'x',
        np.array(goal, np.int16),
        full & is_over,
        full & is_legal,
        full & is_legal,
        np.ones(lanes, np.uint64),
    )


def test_goals_are_worth_minus_ten_to_ten() -> None:
    worth = GoalReward()(results([0, 25, 50, 75, 100, -1]))
    assert worth.tolist() == [-10, -5, 0, 5, 10, 0]
    assert worth.dtype == np.float32
    assert GoalReward()(results([-1, -1], is_over=False)).tolist() == [0, 0]
    assert GoalReward()(results([-1], is_legal=False)).tolist() == [-10]


def test_goals_in_between() -> None:
    environment = opened(small(COIN), lanes=30)
    chance = np.random.default_rng(0)
    environment.step(choose_all(environment, chance))
    step = environment.step(choose_all(environment, chance))
    guesser, watcher = step.feedback['guesser'], step.feedback['watcher']
    assert set(guesser.reward.tolist()) == {-10, 10}
    assert np.array_equal(watcher.reward, -guesser.reward / 2)


@pytest.fixture
def code(tmp_path: Path) -> Path:
    # Each test has its own: modules are loaded once.
    file = tmp_path / f'reward_{tmp_path.name}.py'
    file.write_text(CODE, 'utf-8')
    return file


def test_function(code: Path) -> None:
    environment = opened(small(SHORT_OR_LONG), reward=f'{code}:by_function', max_steps=2)
    chance = np.random.default_rng(3)
    rewards = []
    while environment.tallies.finished < 40:
        step = environment.step(choose_all(environment, chance)).feedback['r']
        rewards.append((float(step.reward[0]), bool(step.is_over[0]), int(step.goal[0])))
    assert (0.5, False, 255) in rewards
    assert (25.0, True, 25) in rewards
    # Broken off: no goal.
    assert (0.5, True, 255) in rewards


def test_function_sees_what_the_role_sees(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(code.parent))
    environment = opened('rock_paper_scissors', reward=f'{code.stem}:by_function')
    calls = import_module(code.stem).calls
    chance = np.random.default_rng(3)
    step = environment.step(choose_all(environment, chance))
    while not step.ended.any():
        step = environment.step(choose_all(environment, chance))
    # ann is the first to choose, and sees her own choice.
    _, state, is_legal, episode = calls[0]
    assert is_legal
    assert episode == 1
    assert [str(fact) for fact in state if str(fact).startswith('(sees ann (choice')]
    assert not [str(fact) for fact in state if str(fact).startswith('(sees ben')]
    assert sum(goal for goal, *_ in calls[-2:]) == 100


def test_class(code: Path) -> None:
    environment = opened('tictactoe', lanes=5, reward=f'{code}:ByClass')
    step = environment.step(choose_all(environment, np.random.default_rng(0)))
    assert step.feedback['x'].reward.tolist() == [1] * 5
    assert step.feedback['o'].reward.tolist() == [0] * 5


@pytest.mark.parametrize('name', ['ByClass', 'Pure'])
# As rows, and as blocks.
@pytest.mark.parametrize('lanes', [5, 100])
def test_class_where_actions_are_flat(code: Path, name: str, lanes: int) -> None:
    environment = opened('tictactoe', lanes=lanes, reward=f'{code}:{name}')
    for acting in [1, 0], [0, 1], [1, 0]:
        reward = environment.play_drawn().reward
        assert reward.tolist() == [[acts] * lanes for acts in acting]


def test_reward_objects_and_names() -> None:
    assert isinstance(open_reward('goal'), GoalReward)
    assert isinstance(open_reward('gdl_env.environment.rewards:GoalReward'), GoalReward)


def test_feedback_names_the_episode_of_its_step_though_nobody_asked() -> None:
    environment = opened('tictactoe')
    for role in environment.roles:
        environment.set_policy(role, Policy.RANDOM)
    found = []
    while len(found) < 2 or found[-1] == found[-2]:
        step = environment.step({})
        found.append(int(step.feedback[environment.roles[0]].episode[0]))
        if step.ended[0]:
            assert set(found) == {1}
