"""What is learned of a puzzle: how near a goal is, which facts count moves, what is lost."""

from __future__ import annotations

from time import monotonic

import numpy as np
import pytest
from small_puzzles import game_of

from gdl_agents.search.puzzles.condition_search import ConditionSearch, make_lost_finder
from gdl_agents.search.puzzles.conditions import find_conditions
from gdl_agents.search.puzzles.goal_formula import make_goal_formula
from gdl_agents.search.puzzles.puzzle import Puzzle
from gdl_agents.search.puzzles.random_lines import play_random_lines
from gdl_agents.search.puzzles.rankings import Rankings
from gdl_agents.search.puzzles.search_effort import SearchEffort
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import States
from gdl_env.engine.batch.make import open_batch
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_term

# Three tiles on a track of seven cells; each moves by one cell at a time.
TRACKS = """
(role mover)
(tile a) (tile b) (tile c)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(count 0 1) (count 1 2) (count 2 3) (count 3 4) (count 4 5) (count 5 6) (count 6 7) (count 7 8)
(count 8 9) (count 9 10) (count 10 11) (count 11 12) (count 12 13) (count 13 14) (count 14 15)
(count 15 16) (count 16 17) (count 17 18) (count 18 19) (count 19 20)
(init (on a 4)) (init (on b 4)) (init (on c 4)) (init (moves 0))
(<= (legal mover (up ?t)) (true (on ?t ?x)) (succ ?x ?y))
(<= (legal mover (down ?t)) (true (on ?t ?y)) (succ ?x ?y))
(<= (next (on ?t ?y)) (does mover (up ?t)) (true (on ?t ?x)) (succ ?x ?y))
(<= (next (on ?t ?x)) (does mover (down ?t)) (true (on ?t ?y)) (succ ?x ?y))
(<= (next (on ?t ?x)) (true (on ?t ?x)) (not (does mover (up ?t))) (not (does mover (down ?t))))
(<= (next (moves ?m)) (true (moves ?n)) (count ?n ?m))
(<= done (true (on a 7)) (true (on b 1)) (true (on c 6)))
(<= terminal done)
(<= terminal (true (moves 20)))
(<= (goal mover 100) done)
(<= (goal mover 0) (not done))
"""

# A Latin square of order 3: what is filled in stays, and may leave a cell without a number.
LATIN = """
(role filler)
(number 1) (number 2) (number 3)
(init (open))
(<= (taken ?r ?c) (true (cell ?r ?c ?n)))
(<= (clash ?r ?c ?n) (true (cell ?r ?d ?n)) (number ?c))
(<= (clash ?r ?c ?n) (true (cell ?d ?c ?n)) (number ?r))
(<= (legal filler (fill ?r ?c ?n)) (number ?r) (number ?c) (number ?n) (not (taken ?r ?c))
    (not (clash ?r ?c ?n)))
(<= (legal filler stop) (true (open)))
(<= (next (cell ?r ?c ?n)) (true (cell ?r ?c ?n)))
(<= (next (cell ?r ?c ?n)) (does filler (fill ?r ?c ?n)))
(<= (next (open)) (true (open)) (not (does filler stop)))
(<= full (taken 1 1) (taken 1 2) (taken 1 3) (taken 2 1) (taken 2 2) (taken 2 3) (taken 3 1)
    (taken 3 2) (taken 3 3))
(<= terminal full)
(<= terminal (not (true (open))))
(<= (goal filler 100) full)
(<= (goal filler 0) (not full))
"""


def open_puzzle(text: str, name: str) -> tuple[CircuitBatch, Puzzle]:
    rules = open_batch(game_from_text(text, name))
    assert isinstance(rules, CircuitBatch)
    return rules, Puzzle(rules)


def states(number: int) -> SearchEffort:
    return SearchEffort(monotonic, float('inf'), number)


def tracks_at(rules: CircuitBatch, a: int, b: int, c: int, moves: int = 3) -> States:
    facts = [f'(on a {a})', f'(on b {b})', f'(on c {c})', f'(moves {moves})']
    return rules.from_state(frozenset(map(read_term, facts)))


