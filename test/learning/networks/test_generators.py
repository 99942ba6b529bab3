"""Networks made from games: sensible for all there are, and replaceable."""

from __future__ import annotations

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
    count_parameters,
    generate,
    generator_names,
    generators,
    register_generator,
)
from gdl_env.importing import HookError

pytestmark = pytest.mark.torch


@pytest.mark.parametrize('name', ['default', 'flat', 'small'])
def test_every_game_gets_a_network_of_sensible_size(game_shape, name):
    spec = generate(game_shape, name)
    assert 1 <= len(spec.layers) <= 8
    assert 500 < count_parameters(spec, game_shape, Head(atoms=1)) < 6_000_000
    assert count_parameters(spec, game_shape, Head(atoms=3)) < 20_000_000
    network = build_network(spec, game_shape, Head(atoms=2))
    seen = torch.zeros(2, game_shape.observation_size)
    assert network(seen).shape == (2, game_shape.action_size, 2)


def test_boards_get_convolutions_where_these_pay(shapes):
    for name in ('connect_four', 'hex'):
        assert isinstance(generate(shapes(name)).layers[0], Conv)
        assert isinstance(generate(shapes(name), 'flat').layers[0], Linear)
    for name in ('tictactoe', 'monty_hall'):
        assert isinstance(generate(shapes(name)).layers[0], Linear)


def test_larger_boards_and_more_rules_make_deeper_networks(shapes):
    def blocks(shape):
        return sum(x.blocks for x in generate(shape).layers if isinstance(x, Residual))

    assert blocks(shapes('hex')) > blocks(shapes('connect_four'))
    depths = [len(generate(Shape(50, 10, None, rules)).layers) for rules in (0, 32, 33, 65, 9_999)]
    assert depths == [2, 2, 3, 4, 5]


def test_sizes_stay_within_bounds():
    widths = [x.width for x in generate(Shape(10_000_000, 20_000, None, 900)).layers]
    assert widths == [256] * 4 + [64]
    assert generate(Shape(1, 1)).layers == (Linear(64), Linear(64))


def test_complexity_is_the_number_of_rules_with_conditions(shapes):
    assert shapes('tictactoe').complexity == 16
    assert shapes('tictactoe') == Shape(29, 9, None, 16)


def test_generators_of_others(monkeypatch, tmp_path, shapes):
    monkeypatch.setattr(generators, '_GENERATORS', dict(generators._GENERATORS))

    @register_generator('mine')
    def mine(shape: Shape) -> NetworkSpec:
        return NetworkSpec((Linear(shape.action_size),))

    assert 'mine' in generator_names()
    assert generate(Shape(5, 3), 'mine').layers == (Linear(3),)
    with pytest.raises(NetworkError, match="'default'"):
        register_generator('default')(mine)
    with pytest.raises(NetworkError, match="'a:b'"):
        register_generator('a:b')(mine)
    (tmp_path / 'hook.py').write_text(
        'from gdl_agents.learning.networks import Conv, NetworkSpec\n'
        'def board(shape): return NetworkSpec((Conv(2),))\n'
        'def wrong(shape): return 3\n'
        'number = 3\n'
    )
    hook = f'{tmp_path}/hook.py'
    assert generate(shapes('hex'), f'{hook}:board').has_board
    for name, error, message in (
        (f'{hook}:board', NetworkError, 'conv needs a board'),
        (f'{hook}:wrong', NetworkError, 'gave int instead of NetworkSpec'),
        (f'{hook}:number', NetworkError, 'no generator named'),
        (f'{hook}:none', HookError, 'there is no none'),
        ('nobody', NetworkError, "no generator named 'nobody'; generators: default, flat, small"),
    ):
        with pytest.raises(error, match=message):
            generate(Shape(5, 3), name)
