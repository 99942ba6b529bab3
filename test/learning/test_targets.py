"""Targets: masks, the projection of distributions, and the switches of a learner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

import torch

from gdl_agents.learning.dqn.learner import Learner
from gdl_agents.learning.dqn.policy import choose_actions
from gdl_agents.learning.dqn.replay import Batch, Transitions
from gdl_agents.learning.dqn.targets import best_action, mean_values, project
from gdl_agents.learning.game_properties.game_traits import GameTraits
from gdl_agents.learning.game_properties.symmetry import Symmetries
from gdl_agents.learning.networks import Linear, NetworkSpec, Shape
from gdl_agents.learning.training.config import ALGORITHMS, LearnerConfig

pytestmark = pytest.mark.torch


def plain_projection(
    reward: float, discount: float, share: list[float], support: list[float]
) -> list[float]:
    """Return the projection as Bellemare et al. (2017) write it, point by point."""
    low, high, step = support[0], support[-1], support[1] - support[0]
    result = [0.0] * len(support)
    for value, mass in zip(support, share, strict=True):
        moved = min(high, max(low, reward + discount * value))
        for place, point in enumerate(support):
            result[place] += mass * max(0.0, 1 - abs(moved - point) / step)
    return result


@pytest.mark.parametrize('atoms', [3, 11, 51])
def test_projection_equals_the_plain_one(atoms: int) -> None:
    chance = np.random.default_rng(atoms)
    support = torch.linspace(-10, 10, atoms)
    share = torch.from_numpy(chance.dirichlet(np.ones(atoms), 40)).float()
    reward = torch.from_numpy(chance.choice([-30, -10, -0.3, 0, 4, 10, 30], 40)).float()
    discount = torch.from_numpy(chance.choice([0, 0.5, 0.99, 1], 40)).float()
    found = project(reward, discount, share, support)
    for row in range(40):
        wanted = plain_projection(
            float(reward[row]), float(discount[row]), share[row].tolist(), support.tolist()
        )
        assert found[row].tolist() == pytest.approx(wanted, abs=1e-4)
    assert torch.allclose(found.sum(dim=1), torch.ones(40), atol=1e-5)


def test_best_action_is_legal() -> None:
    values = torch.tensor([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    legal = torch.tensor([[False, True, True], [False, False, True]])
    assert best_action(values, legal).tolist() == [1, 2]


def test_mean_of_a_distribution() -> None:
    support = torch.linspace(-1, 1, 3)
    logits = torch.log(torch.tensor([[[0.5, 0.25, 0.25], [1e-9, 1e-9, 1.0]]]))
    assert mean_values(logits, support)[0].tolist() == pytest.approx([-0.25, 1.0], abs=1e-4)


def test_actions_are_legal_also_when_exploring() -> None:
    chance = np.random.default_rng(0)
    legal = chance.random((500, 6)) < 0.3
    legal[np.arange(500), chance.integers(0, 6, 500)] = True
    values = chance.normal(size=(500, 6)).astype(np.float32)
    for epsilon in (0.0, 0.5, 1.0):
        action = choose_actions(values, legal, epsilon, chance)
        assert legal[np.arange(500), action].all()
    many = choose_actions(np.zeros((6000, 3), np.float32), np.ones((6000, 3), bool), 1.0, chance)
    assert np.abs(np.bincount(many) / 2000 - 1).max() < 0.1


SHAPE = Shape(8, 4)
SPEC = NetworkSpec((Linear(16),))
PARTS = ('double', 'dueling', 'prioritised', 'n_step', 'atoms', 'noisy')


def make(config: LearnerConfig) -> Learner:
    return Learner(SPEC, SHAPE, config, (-10.0, 10.0), seed=3)


def rows(chance: np.random.Generator, count: int = 32) -> Transitions:
    return Transitions(
        chance.integers(0, 256, (count, 1), np.uint8),
        chance.integers(0, 4, count).astype(np.int32),
        chance.choice([-10, 0, 10], count).astype(np.float32),
        chance.integers(0, 256, (count, 1), np.uint8),
        np.full((count, 1), 0b0010, np.uint8),
        chance.choice([0, 0.9], count).astype(np.float32),
    )


def test_target_takes_legal_actions_only() -> None:
    for config in (LearnerConfig(noisy=False), LearnerConfig(noisy=False, mask_target=False)):
        learner = make(config)
        batch = learner._renamed(rows(np.random.default_rng(1)), 1)
        _, weight = learner._look_ahead(batch, torch.zeros(32, dtype=torch.bool))
        assert (weight.sum(dim=1) == 1).all()
        assert (weight[:, 1] == 1).all() == config.mask_target


def test_double_lets_the_online_network_choose() -> None:
    batch = rows(np.random.default_rng(1))
    for double in (True, False):
        learner = make(LearnerConfig(noisy=False, double=double, mask_target=False, atoms=1))
        with torch.no_grad():
            for parameter in learner.network.parameters():
                parameter.neg_()
        own = torch.zeros(32, dtype=torch.bool)
        given = learner._renamed(batch, 1)
        outputs, weight = learner._look_ahead(given, own)
        judge = learner.network(given.next_observation) if double else outputs
        assert torch.equal(weight.argmax(dim=1), judge.argmax(dim=1))


@pytest.mark.parametrize('atoms', [1, 3])
def test_nothing_lies_ahead_of_the_end(atoms: int) -> None:
    """Steps to the end are left out where they are many: what is learned stays the same."""
    learner = make(LearnerConfig(noisy=False, atoms=atoms))
    few = rows(np.random.default_rng(2))
    few.discount[:] = 0
    few.discount[3] = 0.9
    # As often again as it takes for the others to be looked ahead of, too.
    index = np.concatenate([np.arange(32), np.full(40, 3)])
    many = Transitions(*(getattr(few, field)[index] for field in few.__dataclass_fields__))
    wrong = [
        learner._loss(Batch(given, np.arange(len(given)), np.ones(len(given), np.float32)), 1)[1]
        for given in (few, many)
    ]
    assert torch.allclose(wrong[0], wrong[1][:32], atol=1e-5) and wrong[0][3] > 0


def test_the_other_errs_now_and_then() -> None:
    learner = make(LearnerConfig(noisy=False, opponent_error=0.4))
    given = rows(np.random.default_rng(1))
    given.next_legal[:] = 0b1011
    is_other = torch.arange(32) % 2 == 1
    _, weight = learner._look_ahead(learner._renamed(given, 1), is_other)
    assert torch.allclose(weight.sum(dim=1), torch.ones(32))
    assert (weight[~is_other].max(dim=1).values == 1).all()
    share = weight[is_other].sort(dim=1).values[0]
    assert share.tolist() == pytest.approx([0, 0.4 / 3, 0.4 / 3, 0.6 + 0.4 / 3])


def test_what_the_other_wins_is_lost() -> None:
    support = torch.tensor([-10.0, 0.0, 10.0])
    value = torch.tensor([[0.1, 0.2, 0.7]])
    share = project(torch.zeros(1), torch.tensor([-1.0]), value, support)
    assert share.tolist()[0] == pytest.approx([0.7, 0.2, 0.1])


def test_transitions_are_renamed_by_symmetries() -> None:
    symmetries = Symmetries(
        np.array([range(8), [7, 6, 5, 4, 3, 2, 1, 0]]), np.array([range(4), [1, 0, 3, 2]])
    )
    config = LearnerConfig(noisy=False)
    learner = Learner(SPEC, SHAPE, config, (-10.0, 10.0), traits=GameTraits(symmetries=symmetries))
    given = rows(np.random.default_rng(1), 64)
    given.next_legal[:] = 0b0010
    found = learner._renamed(given, 5)
    seen = np.unpackbits(given.observation, axis=1, bitorder='little')
    is_turned = (found.next_legal[:, 0]).numpy()
    assert 10 < is_turned.sum() < 54
    for row in range(64):
        observation = found.observation[row].numpy()
        if is_turned[row]:
            assert (observation == seen[row, ::-1]).all()
            assert int(found.action[row]) == [1, 0, 3, 2][given.action[row]]
        else:
            assert (observation == seen[row]).all()
            assert int(found.action[row]) == given.action[row]


@pytest.mark.parametrize('part', PARTS)
@pytest.mark.parametrize('algorithm', ['rainbow', 'dqn'])
def test_every_part_can_be_switched(part: str, algorithm: str) -> None:
    other = {'rainbow': 'dqn', 'dqn': 'rainbow'}[algorithm]
    defaults = vars(LearnerConfig())
    config = LearnerConfig(**ALGORITHMS[algorithm])  # type: ignore[arg-type]
    changed = replace(config, **{part: ALGORITHMS[other].get(part, defaults[part])})
    assert changed != config
    learner = make(changed)
    before = learner.weights()
    learner._add(rows(np.random.default_rng(0), 64))
    learner._update()
    assert np.isfinite(learner.loss)
    assert learner.version == 1
    assert learner.weights() != before
    has_value = learner.network.head.value is not None
    assert has_value == changed.dueling


def test_weights_travel_as_bytes() -> None:
    one, two = make(LearnerConfig()), make(LearnerConfig(learning_rate=0.5))
    two._add(rows(np.random.default_rng(0), 64))
    two._update()
    assert one.weights() != two.weights()
    one.load_weights(two.weights())
    assert one.weights() == two.weights()
