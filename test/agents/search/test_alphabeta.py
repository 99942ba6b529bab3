"""Alpha-beta against values that others found."""

from functools import cache

import numpy as np
import pytest
from search_games import LOTTERY, MATRIX, THREE, WEIGHTED, game_of, play, rules_of

from gdl_agents.registry import open_agent
from gdl_agents.search.alphabeta.breadth import BreadthSearch
from gdl_agents.search.alphabeta.linear import LinearEvaluation
from gdl_agents.search.alphabeta.search import AlphaBetaSearch
from gdl_agents.search.game.simulation import Simulation
from gdl_env.environment.environment import Environment

MANY = 10**9


def value(name: str, role: int, state: np.ndarray | None = None, depth: int = 64) -> float:
    rules = rules_of(name)
    row = rules.initial[0] if state is None else state
    return AlphaBetaSearch(rules).run(row, role, depth, MANY, 1).value


def test_tictactoe_is_a_draw() -> None:
    rules = rules_of('tictactoe')
    found = AlphaBetaSearch(rules).run(rules.initial[0], 0, 9, MANY, 1)
    assert found.value == 50
    assert found.is_exact
    assert len(found.best) == 9


def test_many_moves_take_no_more_room_than_there_is() -> None:
    rules = rules_of('connect_four')
    search = AlphaBetaSearch(rules)
    # As if positions had more moves than there is room for at every depth.
    room = np.full(500, -7, np.int32)
    search._plies = search._plies._replace(rows=room[:40])
    found = search.run(rules.initial[0], 0, 12, MANY, 1)
    assert (room[40:] == -7).all()
    assert (found.depth, found.is_exact) == (12, False)
    assert len(found.rows) == 7
    # Whatever fits is searched as before: a win two moves ahead.
    simulation = Simulation(rules)
    for column in (4, 4, 5, 5):
        (role,) = (role for role, moves in simulation.all_choices().items() if len(moves) > 1)
        simulation.do({role: simulation.choices(role)[column - 1]})
    state = rules.from_state(simulation.state)[0]
    assert search.run(state, 0, 12, MANY, 2).value == 100
    assert (room[40:] == -7).all()


def test_values_are_those_of_open_spiel() -> None:
    """Every position of tic-tac-toe three moves in, solved on another implementation."""
    pyspiel = pytest.importorskip('pyspiel', reason='open_spiel is not installed')
    theirs = pyspiel.load_game('tic_tac_toe')
    rules = rules_of('tictactoe')
    search = AlphaBetaSearch(rules)

    @cache
    def solve(history: tuple[int, ...]) -> float:
        state = theirs.new_initial_state()
        for action in history:
            state.apply_action(action)
        if state.is_terminal():
            return float(state.returns()[0])
        values = [solve((*history, action)) for action in state.legal_actions()]
        return max(values) if state.current_player() == 0 else min(values)

    simulation = Simulation(rules)
    x, o = rules.roles
    chance = np.random.default_rng(3)
    for _ in range(60):
        simulation.place()
        history: list[int] = []
        for ply in range(int(chance.integers(1, 7))):
            if simulation.is_terminal:
                break
            role = (x, o)[ply % 2]
            moves = simulation.choices(role)
            move = moves[int(chance.integers(len(moves)))]
            row, column = (int(str(arg)) for arg in move.args)
            history.append(3 * (row - 1) + column - 1)
            other = (x, o)[1 - ply % 2]
            rest = {other: simulation.choices(other)[0]} if simulation.choices(other) else {}
            simulation.do({role: move, **rest})
        if simulation.is_terminal:
            continue
        state = rules.from_state(simulation.state)[0]
        mover = len(history) % 2
        found = search.run(state, mover, 9, MANY, len(history)).value
        sign = 1 if mover == 0 else -1
        assert (found - 50) / 50 == sign * solve(tuple(history))


def test_tactics_of_connect_four_are_those_of_bitbully() -> None:
    """What eight moves decide must agree with a perfect player."""
    bitbully = pytest.importorskip('bitbully', reason='bitbully is not installed')
    oracle = bitbully.BitBully()
    rules = rules_of('connect_four')
    search = AlphaBetaSearch(rules)
    red, yellow = rules.roles
    chance = np.random.default_rng(11)
    decided = 0
    for number in range(30):
        board, simulation = bitbully.Board(), Simulation(rules)
        for ply in range(22):
            column = int(chance.choice(board.legal_moves()))
            after = board.copy()
            after.play(column)
            if after.is_game_over():
                break
            board = after
            role = (red, yellow)[ply % 2]
            move = next(m for m in simulation.choices(role) if str(m.args[0]) == str(column + 1))
            simulation.do({role: move})
        mover = board.count_tokens() % 2
        state = rules.from_state(simulation.state)[0]
        found = search.run(state, mover, 8, MANY, number)
        if found.value in (0.0, 100.0):
            decided += 1
            scores = oracle.score_all_moves(board)
            assert (max(scores.values()) > 0) == (found.value == 100)
            best = {int(str(rules.legal_move(int(r))[1].args[0])) - 1 for r in found.best}
            if found.value == 100:
                assert all(scores[column] > 0 for column in best)
    assert decided > 5


