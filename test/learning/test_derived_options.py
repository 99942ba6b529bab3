"""Options that follow from a game: what is found, what is chosen, and what a user says."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip('torch', reason='PyTorch is not installed')

from gdl_agents.learning.training.algorithm_options import learner_section
from gdl_agents.learning.training.config import TrainingConfig
from gdl_agents.learning.training.config_file import make_config, read_config
from gdl_agents.learning.training.derived_options import derive_options, describe_given
from gdl_env.cli.game_options import load

pytestmark = pytest.mark.torch

# What is found of some games: by hand, from their rules.
FOUND = [
    ('tictactoe', {'is_zero_sum': True, 'positions': 5_478, 'symmetries': 8, 'has_board': True}),
    ('nim', {'is_zero_sum': True, 'positions': 752, 'has_board': False, 'goals': (0, 100)}),
    ('connect_four', {'is_zero_sum': True, 'positions': 0, 'symmetries': 2, 'has_board': True}),
    ('krieg_tictactoe', {'is_zero_sum': False, 'has_secrets': True, 'has_chance': False}),
    ('pig', {'has_chance': True, 'has_secrets': False, 'positions': 0}),
    ('lazerbike', {'is_simultaneous': True, 'roles': 2}),
]
# What follows: the options of a game, and the algorithm.
CHOSEN = [
    ('tictactoe', 'rainbow', {'exact': 256, 'until_proved': True, 'atoms': 3, 'gamma': 1.0}),
    ('nim', 'rainbow', {'network': 'flat', 'n_step': 1}),
    ('connect_four', 'alphazero', {'lanes': 128, 'network': 'light', 'capacity': 100_000}),
    ('krieg_tictactoe', 'mmd', {'lanes': 256, 'network': 'recurrent'}),
]
# Of Rainbow, where it is asked for though another suits better.
ASKED = [
    ('connect_four', {'network': 'default', 'gamma': 0.99, 'advice': 64}),
    ('krieg_tictactoe', {'n_step': 2}),
]


@pytest.mark.parametrize(('name', 'facts'), FOUND)
def test_facts(name: str, facts: dict[str, object]) -> None:
    found = derive_options(load(name)).facts
    assert {key: getattr(found, key) for key in facts} == facts


@pytest.mark.parametrize(('name', 'algorithm', 'options'), CHOSEN)
def test_choices(name: str, algorithm: str, options: dict[str, object]) -> None:
    derivation = derive_options(load(name))
    assert derivation.recommended == algorithm
    config = make_config(derivation.options(), {'game': name})
    assert config.algorithm == algorithm
    _check(config, options)


@pytest.mark.parametrize(('name', 'options'), ASKED)
def test_choices_for_an_algorithm_that_is_asked_for(name: str, options: dict[str, object]) -> None:
    given = {'algorithm': 'rainbow'}
    derivation = derive_options(load(name), given)
    _check(make_config(derivation.options(), {'game': name, **given}), options)
    assert 'algorithm = rainbow: as you said' in derivation.explain()
    assert f'Recommended algorithm: {derivation.recommended}' in derivation.explain()


def _check(config: TrainingConfig, options: dict[str, object]) -> None:
    learner = getattr(config, learner_section(config.algorithm))
    values = {**vars(config), **vars(learner)}
    assert {key: values[key] for key in options} == options
    # Nobody errs unless that is asked for, and nothing is learned from dozens of times.
    assert config.learner.opponent_error == 0
    if learner is config.learner:
        assert learner.updates * learner.batch <= 8.1


# What is said, by hand, and the algorithm that has it.
SAID = [
    ({}, 'alphazero'),
    ({'playouts': 50}, 'alphazero'),
    ({'mode': 'gate'}, 'rainbow'),
    ({'role': 'white'}, 'rainbow'),
    ({'atoms': 51}, 'rainbow'),
    ({'spread': 0.1}, 'mmd'),
]


@pytest.mark.parametrize(('given', 'algorithm'), SAID)
def test_the_algorithm_has_all_that_is_said(given: dict[str, object], algorithm: str) -> None:
    derivation = derive_options(load('breakthrough(size=4)'), given)
    choice = next(choice for choice in derivation.choices if choice.name == 'algorithm')
    assert choice.value == algorithm
    assert (algorithm == 'alphazero') == (choice.reason == derivation.because)


def test_time_instead_of_episodes() -> None:
    given = {'seconds': 60}
    config = make_config(derive_options(load('breakthrough(size=4)'), given).options(), given)
    assert config.seconds == 60 and config.episodes > 10_000_000


def test_little_time_is_not_spread_over_many_lanes() -> None:
    """Later games learn from earlier ones, which must have ended."""
    game, lanes = load('breakthrough(size=4)'), []
    for seconds in (1, 60, 6_000):
        given = {'seconds': seconds, 'algorithm': 'alphazero'}
        config = make_config(derive_options(game, given).options(), given)
        lanes.append(config.lanes)
    assert lanes[0] == 8 and lanes == sorted(lanes) and lanes[2] == 128


def test_a_training_file_says_the_same(tmp_path: Path) -> None:
    given = {'game': 'krieg_tictactoe', 'algorithm': 'rainbow', 'learner': {'n_step': 5}}
    derivation = derive_options(load('krieg_tictactoe'), describe_given(given))
    path = tmp_path / 'training.yaml'
    path.write_text(derivation.to_yaml())
    text = path.read_text()
    assert 'hidden information' in text and '# as you said\n  n_step: 5' in text
    told = make_config(derivation.options(), given)
    assert make_config(read_config(path), {'game': 'krieg_tictactoe'}) == told
    # Every choice has its reason, above it.
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for before, line in pairwise(lines):
        assert line.startswith('#') or line == 'learner:' or before.startswith('#')


def test_what_an_algorithm_is_stays() -> None:
    given = {'algorithm': 'dqn'}
    config = make_config(derive_options(load('pig'), given).options(), given)
    assert (config.learner.n_step, config.learner.atoms, config.learner.noisy) == (1, 1, False)
    # That of mmd: as many decisions in every game, as far as that is sensible.
    given = {'algorithm': 'mmd'}
    config = make_config(derive_options(load('kuhn_poker'), given).options(), given)
    assert config.episodes == 500_000 and config.lanes == 256
    # That of alphazero: as many decisions, since each of them is searched.
    given = {'algorithm': 'alphazero'}
    long, short = (
        make_config(derive_options(load(name), given).options(), given)
        for name in ('pig', 'breakthrough(size=4)')
    )
    assert 500 <= long.episodes < short.episodes <= 50_000 and long.level_games < short.level_games
    # A part of a game, or another reward than goals, is not solved.
    for part in ({'role': 'x'}, {'mode': 'fixed:legal'}, {'reward': 'a:b'}):
        assert not derive_options(load('tictactoe'), part).facts.positions