def test_distance_grows_with_every_step_away() -> None:
    rules, puzzle = open_puzzle(TRACKS, 'tracks')
    chance = np.random.default_rng(1)
    lines = play_random_lines(puzzle, rules.initial[0], 64, chance, states(100_000))
    rankings = Rankings(puzzle, lines)
    assert 'distance' in rankings.names
    rank = rankings.make('distance', chance)
    # 0, 1, 2, 6, 9 and 17 moves from the goal.
    places = [(7, 1, 6), (7, 2, 6), (6, 1, 5), (4, 2, 4), (4, 4, 3), (1, 7, 1)]
    met = np.concatenate([tracks_at(rules, *place) for place in places])
    values = rank(met, np.ones(len(met), np.int64), np.ones(len(met), np.int64))
    assert (np.diff(values) < -1e-2).all()
    assert values[0] == pytest.approx(1.0, abs=2e-3)


def test_clock_is_found_among_the_facts() -> None:
    rules, puzzle = open_puzzle(TRACKS, 'tracks')
    lines = play_random_lines(
        puzzle, rules.initial[0], 64, np.random.default_rng(1), states(100_000)
    )
    bits = rules.unpack(lines.find_clock()[None])[0]
    names = {str(rules.facts[k]) for k in np.flatnonzero(bits)}
    assert {f'(moves {n})' for n in range(1, 19)} <= names
    assert not any(name.startswith('(on') for name in names)


def test_conditions_are_met_one_by_one() -> None:
    rules, puzzle = open_puzzle(LATIN, 'latin')
    start = rules.initial[0]
    lines = play_random_lines(puzzle, start, 64, np.random.default_rng(1), states(100_000))
    formula = make_goal_formula(rules, puzzle.role, 100)
    steps = puzzle.list_steps(start[None])
    first = start[None][steps.parent], steps.states, steps.rows
    conditions = find_conditions(formula, lines, first)
    assert len(conditions.nodes) == 9
    assert not conditions.is_brittle.any()
    search = ConditionSearch(puzzle, start, 1 << 20, formula, conditions)
    search.run(states(2_000))
    assert (search.best.goal, len(search.best.rows)) == (100, 9)
    assert not search.is_complete


def test_what_no_move_mends_is_lost() -> None:
    text = LATIN.replace('(<= (goal filler 100) full)', '(<= (goal filler 100) full fine)')
    text = text.replace(
        '(not full))\n', '(not full))\n(<= fine (true (open)) (not bad) (not ugly))'
    )
    text += '(<= bad (true (cell 1 1 1))) (<= ugly (true (cell 2 2 1)))'
    rules, puzzle = open_puzzle(text, 'brittle')
    start = rules.initial[0]
    lines = play_random_lines(puzzle, start, 64, np.random.default_rng(1), states(100_000))
    formula = make_goal_formula(rules, puzzle.role, 100)
    steps = puzzle.list_steps(start[None])
    first = start[None][steps.parent], steps.states, steps.rows
    find_lost = make_lost_finder(formula, find_conditions(formula, lines, first))
    lost = [str(rules.legal_move(int(row))[1]) for row in steps.rows[find_lost(steps.states)]]
    assert sorted(lost) == ['(fill 1 1 1)', '(fill 2 2 1)', 'stop']


def test_no_ranking_looks_into_rules_that_do_not_compile() -> None:
    from gdl_env.engine.batch.engine_batch import EngineBatch
    from gdl_env.engine.registry import open_engine

    rules = EngineBatch(open_engine(game_of('prizes'), 'firstorder'))
    puzzle = Puzzle(rules)
    chance = np.random.default_rng(1)
    lines = play_random_lines(puzzle, rules.initial[0], 2, chance, states(1_000))
    rankings = Rankings(puzzle, lines)
    assert rankings.formula is None
    assert not {'distance', 'goal', 'novelty'} & set(rankings.names)
    rules.close()
