"""A network that has grown has the outputs of the one it grew from, and learns apart from it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytest.importorskip('torch', reason="pip install '.[learn]'")

import torch

from gdl_agents.learning.networks import (
    Conv,
    Head,
    Linear,
    NetworkError,
    NetworkSpec,
    Residual,
    Shape,
    build_network,
)
from gdl_agents.learning.networks.growth import deepen, join, widen
from gdl_agents.learning.networks.inheritance import inherit
from gdl_env.engine.mapping import open_encoding
from gdl_env.language.load import open_game

pytestmark = pytest.mark.torch

Grow = Callable[[NetworkSpec], NetworkSpec]

SPECS = {
    'flat': NetworkSpec((Linear(12), Linear(8))),
    'norm': NetworkSpec((Linear(12), Linear(8)), norm='layer'),
    'blocks': NetworkSpec((Linear(12), Residual(2), Linear(6)), norm='layer'),
    'board': NetworkSpec((Conv(6), Linear(16))),
    'deep board': NetworkSpec(
        (Conv(6), Residual(1), Conv(3, 1), Linear(16), Linear(8)), norm='layer'
    ),
    'eyes alone': NetworkSpec((Conv(4),)),
    'ensemble': NetworkSpec((Conv(4), Linear(6)), beside=(NetworkSpec((Linear(10),)),)),
}
HEADS = {
    'rainbow': Head(),
    'dqn': Head(dueling=False, atoms=1, noisy=False),
    'hidden': Head(hidden=7),
}


@pytest.fixture(scope='module')
def shape() -> Shape:
    game = open_game('connect_four')
    return Shape.of(game, open_encoding(game))


def train(network: torch.nn.Module, shape: Shape, steps: int = 3) -> None:
    """Make weights, norms and biases other than new ones are."""
    optimiser = torch.optim.Adam(network.parameters(), 0.01)
    for step in range(steps):
        torch.manual_seed(step)
        network.reset_noise()
        optimiser.zero_grad()
        seen = (torch.rand(16, shape.observation_size) < 0.3).float()
        (network(seen) - 1).square().mean().backward()
        optimiser.step()


def see(shape: Shape) -> torch.Tensor:
    torch.manual_seed(5)
    return (torch.rand(64, shape.observation_size) < 0.3).float()


@pytest.mark.parametrize('head', HEADS)
@pytest.mark.parametrize('grow', [widen, deepen, join])
@pytest.mark.parametrize('name', SPECS)
def test_outputs_stay(name: str, grow: Grow, head: str, shape: Shape) -> None:
    spec = SPECS[name]
    small = build_network(spec, shape, HEADS[head], seed=1)
    train(small, shape)
    large = build_network(grow(spec), shape, HEADS[head], seed=2)
    sizes = [sum(p.numel() for p in network.parameters()) for network in (small, large)]
    assert sizes[0] < sizes[1]
    seen = see(shape)
    wanted = small.eval()(seen)
    assert not torch.allclose(large.eval()(seen), wanted, atol=0.01)
    inherit(small, large, seed=3)
    assert torch.allclose(large(seen), wanted, atol=1e-5)
    # Twice, and three ways at once.
    larger = build_network(join(widen(grow(spec))), shape, HEADS[head], seed=4)
    inherit(large, larger, seed=5)
    assert torch.allclose(larger.eval()(seen), wanted, atol=1e-5)


@pytest.mark.parametrize('name', ['flat', 'deep board'])
def test_twins_go_apart_in_training(name: str, shape: Shape) -> None:
    small = build_network(SPECS[name], shape, Head(), seed=1)
    large = build_network(widen(SPECS[name]), shape, Head(), seed=2)
    inherit(small, large, seed=3)
    *_, last = (m for m in large.body.modules() if isinstance(m, torch.nn.Linear))
    half = len(last.bias) // 2
    assert torch.equal(last.bias[:half], last.bias[half:])
    train(large.train(), shape)
    assert not torch.allclose(last.bias[:half], last.bias[half:])


def test_a_new_part_learns(shape: Shape) -> None:
    spec = SPECS['flat']
    small = build_network(spec, shape, Head(), seed=1)
    large = build_network(join(spec), shape, Head(), seed=2)
    inherit(small, large, seed=3)
    before = large.body.bodies[1][0].weight.detach().clone()
    train(large.train(), shape)
    assert not torch.equal(large.body.bodies[1][0].weight, before)


def test_noise_stays_as_strong(shape: Shape) -> None:
    small = build_network(SPECS['flat'], shape, Head(), seed=1)
    large = build_network(widen(SPECS['flat']), shape, Head(), seed=2)
    inherit(small, large, seed=3)
    seen = see(shape)
    spread = []
    for network in (small, large):
        network.train()
        outputs = []
        for draw in range(300):
            torch.manual_seed(draw)
            network.reset_noise()
            outputs.append(network(seen).detach())
        spread.append(torch.stack(outputs).std(dim=0).mean().item())
    assert spread[1] == pytest.approx(spread[0], rel=0.1)


@pytest.mark.parametrize(
    ('small', 'large', 'words'),
    [
        (NetworkSpec((Linear(8),)), NetworkSpec((Linear(8),), norm='layer'), 'another norm'),
        (
            NetworkSpec((Linear(8),), activation='tanh'),
            NetworkSpec((Linear(8), Linear(8)), activation='tanh'),
            'with tanh changes',
        ),
        (NetworkSpec((Linear(8),)), NetworkSpec((Linear(12),)), 'widths|width|place'),
        (NetworkSpec((Linear(8), Linear(8))), NetworkSpec((Linear(8),)), 'no place'),
        (NetworkSpec((Conv(4), Linear(8))), NetworkSpec((Linear(8),)), 'sees a board'),
        (NetworkSpec(()), NetworkSpec((Linear(8),)), 'nothing to inherit'),
        (join(NetworkSpec((Linear(8),))), NetworkSpec((Linear(8),)), 'fewer parts'),
    ],
)
def test_what_cannot_be_inherited(
    small: NetworkSpec, large: NetworkSpec, words: str, shape: Shape
) -> None:
    networks = [build_network(spec, shape, Head(), seed=1) for spec in (small, large)]
    with pytest.raises(NetworkError, match=words):
        inherit(*networks, seed=1)


def test_networks_side_by_side_in_files() -> None:
    spec = SPECS['ensemble']
    assert NetworkSpec.from_dict(spec.to_dict()) == spec
    assert str(spec) == 'conv 4 (3x3), linear 6 beside linear 10'
    assert 'beside' not in NetworkSpec((Linear(8),)).to_dict()
    for wrong, words in (
        (3, 'beside must be a list'),
        ([{'layers': [{'dense': 3}]}], r'beside\[0\]: layers\[0\]: no layer'),
        ([{'layers': [{'gru': 3}]}], 'layers that remember cannot stand beside'),
        ([{'layers': [], 'beside': [{'layers': []}]}], 'none beside it'),
    ):
        with pytest.raises(NetworkError, match=words):
            NetworkSpec.from_dict({'layers': [], 'beside': wrong})
