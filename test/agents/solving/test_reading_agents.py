"""What agents do is read at every information set, and from games where that is too much."""

from __future__ import annotations

import numpy as np
import pytest

from gdl_agents.registry import open_agent
from gdl_agents.solving.exploiting.exploitability import measure_exploitability, uniform_strategy
from gdl_agents.solving.exploiting.reading_agents import read_strategy
from gdl_agents.solving.exploiting.sampled_exploitability import Effort, sample_exploitability
from gdl_agents.solving.methods.external_sampling import ExternalSampling
from gdl_agents.solving.tree.game_tree import build_tree
from gdl_agents.solving.tree.sight import open_sight
from gdl_env.language.load import open_game


def test_an_agent_that_tells_is_asked_once() -> None:
    tree = build_tree(open_game('goofspiel(cards=3)'))
    read = read_strategy(tree, [open_agent('random')] * 2)
    assert read.samples == (0, 0)
    np.testing.assert_allclose(read.strategy, uniform_strategy(tree.form))


def test_searchers_are_sampled() -> None:
    tree = build_tree(open_game('kuhn_poker'))
    agents = [open_agent('ismcts:playouts=200') for _ in tree.own]
    read = read_strategy(tree, agents, samples=2, seed=1)
    assert read.samples == (2, 2)
    assert read.illegal == 0
    found = measure_exploitability(tree.form, read.strategy)
    # A searcher that does not mix: better than random play (0.92 chips), no equilibrium.
    assert 0.1 < found.nash_conv / 25 < 0.92


def test_sampled_bounds_hold_the_exact_gains() -> None:
    game = open_game('kuhn_poker')
    tree = build_tree(game)
    exact = measure_exploitability(tree.form, uniform_strategy(tree.form))
    gains = sample_exploitability(
        game, lambda role: open_agent('random'), open_agent, Effort(1.5, 2000, seed=3)
    )
    for one, gain in zip(gains, exact.gains, strict=True):
        # A lower bound up to chance: three intervals are beyond doubt.
        assert one.gain - 3 * one.half < gain
        assert one.gain > 0.5 * gain


def test_external_sampling_improves() -> None:
    game = open_game('kuhn_poker')
    tree = build_tree(game)
    found = ExternalSampling(open_sight(game, 'rotate'), 1, 10_000).run(60, most=4096)
    strategy = uniform_strategy(tree.form)
    for player, part in enumerate(found.parts):
        known = {part.own.digests[path]: i for i, path in enumerate(part.own.paths)}
        own, start = tree.own[player], tree.form.sequence_start[player]
        for number, path in enumerate(own.paths):
            first = part.own.first[known[own.digests[path]]]
            place, count = start + own.first[number], own.count[number]
            strategy[place : place + count] = part.strategy[first : first + count]
    assert measure_exploitability(tree.form, strategy).nash_conv / 25 < 0.15


@pytest.mark.parametrize('agent', ['legal', 'tactical', 'openspiel:first_action'])
def test_any_agent_of_an_open_game(agent: str) -> None:
    if agent.startswith('openspiel'):
        pytest.importorskip('pyspiel', reason='pip install open_spiel')
        from gdl_agents.players.openspiel_bot import OpenSpielAgent

        agents = [OpenSpielAgent('first_action')] * 2
    else:
        agents = [open_agent(agent)] * 2  # type: ignore[assignment]
    tree = build_tree(open_game('rock_paper_scissors'))
    found = measure_exploitability(tree.form, read_strategy(tree, agents, 2).strategy)
    assert found.nash_conv >= -1e-9
