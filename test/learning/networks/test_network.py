"""Networks have the right shapes, learn in all their parts, and come back from a checkpoint."""

from __future__ import annotations

import io
from itertools import product

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
    build_body,
    build_network,
    count_parameters,
)

pytestmark = pytest.mark.torch

PLAIN = Head(dueling=False, atoms=1, noisy=False)
FLAT = NetworkSpec((Linear(16), Residual(1), Linear(12)))
BOARD = NetworkSpec((Conv(4), Residual(1), Conv(2, kernel=1), Linear(12)), norm='layer')
BODIES = {
    'flat': FLAT,
    'flat, normed': NetworkSpec(FLAT.layers, norm='layer', activation='gelu'),
    'board': BOARD,
    'board without linear': NetworkSpec((Conv(3, kernel=5),), activation='tanh'),
    'no layers': NetworkSpec(()),
}
HEADS = [
    Head(dueling, atoms, noisy, hidden=hidden)
    for dueling, atoms, noisy, hidden in product((True, False), (1, 5), (True, False), (0, 8))
]


@pytest.fixture
def shape(shapes):
    return shapes('connect_four')


def observations(shape: Shape, count: int = 6):
    return torch.randint(0, 2, (count, shape.observation_size)).float()


@pytest.mark.parametrize('spec', BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize('head', HEADS, ids=str)
def test_a_value_for_each_action_and_atom(spec, head, shape):
    network = build_network(spec, shape, head)
    values = network(observations(shape))
    assert values.dtype == torch.float32
    assert values.shape == ((6, 7) if head.atoms == 1 else (6, 7, 5))
    assert network(observations(shape, 1)).shape == (1, *values.shape[1:])
    assert network(observations(shape, 0)).shape == (0, *values.shape[1:])


@pytest.mark.parametrize('spec', BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize('head', HEADS, ids=str)
def test_gradients_reach_every_weight(spec, head, shape):
    network = build_network(spec, shape, head)
    (network(observations(shape, 32)) ** 2).sum().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize('atoms', [1, 5])
@pytest.mark.parametrize('hidden', [0, 8])
def test_advantages_have_the_mean_0(atoms, hidden, shape):
    network = build_network(FLAT, shape, Head(atoms=atoms, hidden=hidden))
    seen = observations(shape)
    value = network.head.value(network.body(seen)).view(6, 1, atoms)
    advantage = network(seen).view(6, 7, atoms) - value
    assert torch.allclose(advantage.mean(dim=1), torch.zeros(6, atoms), atol=1e-6)
    assert advantage.abs().max() > 0.01


def test_logits_become_probabilities(shape):
    probabilities = build_network(BOARD, shape, Head())(observations(shape)).softmax(dim=2)
    assert probabilities.shape == (6, 7, 51)
    assert torch.allclose(probabilities.sum(dim=2), torch.ones(6, 7))
    assert probabilities.std() > 0


def test_the_plain_network_is_what_its_layers_say(shapes):
    shape = shapes('tictactoe')
    network = build_network(NetworkSpec((Linear(4), Linear(3))), shape, PLAIN)
    weights = [parameter.detach() for parameter in network.parameters()]
    seen = observations(shape)
    values = (seen @ weights[0].T + weights[1]).relu()
    values = (values @ weights[2].T + weights[3]).relu()
    assert torch.allclose(network(seen), values @ weights[4].T + weights[5], atol=1e-6)


def test_the_body_stands_alone(shapes):
    for name, beside in (('hex', 2), ('connect_four', 51)):
        shape = shapes(name)
        body, features = build_body(NetworkSpec((Conv(3),)), shape)
        assert features == 3 * shape.planes.shape[1] * shape.planes.shape[2] + beside
        assert body(observations(shape)).shape == (6, features)


def test_the_seed_decides_the_weights_and_nothing_else_does(shape):
    before = torch.random.get_rng_state()
    first, same, other = (build_network(BOARD, shape, Head(), seed=seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    seen = observations(shape)
    assert torch.equal(first(seen), same(seen))
    assert not torch.equal(first(seen), other(seen))


@pytest.mark.parametrize('spec', [FLAT, BOARD], ids=['flat', 'board'])
def test_a_checkpoint_brings_back_the_same_network(spec, shape):
    network = build_network(spec, shape, Head(atoms=5)).eval()
    file = io.BytesIO()
    torch.save({'network': spec.to_dict(), 'weights': network.state_dict()}, file)
    file.seek(0)
    data = torch.load(file, weights_only=True)
    found = NetworkSpec.from_dict(data['network'])
    assert found == spec
    again = build_network(found, shape, Head(atoms=5)).eval()
    again.load_state_dict(data['weights'])
    seen = observations(shape)
    assert torch.equal(network(seen), again(seen))


def test_weights_are_counted_without_being_made(shapes):
    shape = shapes('tictactoe')
    assert count_parameters(NetworkSpec((Linear(10),)), shape, PLAIN) == 29 * 10 + 10 + 10 * 9 + 9
    for head in (Head(), PLAIN):
        network = build_network(BOARD, shape, head)
        assert count_parameters(BOARD, shape, head) == sum(p.numel() for p in network.parameters())


def test_what_makes_no_sense_is_said(shapes):
    with pytest.raises(NetworkError, match='atoms 0'):
        Head(atoms=0)
    with pytest.raises(NetworkError, match='got 0 and 9'):
        Shape(0, 9)
    with pytest.raises(NetworkError, match='places 29 entries, but an observation has 30'):
        Shape(30, 9, shapes('tictactoe').planes)
