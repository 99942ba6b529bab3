"""Trying things out: the same on the circuit and on any other engine."""

from collections.abc import Sequence

import numpy as np
import pytest
from search_games import LOTTERY, MATRIX, WEIGHTED, game_of

from gdl_agents.search.game.simulation import Simulation
from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.contract import Move, Role
from gdl_env.engine.registry import open_engine
from gdl_env.errors import EngineError, GdlError, IllegalMoveError
from gdl_env.language.library import list_games
from gdl_env.language.load import open_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol


@pytest.fixture(params=['circuit', 'any'])
def make(request: pytest.FixtureRequest):
    def make_one(name: str) -> Simulation:
        if request.param == 'circuit':
            return Simulation(open_batch(game_of(name)))
        return Simulation(EngineBatch(open_engine(game_of(name))))

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


def test_experiments_are_drawn_by_the_caller(make) -> None:
    simulation = make(WEIGHTED)
    (player,) = simulation.rules.roles
    gamble = next(move for move in simulation.choices(player) if str(move) != 'safe')
    found = {str(move): weight for move, weight in simulation.outcomes(player, gamble)}
    assert found == {'(draw prize)': 0.75, '(draw blank)': 0.25}
    assert simulation.outcomes(player, Symbol('safe')) == [(Symbol('safe'), 1.0)]
    with pytest.raises(EngineError, match=r'urn must be drawn first; outcomes: \(draw prize\)'):
        simulation.do({player: gamble})
    with pytest.raises(IllegalMoveError):
        simulation.outcomes(player, read_term('(draw prize)'))
    # Nothing was done.
    with pytest.raises(EngineError, match='nothing to undo'):
        simulation.undo()
    simulation.do({player: next(m for m, _ in simulation.outcomes(player, gamble))})
    assert simulation.goals()[player] == 100


def test_the_pot_of_pig_stays() -> None:
    simulation = Simulation.open(game_of('pig'))
    alice, bob = simulation.rules.roles
    roll = simulation.choices(alice)[0]
    assert str(roll) == '(roll dice)'
    found = simulation.outcomes(alice, roll)
    assert [weight for _, weight in found] == pytest.approx([1 / 6] * 6)
    others = {bob: simulation.choices(bob)[0]} if simulation.choices(bob) else {}
    with pytest.raises(EngineError, match='dice must be drawn first'):
        simulation.do({alice: roll, **others})
    six = next(move for move, _ in found if str(move) == '(roll 6)')
    simulation.do({alice: six, **others})
    assert read_term('(pot 6)') in simulation.state


GAMES = sorted(path.stem for path in list_games())
# In the default run; all others are slow to compile.
FEW = {'goofspiel', 'kuhn_poker', 'pig', 'tictactoe'}


@pytest.mark.parametrize(
    'name', [n if n in FEW else pytest.param(n, marks=pytest.mark.slow) for n in GAMES]
)
def test_every_game_goes_forth_and_back(name: str) -> None:
    """Walk at random; each step undone is as if it had never been, and done again the same."""
    simulation = Simulation.open(open_game(name))
    chance = np.random.default_rng(7)

    def look() -> tuple[object, ...]:
        goals = simulation.goals() if simulation.is_terminal else None
        return simulation.state, simulation.is_terminal, goals, simulation.all_choices()

    def draw(role: Role, moves: Sequence[Move]) -> Move:
        move = moves[int(chance.integers(len(moves)))]
        outcomes = simulation.outcomes(role, move)
        weights = np.array([weight for _, weight in outcomes])
        assert weights.sum() == pytest.approx(1) and (weights > 0).all()
        return outcomes[int(chance.choice(len(outcomes), p=weights / weights.sum()))][0]

    seen = [look()]
    for _ in range(60):
        if simulation.is_terminal:
            break
        choices = {role: moves for role, moves in simulation.all_choices().items() if moves}
        if simulation.rules.is_serial:
            choices = dict([next(iter(choices.items()))])
        drawn = {role: draw(role, moves) for role, moves in choices.items()}
        simulation.do(drawn)
        after = look()
        simulation.undo()
        assert look() == seen[-1]
        simulation.do(drawn)
        assert look() == after
        seen.append(after)
    for before in reversed(seen[:-1]):
        simulation.undo()
        assert look() == before
    assert len(seen) > 1
