"""Lines that are found are legal and lead to their goals; none that is called best is not."""

from __future__ import annotations

import os
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from small_puzzles import PUZZLES, best_goal, game_of

from gdl_agents.search.puzzles.level_search import LevelSearch
from gdl_agents.search.puzzles.line import Line
from gdl_agents.search.puzzles.policy_search import PolicySearch
from gdl_agents.search.puzzles.puzzle import Puzzle, is_puzzle
from gdl_agents.search.puzzles.puzzle_search import PuzzleSearch
from gdl_agents.search.puzzles.search_effort import SearchEffort
from gdl_env.engine.batch.contract import BatchGame
from gdl_env.engine.batch.engine_batch import EngineBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.registry import open_engine
from gdl_env.language.game import Game
from gdl_env.language.load import load_game, open_game

_ROOT = Path(__file__).resolve().parents[4]
_CORPUS = Path(os.environ.get('GDL_CORPUS') or _ROOT.parent / 'shared' / 'gdl-corpus')
_ROOM = 200 << 20


def states(number: int) -> SearchEffort:
    """Return the effort of so many states."""
    return SearchEffort(monotonic, float('inf'), number)


def search_all(rules: BatchGame, key: int = 1, number: int = 200_000) -> PuzzleSearch:
    search = PuzzleSearch(Puzzle(rules), rules.initial[0], _ROOM, key)
    search.run(states(number))
    return search


def check_line(rules: BatchGame, game: Game, line: Line) -> None:
    """Play a line on an engine that knows nothing of the search, and compare the goal."""
    with open_engine(game, 'firstorder') as engine:
        state = engine.initial_state
        (role,) = engine.roles
        for row in line.rows:
            assert not engine.is_terminal(state)
            move = rules.legal_move(int(row))[1]
            assert move in engine.legal_moves(state)[role]
            state = engine.next_state(state, {role: move})
        assert engine.is_terminal(state)
        assert engine.goals(state)[role] == line.goal


@pytest.mark.parametrize('name', PUZZLES)
@pytest.mark.parametrize('key', [1, 2])
def test_finds_the_best_line_and_knows_it(name: str, key: int) -> None:
    rules = open_batch(game_of(name))
    search = search_all(rules, key)
    assert search.is_best
    assert search.best.goal == best_goal(name)
    check_line(rules, game_of(name), search.best)


@pytest.mark.parametrize('name', PUZZLES)
def test_any_engine_will_do(name: str) -> None:
    rules = EngineBatch(open_engine(game_of(name), 'firstorder'))
    search = search_all(rules, number=20_000)
    assert search.is_best
    assert search.best.goal == best_goal(name)
    rules.close()


@pytest.mark.parametrize('name', PUZZLES)
def test_every_way_finds_legal_lines(name: str) -> None:
    rules = open_batch(game_of(name))
    puzzle, start = Puzzle(rules), rules.initial[0]
    chance = np.random.default_rng(1)

    def draw(found: np.ndarray, choices: np.ndarray, room: np.ndarray) -> np.ndarray:
        return chance.random(len(found))

    ways = [
        LevelSearch(puzzle, start, _ROOM),
        LevelSearch(puzzle, start, _ROOM, draw, 3),
        LevelSearch(puzzle, start, _ROOM, draw, 8, ~np.zeros(len(start), np.uint64)),
        PolicySearch(puzzle, start, chance, None),
    ]
    for way in ways:
        way.run(states(20_000))
        assert way.best.goal > 0
        check_line(rules, game_of(name), way.best)
    # Only what has met all states may say that nothing is better.
    assert ways[0].is_complete or ways[0].best.goal == 100
    assert not any(way.is_complete for way in ways[1:] if way.best.goal < best_goal(name))


def test_the_same_seed_and_number_of_states_give_the_same_line() -> None:
    rules = open_batch(game_of('prizes'))
    lines = [search_all(rules, key=7, number=300).best for _ in range(2)]
    assert lines[0].goal == lines[1].goal
    assert lines[0].rows.tolist() == lines[1].rows.tolist()


def test_little_room_makes_no_false_claims() -> None:
    rules = open_batch(game_of('prizes'))
    search = LevelSearch(Puzzle(rules), rules.initial[0], 1)
    search.run(states(100_000))
    assert search.is_over
    assert not search.is_complete


@pytest.mark.parametrize(
    ('name', 'alone'),
    [('sokoban', True), ('pig', False), ('tictactoe', False), ('monty_hall', False)],
)
def test_what_a_puzzle_is(name: str, alone: bool) -> None:
    rules = open_batch(open_game(name))
    assert is_puzzle(rules) == alone


def test_solves_sokoban() -> None:
    game = open_game('sokoban')
    rules = open_batch(game)
    search = search_all(rules)
    assert search.best.goal == 100
    check_line(rules, game, search.best)


@pytest.mark.skipif(not _CORPUS.is_dir(), reason=f'no corpus of games at {_CORPUS}')
@pytest.mark.parametrize(
    'file',
    [
        'eightPuzzle-3ceb4e.kif',
        'peg_bugfixed-71ce90.gdl',
        'knightsTour-4f7c48.kif',
        'hidato-0a1c36.kif',
    ],
)
def test_solves_public_puzzles(file: str) -> None:
    game = load_game(_CORPUS / 'games' / file)
    rules = open_batch(game)
    search = search_all(rules, number=5_000_000)
    assert search.best.goal == 100
    check_line(rules, game, search.best)