@pytest.mark.parametrize('name', ['connect_four', 'tictactoe', 'breakthrough'])
def test_pruning_leaves_values_as_they_are(name: str) -> None:
    rules = rules_of(name)
    search = AlphaBetaSearch(rules)
    chance = np.random.default_rng(2)
    simulation = Simulation(rules)
    for number in range(6):
        simulation.place()
        for _ in range(int(chance.integers(2, 9))):
            if simulation.is_terminal:
                break
            simulation.do({r: m[int(chance.integers(len(m)))] for r, m in _moves(simulation)})
        if simulation.is_terminal:
            continue
        state = rules.from_state(simulation.state)
        for role in rules.players:
            if len(simulation.choices(rules.roles[role])) < 2:
                continue
            plain = BreadthSearch(rules, role).run(state, 3)
            rows, values, depth = plain.row, plain.value, plain.depth
            found = search.run(state[0], role, depth, MANY, number)
            assert found.value == values.max()
            if found.depth == depth and found.value > 0:
                assert set(found.best.tolist()) == set(rows[values == values.max()].tolist())


def _moves(simulation: Simulation) -> list[tuple[object, tuple[object, ...]]]:
    return [(role, moves) for role, moves in simulation.all_choices().items() if moves]


def test_moves_at_the_same_time_are_answered_by_the_worst() -> None:
    # Up: 80 or 10. Down: 40 or 30.
    assert value(MATRIX, 0) == 30
    # Left: 20 or 60. Right: 90 or 70.
    assert value(MATRIX, 1) == 70


def test_chance_counts_as_its_mean() -> None:
    assert value(LOTTERY, 0) == 40
    rules = rules_of(WEIGHTED)
    plain = BreadthSearch(rules, 0).run(rules.initial, 2)
    pairs = zip(plain.row, plain.value, strict=True)
    found = {str(rules.legal_move(int(r))[1]): v for r, v in pairs}
    assert found == {'safe': 60.0, '(draw urn)': 75.0}


def test_all_others_are_against_one() -> None:
    # If b did as a likes, 1 would be better.
    assert value(THREE, 0) == 50
    simulation = Simulation(rules_of(THREE))
    a = simulation.rules.roles[0]
    simulation.do({a: simulation.choices(a)[0]})
    assert value(THREE, 1, simulation.rules.from_state(simulation.state)[0]) == 100


def test_two_ways_on_one_game() -> None:
    """Experiments, for which there is no compiled search, are played all the same."""
    scores = play(WEIGHTED, ('alphabeta',), 200)['player']
    assert scores.goals / scores.games == pytest.approx(75, abs=10)


def test_linear_evaluations_are_the_same_in_compiled_search() -> None:
    rules = rules_of('connect_four')
    weights = {
        'red': {'(disc 4 1 red)': 1.0, '(disc 1 1 red)': 0.5},
        'yellow': {'(disc 4 1 yellow)': 1.0},
    }
    evaluation = LinearEvaluation(weights)
    search = AlphaBetaSearch(rules, evaluation.weights_of(rules, 0))
    for depth in (1, 2, 3):
        found = search.run(rules.initial[0], 0, depth, MANY, depth)
        plain = BreadthSearch(rules, 0, evaluation=evaluation).run(rules.initial, depth)
        rows, values = plain.row, plain.value
        assert found.value == pytest.approx(values.max())
        assert found.best.tolist() == rows[values >= values.max() - 1e-6].tolist()


def test_positions_can_be_limited() -> None:
    rules = rules_of('connect_four')
    found = AlphaBetaSearch(rules).run(rules.initial[0], 0, 40, 5_000, 1)
    assert found.is_cut
    assert 0 < found.depth < 40
    assert len(found.best) >= 1
    # The state is as it was.
    again = AlphaBetaSearch(rules).run(rules.initial[0], 0, 2, MANY, 1)
    assert again.nodes == AlphaBetaSearch(rules).run(rules.initial[0], 0, 2, MANY, 1).nodes


def test_beats_the_lookahead_player() -> None:
    scores = play('connect_four', ('alphabeta', 'lookahead'), 60)
    assert scores['red'].wins > 36


def test_without_a_limit_it_searches_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('gdl_agents.search.players.alphabeta._FIRST', 10)
    environment = Environment.open(game_of('tictactoe'))
    agent = open_agent('alphabeta:depth=9,time=0')
    agent.begin(environment.info(), ('x',), 1)
    (question,) = environment.questions(only_decisions=True)
    assert agent.choose(question).action is not None
