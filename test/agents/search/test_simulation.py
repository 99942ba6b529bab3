"""Trying things out: the same on the circuit and on any other engine."""

import numpy as np
import pytest
from search_games import LOTTERY, MATRIX, game_of

from gdl_agents.search.engine_rules import EngineRules
from gdl_agents.search.opening import open_rules
from gdl_agents.search.simulation import Simulation
from gdl_env.engine.registry import open_engine
from gdl_env.errors import EngineError, GdlError, IllegalMoveError
from gdl_env.language.terms import Symbol


@pytest.fixture(params=['circuit', 'any'])
def make(request: pytest.FixtureRequest):
    def make_one(name: str) -> Simulation:
        if request.param == 'circuit':
            return Simulation(open_rules(game_of(name)))
        return Simulation(EngineRules(open_engine(game_of(name))))

    return make_one


@pytest.mark.parametrize('name', ['tictactoe', 'krieg_tictactoe', 'rock_paper_scissors', MATRIX])
def test_what_was_done_is_undone(make, name: str) -> None:
    simulation = make(name)
    chance = np.random.default_rng(1)
    states = []
    while not simulation.is_terminal:
        states.append(simulation.state)
        choices = {role: moves for role, moves in simulation.all_choices().items() if moves}
        if simulation.rules.is_serial:
            choices = dict([next(iter(choices.items()))])
        simulation.do({r: m[int(chance.integers(len(m)))] for r, m in choices.items()})
    assert all(goal is not None for goal in simulation.goals().values())
    copy = simulation.clone()
    for state in reversed(states):
        simulation.undo()
        assert simulation.state == state
        assert not simulation.is_terminal
    assert copy.is_terminal
    with pytest.raises(EngineError, match='nothing to undo'):
        simulation.undo()
    with pytest.raises(EngineError, match='nothing to undo'):
        copy.undo()


def test_values(make) -> None:
    simulation = make(LOTTERY)
    player = simulation.rules.roles[0]
    assert simulation.evaluate(player) == 50
    assert simulation.evaluate(player, lambda rules, states, role: np.array([7.0])) == 7
    simulation.do({player: Symbol('safe')})
    assert simulation.evaluate(player) == 40
    goals = simulation.playouts(10, 1)
    assert set(goals[:, 0].tolist()) == {40}
    simulation.place()
    assert len(simulation.children()) == 2
    assert {str(move) for move in simulation.choices(player)} == {'safe', 'risky'}


def test_what_cannot_be(make) -> None:
    simulation = make('tictactoe')
    with pytest.raises(GdlError, match='roles: x, o'):
        simulation.choices(Symbol('nobody'))


def test_moves_that_can_never_be_made() -> None:
    simulation = Simulation.open(game_of('tictactoe'))
    with pytest.raises(IllegalMoveError):
        simulation.do({simulation.rules.roles[0]: Symbol('fly')})
