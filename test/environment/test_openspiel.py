"""Our games are games of OpenSpiel: its own tests pass, and its algorithms agree with ours."""

from __future__ import annotations

from pathlib import Path

import pytest

pyspiel = pytest.importorskip('pyspiel', reason='pip install open_spiel')

from gdl_env.adapters import openspiel  # noqa: E402

GAMES = sorted(path.stem for path in (Path(__file__).parents[2] / 'games').glob('*.gdl'))
QUICK = {'kuhn_poker', 'tictactoe', 'goofspiel', 'simultaneous_krieg_tictactoe'}


@pytest.mark.parametrize(
    'name', [g if g in QUICK else pytest.param(g, marks=pytest.mark.slow) for g in GAMES]
)
def test_simulation(name: str) -> None:
    game = pyspiel.load_game(f'gdl(game={name},max_length=100000)')
    is_small = name in QUICK
    pyspiel.random_sim_test(game, num_sims=1, serialize=is_small, verbose=False)


def test_names_with_options() -> None:
    game = openspiel.load_game('hex(size=4)', unit=25.0)
    assert str(game) == 'gdl(game=hex[size:4],max_length=1000,unit=25.0)'
    assert game.max_utility() == 2
    again = pyspiel.load_game(str(game))
    assert again.num_distinct_actions() == 16
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(
    ('name', 'dynamics', 'utility', 'chance'),
    [
        ('tictactoe', 'SEQUENTIAL', 'ZERO_SUM', 'DETERMINISTIC'),
        ('kuhn_poker', 'SEQUENTIAL', 'ZERO_SUM', 'EXPLICIT_STOCHASTIC'),
        ('goofspiel', 'SIMULTANEOUS', 'ZERO_SUM', 'EXPLICIT_STOCHASTIC'),
        ('monty_hall', 'SEQUENTIAL', 'GENERAL_SUM', 'EXPLICIT_STOCHASTIC'),
    ],
)
def test_types(name: str, dynamics: str, utility: str, chance: str) -> None:
    found = openspiel.load_game(name).get_type()
    assert found.dynamics.name == dynamics
    assert found.utility.name == utility
    assert found.chance_mode.name == chance


@pytest.mark.parametrize(
    ('name', 'unit'),
    [('kuhn_poker', 25), pytest.param('goofspiel(cards=3)', 50, marks=pytest.mark.slow)],
)
def test_its_exploitability_is_ours(name: str, unit: float) -> None:
    from open_spiel.python.algorithms.exploitability import nash_conv
    from open_spiel.python.policy import UniformRandomPolicy

    from gdl_agents.solving.exploiting.exploitability import (
        measure_exploitability,
        uniform_strategy,
    )
    from gdl_agents.solving.tree.game_tree import build_tree
    from gdl_env.language.load import open_game

    game = openspiel.load_game(name, unit=unit)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    form = build_tree(open_game(name)).form
    ours = measure_exploitability(form, uniform_strategy(form)).nash_conv / unit
    assert ours == pytest.approx(nash_conv(game, UniformRandomPolicy(game)), abs=1e-9)


@pytest.mark.slow
def test_its_cfr_solves_our_rules() -> None:
    from open_spiel.python.algorithms.cfr import CFRPlusSolver
    from open_spiel.python.algorithms.exploitability import nash_conv

    game = openspiel.load_game('kuhn_poker', unit=25.0)
    solver = CFRPlusSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    assert nash_conv(game, solver.average_policy()) < 0.1


def test_what_players_know() -> None:
    game = openspiel.load_game('kuhn_poker')
    views = set()
    for card in (1, 2):
        state = game.new_initial_state()
        state.apply_action(0)
        state.apply_action(card - 1)
        assert state.current_player() == 0
        views.add(state.information_state_string(0))
        assert state.information_state_string(1) != state.information_state_string(0)
        observer = game.make_py_observer()
        observer.set_from(state, 0)
        assert observer.tensor.sum() == len(state.observation_string(0).split(') ('))
    # Alice cannot tell which card Bob has.
    assert len(views) == 1


def test_bots_play() -> None:
    from gdl_agents.learning.training.evaluation import Arena
    from gdl_agents.players.openspiel_bot import OpenSpielAgent
    from gdl_agents.players.random import RandomAgent
    from gdl_env.language.load import open_game

    arena = Arena(open_game('tictactoe'), 2)
    bot = OpenSpielAgent('mcts,simulations=20')
    scores = arena.play({'x': bot, 'o': RandomAgent()}, 4, 1)
    assert scores['x'].games == 4
    arena.close()
