"""Searchers expect the turns that a match really takes, by each turn rule."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gdl_agents.players.random import RandomAgent
from gdl_agents.registry import open_agent
from gdl_agents.search.alphabeta.breadth import BreadthSearch
from gdl_agents.search.alphabeta.search import AlphaBetaSearch
from gdl_agents.search.game.random_games import is_contested, play_games
from gdl_agents.search.game.simulation import Simulation
from gdl_agents.search.game.turns import TurnOrder
from gdl_agents.search.players.player import SearchAgent
from gdl_agents.search.tree.forest import Forest
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text
from gdl_env.language.terms import Symbol

# b opens a door, and those behind it are able to take what is there: a or c, or b itself or c.
# Who does it decides, not how.
DOORS = """
(role a) (role b) (role c)
(init start)
(init (sees a something))
(door left) (door right)
(behind left a) (behind left c) (behind right b) (behind right c)
(way take) (way wait)
(<= (legal b (open ?door)) (true start) (door ?door))
(<= (legal ?r ?w) (true (opened ?door)) (behind ?door ?r) (way ?w))
(<= (next (opened ?door)) (does b (open ?door)))
(<= (next (took ?door ?r)) (true (opened ?door)) (does ?r ?w) (way ?w))
(<= terminal (true (took ?door ?r)))
(<= (goal b 10) (true (took left a))) (<= (goal b 90) (true (took left c)))
(<= (goal b 70) (true (took right b))) (<= (goal b 0) (true (took right c)))
(<= (goal a 100) (true (took left a))) (<= (goal a 0) (not (true (took left a))))
(<= (goal c 100) (true (took right c))) (<= (goal c 0) (not (true (took right c))))
"""
# What b gets for each door.
WORTH = {
    'rotate': {'left': 90, 'right': 0},
    'priority': {'left': 10, 'right': 70},
    'random': {'left': 50, 'right': 35},
    'first': {'left': 50, 'right': 35},
    'turns.py:choose': {'left': 50, 'right': 35},
}
RULES = ('rotate', 'priority', 'random', 'first')

# If a comes next, it may grab, unless b has done so before.
GRABBING = """
(role a) (role b) (role c)
(init start)
(init (sees a something))
(<= (legal b grab) (true start)) (<= (legal b rest) (true start))
(<= (legal b sleep) (true start))
(<= (legal a grab) (true second) (not (true (grabbed b)))) (<= (legal a rest) (true second))
(<= (legal a sleep) (true second))
(<= (legal c rest) (true second)) (<= (legal c sleep) (true second))
(<= (next second) (true start))
(<= (next (grabbed ?r)) (does ?r grab))
(<= (next done) (true second))
(<= terminal (true done))
(<= (goal a 100) (true (grabbed a))) (<= (goal a 50) (not (true (grabbed a))))
(<= (goal b 0) (true (grabbed a))) (<= (goal b 50) (not (true (grabbed a))))
(<= (goal c 0) (true (grabbed a))) (<= (goal c 50) (not (true (grabbed a))))
"""

# One of a and b puts a mark after a has begun; w, who does not see which of them, guesses.
GUESSING = """
(role w) (role a) (role b)
(init (stage 1))
(<= (legal a (begin ?n)) (true (stage 1)) (number ?n))
(<= (legal a (put ?n)) (true (stage 2)) (number ?n))
(<= (legal b (put ?n)) (true (stage 2)) (number ?n))
(<= (legal w (guess ?r)) (true (stage 3)) (other ?r))
(number 1) (number 2) (other a) (other b)
(<= (next (stage 2)) (true (stage 1)))
(<= (next (stage 3)) (true (stage 2)))
(<= (next (stage 4)) (true (stage 3)))
(<= (next (sees ?r mine)) (does ?r (put ?n)))
(<= (next (sees ?r mine)) (true (sees ?r mine)))
(<= (next (said ?r)) (does w (guess ?r)))
(<= terminal (true (stage 4)))
(<= right (true (said ?r)) (true (sees ?r mine)))
(<= (goal w 100) right) (<= (goal w 0) (not right))
(<= (goal ?r 0) right (other ?r)) (<= (goal ?r 100) (not right) (other ?r))
"""

# Two could always move; who did is seen, but not what.
RACING = """
(role a) (role b)
(init (stage 1))
(number 1) (number 2)
(successor 1 2) (successor 2 3) (successor 3 4)
(<= (legal ?r (put ?n)) (role ?r) (number ?n))
(<= (next (stage ?m)) (true (stage ?n)) (successor ?n ?m))
(<= (next (moved ?r ?n)) (true (stage ?n)) (does ?r (put ?k)))
(<= (next (moved ?r ?n)) (true (moved ?r ?n)))
(<= (next (sees ?r (last ?n))) (does ?r (put ?n)))
(<= terminal (true (stage 4)))
(goal a 50) (goal b 50)
"""


@cache
def game_of(text: str) -> Game:
    return game_from_text(text, 'test_turns')


@cache
def rules_of(text: str) -> CircuitBatch:
    rules = open_batch(game_of(text))
    assert isinstance(rules, CircuitBatch) and rules.is_serial
    return rules


def open_match(text: str, turn: str, lanes: int = 1, seed: int = 1) -> Environment:
    return Environment.open(
        game_of(text), Options(lanes=lanes, seed=seed, episodes=lanes, turn=turn)
    )


def choices(agent: str, text: str, turn: str, tries: int = 12) -> set[str]:
    """Return the moves that an agent chooses first, under several seeds."""
    environment = open_match(text, turn)
    (question,) = environment.questions(only_decisions=True)
    found = set()
    for seed in range(tries):
        player = open_agent(agent)
        player.begin(environment.info(), (question.role,), seed)
        answer = player.choose(question)
        assert answer.action is not None
        found.add(environment.info().moves[int(answer.action[0])])
    return found


def played_worth(turn: str, door: str) -> float:
    """Return what b gets in matches in which it opens a door, and all else is random."""
    lanes = 1 if turn == 'first' else 400
    goals = []
    # Where the first answer counts, either of the two may come first.
    for order in (('a', 'b', 'c'), ('c', 'b', 'a')):
        environment = open_match(DOORS, turn, lanes)
        agent = RandomAgent()
        agent.begin(environment.info(), environment.roles, 3)
        (question,) = environment.questions(only_decisions=True)
        action = environment.info().moves.index(f'(open {door})')
        first = Answer(question.tick, 'b', 'test', np.full(lanes, action, np.int32))
        environment.step({'b': first})
        asked = {q.role: q for q in environment.questions(only_decisions=True)}
        answers = {role: agent.choose(asked[role]) for role in order if role in asked}
        if turn == 'first':
            assert len(answers) == 2
        goals.append(environment.step(answers).feedback['b'].goal.mean())
    return float(np.mean(goals))


@pytest.mark.parametrize('turn', RULES)
@pytest.mark.parametrize('door', ['left', 'right'])
def test_what_really_happens(turn: str, door: str) -> None:
    """The table that all searchers are compared with."""
    assert played_worth(turn, door) == pytest.approx(WORTH[turn][door], abs=5)


@pytest.mark.parametrize('turn', WORTH)
def test_values_are_those_of_the_turn_rule(turn: str) -> None:
    rules, turns = rules_of(DOORS), TurnOrder.of(turn)
    b = rules.roles.index(Symbol('b'))

    def named(rows: np.ndarray, values: np.ndarray) -> dict[str, float]:
        names = [str(rules.legal_move(int(row))[1])[6:-1] for row in rows]
        return dict(zip(names, values.tolist(), strict=True))

    # Alpha-beta; level by level, with chance and turns as means.
    plain = BreadthSearch(rules, b, turns).run(rules.initial, 2)
    assert named(plain.row, plain.value) == WORTH[turn]
    # Compiled, with and without an evaluation (which is what evolution plays by).
    for weights in (None, np.zeros(len(rules.vocabulary.facts) + 1)):
        search = AlphaBetaSearch(rules, weights, turns)
        found = search.run(rules.initial[0], b, 2, 10_000, 1)
        assert found.value == max(WORTH[turn].values())
        best = named(found.rows, found.values)
        assert {door for door, value in best.items() if not np.isnan(value)} == _best(turn)
    # Trees.
    forest = Forest(rules, 1, turns=turns)
    root = forest.plant(rules.initial, b)
    for _ in range(60):
        forest.grow(np.repeat(root, 32))
    moves = forest.root_moves(int(root[0]), b)
    means = named(moves.rows, moves.means)
    for door, worth in WORTH[turn].items():
        assert 100 * means[door] == pytest.approx(worth, abs=6)


def _best(turn: str) -> set[str]:
    worth = WORTH[turn]
    return {door for door in worth if worth[door] == max(worth.values())}


@pytest.mark.parametrize('turn', WORTH)
def test_random_games_follow_the_turn_rule(turn: str) -> None:
    rules, turns = rules_of(DOORS), TurnOrder.of(turn)
    assert is_contested(rules)
    b = rules.roles.index(Symbol('b'))
    simulation = Simulation(rules, turns=turns)
    for door, worth in WORTH[turn].items():
        simulation.do(
            {Symbol('b'): next(m for m in simulation.choices(Symbol('b')) if door in str(m))}
        )
        assert simulation.playouts(600, 5)[:, b].mean() == pytest.approx(worth, abs=6)
        # One child for each role that may move, and each of its two moves.
        movers = 1 if turn in ('rotate', 'priority') else 2
        assert len(simulation.children()) == 2 * movers
        assert simulation.children().chance.sum() == pytest.approx(2)
        simulation.undo()
    # Where one role is able at a time, the engine's own random games are right.
    states = np.repeat(rules.initial, 5, axis=0)
    last = np.full(5, -1)
    assert play_games(rules, turns, states, last, 1).shape == (5, 3)


@pytest.mark.parametrize('turn', RULES)
@pytest.mark.parametrize(
    'agent',
    [
        'montecarlo:playouts=800',
        'mcts:playouts=800',
        'mcts:playouts=800,states=2',
        'ismcts:playouts=800',
    ],
)
def test_what_is_chosen_by_random_games(agent: str, turn: str) -> None:
    expected = {f'(open {door})' for door in _best(turn)}
    assert choices(agent, DOORS, turn, tries=3) == expected


@pytest.mark.parametrize(
    ('turn', 'doors'),
    [
        ('rotate', {'left'}),
        ('priority', {'right'}),
        # Another may win, whichever is opened.
        ('random', {'left', 'right'}),
        ('first', {'left', 'right'}),
    ],
)
def test_what_lookahead_avoids(turn: str, doors: set[str]) -> None:
    assert choices('lookahead', DOORS, turn) == {f'(open {door})' for door in doors}


@pytest.mark.parametrize(
    ('turn', 'moves'),
    [
        # c comes next, and cannot grab.
        ('rotate', {'grab', 'rest', 'sleep'}),
        ('priority', {'grab'}),
        ('random', {'grab'}),
        ('first', {'grab'}),
    ],
)
def test_what_tactical_blocks(turn: str, moves: set[str]) -> None:
    assert choices('tactical', GRABBING, turn, tries=30) == moves


@pytest.mark.parametrize(
    ('turn', 'guesses'), [('rotate', {'b'}), ('priority', {'a'}), ('random', {'a', 'b'})]
)
@pytest.mark.parametrize('agent', ['lookahead', 'ismcts:playouts=60'])
def test_who_must_have_moved_unseen(agent: str, turn: str, guesses: set[str]) -> None:
    said = set()
    for seed in range(10):
        environment = open_match(GUESSING, turn, seed=seed)
        player, others = open_agent(agent), RandomAgent()
        assert isinstance(player, SearchAgent)
        player.begin(environment.info(), ('w',), seed)
        others.begin(environment.info(), ('a', 'b'), seed)
        goal = np.zeros(1)
        while not environment.is_finished:
            answers: dict[str, Answer] = {}
            for question in environment.questions():
                if not question.is_decision:
                    if question.role == 'w':
                        player.notice(question)
                    continue
                is_own = question.role == 'w'
                answers[question.role] = (player if is_own else others).choose(question)
            step = environment.step(answers)
            goal = step.feedback['w'].goal
            said |= {move for move in step.moves if move.startswith('(guess')}
        assert player.blind == 0
        if len(guesses) == 1:
            assert goal[0] == 100
    assert said == {f'(guess {name})' for name in guesses}


def test_an_answer_that_came_too_late_is_thought_of() -> None:
    """By `first`, another may have moved where the player was asked as well."""
    environment = open_match(RACING, 'first')
    player, other = open_agent('lookahead'), RandomAgent()
    assert isinstance(player, SearchAgent)
    player.begin(environment.info(), ('b',), 1)
    other.begin(environment.info(), ('a',), 1)
    for number in range(3):
        asked = {question.role: question for question in environment.questions()}
        assert all(question.is_decision for question in asked.values())
        own = player.choose(asked['b'])
        assert player.blind == 0
        late = {'a': other.choose(asked['a']), 'b': own}
        environment.step(late if number % 2 else dict(reversed(late.items())))
