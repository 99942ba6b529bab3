"""Noise explores while a network learns, and is gone when it plays."""

from __future__ import annotations

import pytest

pytest.importorskip('torch', reason="pip install '.[learn]'")

import torch

from gdl_agents.learning.networks import (
    Head,
    Linear,
    NetworkSpec,
    Shape,
    build_network,
)
from gdl_agents.learning.networks.noisy import NoisyLinear

pytestmark = pytest.mark.torch

SHAPE = Shape(5, 3)
SEEN = torch.eye(5)


@pytest.fixture
def network():
    return build_network(NetworkSpec((Linear(8),)), SHAPE, Head(atoms=1, hidden=4), seed=1)


def test_new_noise_changes_what_is_learned_with(network):
    first = network(SEEN)
    assert torch.equal(first, network(SEEN))
    network.reset_noise()
    assert not torch.equal(first, network(SEEN))


def test_without_training_there_is_no_noise(network):
    network.eval()
    first = network(SEEN)
    network.reset_noise()
    assert torch.equal(first, network(SEEN))
    for module in network.modules():
        if isinstance(module, NoisyLinear):
            module.input_noise.zero_()
            module.output_noise.zero_()
    network.train()
    assert torch.allclose(first, network(SEEN))


def test_noise_comes_from_the_given_generator(network):
    found = []
    for seed in (7, 7, 8):
        network.reset_noise(torch.Generator().manual_seed(seed))
        found.append(network(SEEN))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])


def test_noise_is_factorised():
    layer = NoisyLinear(4, 3, sigma=0.5)
    assert torch.allclose(layer.weight_sigma, torch.full((3, 4), 0.25))
    noise = torch.outer(layer.output_noise, layer.input_noise)
    values = torch.rand(2, 4)
    weight = layer.weight + 0.25 * noise
    expected = values @ weight.T + layer.bias + 0.25 * layer.output_noise
    assert torch.allclose(layer(values), expected, atol=1e-6)


def test_the_square_root_of_normal_noise():
    # The square of the noise is the absolute value of a normal number: its mean is sqrt(2 / pi).
    noise = NoisyLinear(200_000, 1).input_noise
    assert abs(noise.mean().item()) < 0.01
    assert (noise**2).mean().item() == pytest.approx((2 / torch.pi) ** 0.5, abs=0.01)


def test_noise_is_no_part_of_a_checkpoint(network):
    assert not any('noise' in name for name in network.state_dict())


def test_a_network_without_noise_takes_the_call():
    network = build_network(NetworkSpec(()), SHAPE, Head(atoms=1, noisy=False))
    first = network(SEEN)
    network.reset_noise()
    assert torch.equal(first, network(SEEN))
