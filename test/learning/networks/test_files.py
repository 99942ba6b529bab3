"""Networks in files: what is read, what is written, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip('torch', reason="pip install '.[learn]'")
pytest.importorskip('yaml', reason='pip install pyyaml')

from gdl_agents.learning.networks import (
    Conv,
    Head,
    Linear,
    NetworkError,
    NetworkSpec,
    Residual,
    build_network,
    load_network,
    save_network,
)

pytestmark = pytest.mark.torch

FOLDER = Path(__file__).resolve().parents[3] / 'config' / 'networks'
LAYERS = 'layers: [linear: 8]\n'

# What a file says, and what is said about it.
WRONG = [
    ('[', 'no YAML'),
    ('- linear: 8', 'expected keys such as `layers:`, got list'),
    ('', 'expected keys such as `layers:`, got NoneType'),
    ('activation: relu', 'layers must be a list, got None'),
    ('layers: linear', "layers must be a list, got 'linear'"),
    (LAYERS + 'layer: 3', "unknown key 'layer'; keys: name, input, layers, activation"),
    (LAYERS + 'activation: sigmoid', 'activation must be one of relu, elu, gelu, silu, tanh'),
    (LAYERS + 'norm: batch', "norm must be one of none, layer, got 'batch'"),
    (LAYERS + 'input: many', "input must be an integer from 1 on, got 'many'"),
    (LAYERS + 'output: 0', 'output must be an integer from 1 on, got 0'),
    (LAYERS + 'name: 3', 'name must be a text, got 3'),
    ('layers: [linear: 8, dense: 4]', "layers[1]: no layer named 'dense'; layers: linear, conv"),
    ('layers: [gru: 8, conv: 4]', 'layers[1]: conv after gru: the board is gone by then'),
    ('layers: [lstm: 0]', 'layers[0]: lstm: width must be an integer from 1 to 65536, got 0'),
    ('layers: [linear]', 'layers[0]: expected one of linear, conv, residual, gru, lstm'),
    ('layers: [linear: wide]', 'layers[0]: linear: width must be an integer from 1 to 65536'),
    ('layers: [linear: yes]', 'width must be an integer from 1 to 65536, got True'),
    ('layers: [linear: {units: 3}]', "layers[0]: linear: unknown key 'units'; keys: width"),
    ('layers: [conv: {kernel: 3}]', 'layers[0]: conv: channels is missing'),
    ('layers: [conv: {channels: 3, kernel: 2}]', 'layers[0]: conv: kernel must be odd, got 2'),
    ('layers: [residual: 1]', 'layers[0]: residual keeps the width before it'),
    ('layers: [linear: 8, conv: 3]', 'layers[1]: conv after linear'),
]  # fmt: skip

# What a file says, for which game, and what does not fit.
UNFIT = [
    (LAYERS + 'input: 29', 'connect_four', 'input is 29, but observations of this game have 135'),
    (LAYERS + 'output: 9', 'connect_four', 'output is 9, but this game has 7 actions'),
    ('layers: [conv: 8]', 'monty_hall', 'conv needs a board, and the mapping finds none'),
]


@pytest.mark.parametrize(('text', 'message'), WRONG)
def test_what_is_wrong_is_said_with_file_and_key(text, message, tmp_path):
    path = tmp_path / 'net.yaml'
    path.write_text(text)
    with pytest.raises(NetworkError) as caught:
        load_network(path)
    assert str(caught.value).startswith(f'{path}: ')
    assert message in str(caught.value)


@pytest.mark.parametrize(('text', 'game', 'message'), UNFIT)
def test_what_does_not_fit_is_said_when_it_is_loaded_and_when_it_is_built(
    text, game, message, tmp_path, shapes
):
    path = tmp_path / 'net.yaml'
    path.write_text(text)
    with pytest.raises(NetworkError) as caught:
        load_network(path, shapes(game))
    assert str(caught.value).startswith(f'{path}: ') and message in str(caught.value)
    with pytest.raises(NetworkError) as caught:
        build_network(load_network(path), shapes(game), Head())
    assert str(caught.value).startswith('net: ') and message in str(caught.value)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(NetworkError, match=r'none\.yaml: cannot be read: No such file'):
        load_network(tmp_path / 'none.yaml')
    with pytest.raises(NetworkError, match='cannot be written'):
        save_network(NetworkSpec(()), tmp_path / 'none' / 'net.yaml')


def test_short_and_long_forms_are_the_same(tmp_path):
    path = tmp_path / 'net.yaml'
    path.write_text('layers: [conv: 8, residual: 2, conv: {channels: 2, kernel: 1}, linear: 3]')
    spec = load_network(path)
    assert spec == NetworkSpec((Conv(8), Residual(2), Conv(2, 1), Linear(3)))
    assert spec.name == 'net'
    assert str(spec) == 'conv 8 (3x3), residual 2, conv 2 (1x1), linear 3'


def test_what_is_written_is_read_again(tmp_path):
    spec = NetworkSpec(
        (Conv(8, 5), Residual(2, 5), Linear(3)), 'silu', 'layer', input=9, output=2, name='ö'
    )
    save_network(spec, tmp_path / 'net.yaml')
    again = load_network(tmp_path / 'net.yaml')
    assert (again, again.name) == (spec, 'ö')


def test_the_network_of_the_paper(shapes):
    shape = shapes('tictactoe')
    spec = load_network(FOLDER / 'tictactoe_seed.yaml', shape)
    network = build_network(spec, shape, Head(dueling=False, atoms=1, noisy=False))
    sizes = [
        (m.in_features, m.out_features) for m in network.modules() if hasattr(m, 'in_features')
    ]
    assert sizes == [(29, 29), (29, 256), (256, 512), (512, 128), (128, 9)]


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*.yaml')), ids=lambda path: path.stem)
def test_files_that_are_shipped_are_good(path):
    assert load_network(path).layers
