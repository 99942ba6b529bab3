"""Compiled networks say what PyTorch says, for all kinds of layers and any number of rows."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

import torch

from gdl_agents.learning.alphazero.compiled_network import (
    CompiledNetwork,
    UnknownLayerError,
    find_tile,
)
from gdl_agents.learning.alphazero.inference import Inference
from gdl_agents.learning.alphazero.model import PolicyValueNetwork, build_policy_value
from gdl_agents.learning.networks import Conv, Linear, NetworkSpec, Residual, Shape
from gdl_env.engine.mapping import open_encoding
from gdl_env.language.library import find_game
from gdl_env.language.load import load_game

pytestmark = pytest.mark.torch

SPECS = {
    'usual': NetworkSpec((Conv(32), Residual(1), Conv(8, kernel=1), Linear(128))),
    'odd widths': NetworkSpec((Conv(40, kernel=5), Conv(3, kernel=1), Linear(33), Linear(7))),
    'no linear layer': NetworkSpec((Conv(5), Residual(2, kernel=1))),
    'no board': NetworkSpec((Linear(96), Residual(2), Linear(50))),
}
# Boards of 7 x 6 cells, 8 x 8 (two tiles a row) and 3 x 3.
GAMES = 'connect_four', 'breakthrough', 'tictactoe'


def make(game: str, spec: NetworkSpec) -> PolicyValueNetwork:
    loaded = load_game(find_game(game))
    shape = Shape.of(loaded, open_encoding(loaded))
    return build_policy_value(spec, shape, 2, seed=1).eval()


def see(network: PolicyValueNetwork, game: str, rows: int) -> np.ndarray:
    loaded = load_game(find_game(game))
    entries = open_encoding(loaded).observation_size
    return (np.random.default_rng(rows).random((rows, entries)) < 0.3).astype(np.uint8)


def compare(network: PolicyValueNetwork, compiled: CompiledNetwork, seen: np.ndarray) -> None:
    with torch.inference_mode():
        logits, values = network(torch.from_numpy(seen).float())
    found = compiled.evaluate(seen)
    np.testing.assert_allclose(found[0], logits.numpy(), atol=2e-5)
    np.testing.assert_allclose(found[1], torch.sigmoid(values).numpy(), atol=2e-5)


@pytest.mark.parametrize('name', SPECS)
@pytest.mark.parametrize('game', GAMES)
def test_it_says_the_same(game: str, name: str) -> None:
    network = make(game, SPECS[name])
    for tile in (7, 3):
        compiled = CompiledNetwork(network, tile)
        for rows in (0, 1, 5, 56, 130):
            compare(network, compiled, see(network, game, rows))


def test_rows_do_not_depend_on_each_other() -> None:
    network = make('connect_four', SPECS['usual'])
    compiled = CompiledNetwork(network, 7)
    seen = see(network, 'connect_four', 60)
    together = compiled.evaluate(seen)
    alone = [compiled.evaluate(seen[i : i + 1]) for i in range(60)]
    assert np.array_equal(together[0], np.concatenate([logits for logits, _ in alone]))
    assert np.array_equal(together[1], np.concatenate([values for _, values in alone]))


def test_it_takes_over_new_weights() -> None:
    network = make('connect_four', SPECS['usual'])
    inference = Inference(network)
    seen = see(network, 'connect_four', 3)
    before = inference.evaluate(seen)[0]
    with torch.no_grad():
        for weights in network.parameters():
            weights.mul_(1.5)
    assert np.array_equal(inference.evaluate(seen)[0], before)
    inference.refresh()
    with torch.inference_mode():
        wanted = network(torch.from_numpy(seen).float())[0].numpy()
    np.testing.assert_allclose(inference.evaluate(seen)[0], wanted, atol=2e-2)
    if find_tile():
        np.testing.assert_allclose(inference.evaluate(seen)[0], wanted, atol=1e-4)


@pytest.mark.parametrize(
    'spec',
    [
        NetworkSpec((Linear(32),), norm='layer'),
        NetworkSpec((Conv(32), Linear(32)), activation='elu'),
        NetworkSpec((Linear(32),), beside=(NetworkSpec((Linear(32),)),)),
    ],
)
def test_other_layers_are_left_to_pytorch(spec: NetworkSpec) -> None:
    network = make('connect_four', spec)
    with pytest.raises(UnknownLayerError):
        CompiledNetwork(network, 7)
    seen = see(network, 'connect_four', 4)
    with torch.inference_mode():
        wanted = network(torch.from_numpy(seen).float())[0].numpy()
    # Perhaps in bfloat16.
    np.testing.assert_allclose(Inference(network).evaluate(seen)[0], wanted, atol=2e-2)
