"""The circuit engine: agreement with Prolog, playouts, many states, search, cache."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
import threading

import numpy as np
import pytest
from random_walks import random_states

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import NO_MOVE
from gdl_env.engine.cache import cache_folder, read_entry, write_entry
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.native.native import variants
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.errors import EngineError
from gdl_env.language.game import Game
from gdl_env.language.library import find_game
from gdl_env.language.load import game_from_text, load_game
from gdl_env.language.terms import Symbol

GAMES = ('connect_four', 'krieg_tictactoe', 'monty_hall', 'rock_paper_scissors', 'tictactoe')


pytestmark = pytest.mark.usefixtures('own_cache')


@pytest.fixture(scope='module')
def connect_four() -> Iterator[CircuitEngine]:
    with CircuitEngine(load_game(find_game('connect_four'))) as engine:
        yield engine


@pytest.mark.prolog
@pytest.mark.parametrize('name', [*GAMES, 'simultaneous_krieg_tictactoe'])
def test_agrees_with_prolog(name: str) -> None:
    game = load_game(find_game(name))
    with CircuitEngine(game) as ours, PrologEngine(game) as theirs:
        assert ours.roles == theirs.roles
        assert ours.initial_state == theirs.initial_state
        for state, moves in random_states(theirs, 120, seed=4):
            assert ours.is_terminal(state) == theirs.is_terminal(state)
            assert ours.goals(state) == theirs.goals(state)
            if not moves:
                continue
            assert ours.legal_moves(state) == theirs.legal_moves(state)
            assert ours.next_state(state, moves) == theirs.next_state(state, moves)
            assert ours.percepts(state, moves) == theirs.percepts(state, moves)


def test_connect_four_results(connect_four: CircuitEngine) -> None:
    """100,000 random games, against the shares of 10^8 games of another program."""
    games = 100_000
    results = [tuple(p.goals.values()) for p in connect_four.playouts(games, 1, 1000)]
    for goals, share in (((100, 0), 0.5558), ((50, 50), 0.0026), ((0, 100), 0.4417)):
        error = (share * (1 - share) / games) ** 0.5
        assert abs(results.count(goals) / games - share) < 4 * error


def test_playouts_repeat_with_their_seed(connect_four: CircuitEngine) -> None:
    first = list(connect_four.playouts(3000, 5, 1000))
    assert first == list(connect_four.playouts(3000, 5, 1000))
    assert first != list(connect_four.playouts(3000, 6, 1000))
    cut = list(connect_four.playouts(50, 5, 3))
    assert {(p.steps, p.is_terminal) for p in cut} == {(3, False)}


def test_threads_play_the_same_games(connect_four: CircuitEngine) -> None:
    runs = [list(connect_four.play_batches(30_000, 9, 1000, threads)) for threads in (1, 2)]
    for one, two in zip(*runs, strict=True):
        assert np.array_equal(one.steps, two.steps)
        assert np.array_equal(one.goals, two.goals)


DICE = """
(role a) (random dice 1 1) (random dice 2 2) (random dice 5 3) (random dice 0 4)
(<= (random coin 1 ?s) (side ?s)) (side heads) (<= (side tails) (true start))
(init start)
(<= (legal a (roll dice coin)) (true start))
(<= (next (got ?x ?y)) (does a (roll ?x ?y)))
(<= terminal (true (got ?x ?y)))
(<= (goal a ?g) (true (got ?x heads)) (mult ?x 10 ?g))
(<= (goal a ?g) (true (got ?x tails)) (mult ?x 20 ?g))
"""


def test_weighted_chance_inside_the_circuit() -> None:
    with CircuitEngine(game_from_text(DICE)) as engine:
        state = engine.initial_state
        dice = {str(o.value): o.probability for o in engine.experiments(state)['dice']}
        assert dice == {'1': Fraction(1, 8), '2': Fraction(2, 8), '3': Fraction(5, 8)}
        games = 40_000
        goals = [p.goals[Symbol('a')] for p in engine.playouts(games, 3, 10)]
        expected = {10: 1 / 16, 20: 2 / 16 + 1 / 16, 30: 5 / 16, 40: 2 / 16, 60: 5 / 16}
        for goal, share in expected.items():
            error = (share * (1 - share) / games) ** 0.5
            assert abs(goals.count(goal) / games - share) < 4.5 * error
        assert set(goals) == set(expected)


def test_random_plays_alone_in_serial_games() -> None:
    """Monty Hall: a guest who plays at random wins half of the time."""
    with CircuitEngine(load_game(find_game('monty_hall'))) as engine:
        games = list(engine.playouts(20_000, 2, 100))
        (guest,) = [role for role in engine.roles if str(role) != 'random']
        wins = sum(p.goals[guest] == 100 for p in games) / len(games)
        assert all(p.is_terminal for p in games)
        assert abs(wins - 0.5) < 4 * (0.25 / len(games)) ** 0.5


def test_stuck_games_end() -> None:
    text = (
        '(role a) (init s) (<= (legal a go) (true s)) (next t) (goal a 7) (<= terminal (true z))'
    )
    with CircuitEngine(game_from_text(text)) as engine:
        assert {
            (p.steps, p.is_terminal, *p.goals.values()) for p in engine.playouts(9, 1, 50)
        } == {(1, False, 7)}


def test_cycles_on_the_ground() -> None:
    """Reachability over links that come and go is a least fixed point in every state."""
    text = """
    (role a) (node 1) (node 2) (node 3) (node 4)
    (init (link 1 2)) (init (link 3 4)) (init (step 0))
    (<= (legal a (add ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y))
    (<= (next (link ?x ?y)) (does a (add ?x ?y)))
    (<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does a (add ?y ?x))))
    (<= (next (step ?n)) (true (step ?s)) (add ?s 1 ?n))
    (<= (path ?x ?y) (true (link ?x ?y)))
    (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
    (<= terminal (true (step 8)))
    (<= (goal a 100) (path 1 4) (path 4 1)) (<= (goal a 40) (path 1 4)) (goal a 0)
    """
    game = game_from_text(text)
    with CircuitEngine(game) as ours, PrologEngine(game) as theirs:
        for state, _ in random_states(theirs, 60, seed=1):
            assert ours.goals(state) == theirs.goals(state)
        means = [
            sum(p.goals[Symbol('a')] or 0 for p in engine.playouts(n, 1, 50)) / n
            for engine, n in ((ours, 4000), (theirs, 400))
        ]
        assert abs(means[0] - means[1]) < 8


# ---- many states


def test_states_step_as_the_engine_does(connect_four: CircuitEngine) -> None:
    count = 1500
    batch = CircuitBatch(connect_four)
    states = np.repeat(batch.initial, count, axis=0)
    random = np.random.default_rng(1)
    followed = dict.fromkeys((0, 64, 1499), connect_four.initial_state)
    for _ in range(12):
        look = batch.look(states)
        rows = np.full((count, len(batch.roles)), NO_MOVE, np.int32)
        for lane, role in np.argwhere(look.counts() > 0):
            rows[lane, role] = random.choice(look.moves(lane, role))
        does = batch.plain(rows)
        after = batch.step(states, does)
        for lane, state in followed.items():
            assert connect_four.is_terminal(state) == look.terminal[lane]
            done = [batch.does_move(row) for row in does[lane] if row >= 0]
            moves = {batch.roles[role]: move for role, move in done}
            followed[lane] = connect_four.next_state(state, moves)
            assert batch.to_state(after[lane]) == followed[lane]
        ended = batch.look(after).terminal
        states = np.where(ended[:, None], batch.initial, after)
        goals = batch.goals(after)
        for lane, state in followed.items():
            assert list(connect_four.goals(state).values()) == [
                None if goal < 0 else goal for goal in goals[lane]
            ]
            if ended[lane]:
                followed[lane] = connect_four.initial_state


# ---- search


@pytest.mark.parametrize('name', ['connect_four', 'tictactoe', 'simultaneous_krieg_tictactoe'])
def test_search_goes_forth_and_back(name: str) -> None:
    with CircuitEngine(load_game(find_game(name))) as engine:
        search = Search(engine.compiled)
        keys = [search.key()]
        for state, moves in random_states(engine, 60, seed=2):
            if state == engine.initial_state:
                search.place()
                keys = [search.key()]
            assert search.state() == state
            assert search.is_terminal == engine.is_terminal(state)
            legal = {engine.vocabulary.legal[row] for row in search.legal()}
            expected = {(r, m) for r, ms in engine.legal_moves(state).items() for m in ms}
            assert legal == expected
            if not moves:
                continue
            copy = search.clone()
            search.do_moves(moves)
            keys.append(search.key())
            search.undo()
            assert search.key() == keys[-2] == copy.key()
            search.do_moves(moves)
            assert search.key() == keys[-1]
        while len(keys) > 1:
            assert search.key() == keys.pop()
            search.undo()
        assert search.state() == engine.initial_state
        with pytest.raises(EngineError, match='nothing to undo'):
            search.undo()


CORPUS = Path(__file__).parents[4] / 'shared' / 'gdl-corpus' / 'games'


@pytest.mark.skipif(not CORPUS.is_dir(), reason='no corpus of public games here')
@pytest.mark.parametrize('pattern', ['hex-be*', 'breakthrough-a*', 'reversi-6*', 'pentago-*'])
def test_search_agrees_with_the_engine_on_public_games(pattern: str) -> None:
    file = sorted(CORPUS.glob(pattern))[0]
    with CircuitEngine(load_game(file)) as engine:
        search = Search(engine.compiled)
        for state, moves in random_states(engine, 150, seed=3):
            if state == engine.initial_state:
                search.place()
            assert search.state() == state
            assert search.is_terminal == engine.is_terminal(state)
            expected = {(r, m) for r, ms in engine.legal_moves(state).items() for m in ms}
            assert {engine.vocabulary.legal[row] for row in search.legal()} == expected
            if moves:
                search.do_moves(moves)


def test_search_starts_anywhere(connect_four: CircuitEngine) -> None:
    for state, _ in random_states(connect_four, 30, seed=8):
        assert Search(connect_four.compiled, state).state() == state


# ---- cache


def compiled_bytes(game: Game) -> list[Path]:
    CircuitEngine(game)
    return list(cache_folder().glob('*.circuit'))


def test_cache_is_used_and_never_trusted() -> None:
    game = load_game(find_game('tictactoe'))
    (entry,) = compiled_bytes(game)
    expected = list(CircuitEngine(game).playouts(40, 1, 100))
    whole = entry.read_bytes()
    for damaged in (whole[: len(whole) // 2], b'', whole[:-1] + bytes([whole[-1] ^ 1])):
        entry.write_bytes(damaged)
        assert read_entry(entry.name) is None
        assert list(CircuitEngine(game).playouts(40, 1, 100)) == expected
        assert entry.read_bytes() == whole


def test_cache_that_cannot_be_written_is_no_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / 'file'
    file.write_text('not a folder')
    monkeypatch.setenv('GDL_CACHE', str(file))
    assert CircuitEngine(load_game(find_game('tictactoe'))).roles


def test_concurrent_writers() -> None:
    payloads = [bytes([n]) * 100_000 for n in range(8)]
    threads = [threading.Thread(target=write_entry, args=('entry', p)) for p in payloads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_entry('entry') in payloads
    assert [p.name for p in cache_folder().iterdir()] == ['entry']


# Squares 1 and 2 reach each other, and 1 is always reached: what is left of the cycle has no gate.
CYCLE_WITHOUT_GATES = """
(role a) (init s) (init (n 0)) (legal a go) (next s) (<= (next (n 1)) (true (n 0)))
(edge 1 2) (edge 2 1) (edge 2 3)
(<= (reach 1) (true s)) (<= (reach ?y) (reach ?x) (edge ?x ?y))
(<= (next (m ?x)) (reach ?x))
(<= terminal (true (n 1)) (reach 2))
(<= (goal a 100) (reach 2)) (<= (goal a 0) (not (reach 2)))
"""


@pytest.mark.parametrize('variant', ['off', *variants()])
def test_a_cycle_without_gates(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_NATIVE', variant)
    engine = CircuitEngine(game_from_text(CYCLE_WITHOUT_GATES))
    state, role = engine.initial_state, Symbol('a')
    assert engine.goals(state) == {role: 100}
    after = engine.next_state(state, {role: Symbol('go')})
    assert {str(fact) for fact in after} == {'s', '(n 1)', '(m 1)', '(m 2)', '(m 3)'}
    assert [(p.steps, p.goals) for p in engine.playouts(2, 1, 9)] == [(1, {role: 100})] * 2
    search = Search(engine.compiled)
    search.do_moves({role: Symbol('go')})
    assert search.state() == after
    assert search.is_terminal
