"""A range that is too small never changes a game: play stops with an error that names it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.native import native
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.engine.interpreter import play_randomly
from gdl_env.engine.perft import perft
from gdl_env.engine.registry import open_engine
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options, Policy
from gdl_env.errors import RangeError
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text
from gdl_env.language.terms import Compound, Number, Symbol

# Whoever reaches twelve first wins: 13 and 14 can be reached, too.
RACE = """
(role first) (role second)
(type player first) (type player second)
(other first second) (other second first)
(init (control first)) (init (score first 0)) (init (score second 0))
(<= (legal ?player (step [1,3]:?n)) (true (control ?player)) (type [1,3] ?n))
(<= (next (score player:?player [0,12]:?sum))
    (does ?player (step ?n)) (true (score ?player ?points)) (add ?points ?n ?sum))
(<= (next (score player:?player [0,12]:?points))
    (true (score ?player ?points)) (not (true (control ?player))))
(<= (next (control player:?other)) (true (control ?player)) (other ?player ?other))
(<= (wins ?player) (true (score ?player ?points)) (greater ?points 11))
(<= terminal (wins ?player))
(<= (goal ?player 100) (wins ?player))
(<= (goal ?player 0) (role ?player) (not (wins ?player)))
"""
WIDE = RACE.replace('[0,12]', '[0,14]')
MESSAGE = r':7: \(score (?:first|second) 1[34]\) is outside the range \[0,12\] of its rule'
FIRST, SECOND = Symbol('first'), Symbol('second')


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_CACHE', str(tmp_path / 'cache'))


def step(number: int) -> Compound:
    return Compound('step', (Number(number),))


def narrow() -> Game:
    return game_from_text(RACE, 'race')


def before_the_end(engine: CircuitEngine) -> frozenset:
    """Return the state in which `first` has 11 points, and is to move."""
    state = engine.initial_state
    for number in (3, 3, 3, 2):
        state = engine.next_state(state, {FIRST: step(number)})
        state = engine.next_state(state, {SECOND: step(1)})
    return state


# ---- the circuit


@pytest.mark.parametrize('variant', ['off', *native.variants()])
def test_random_games_stop(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GDL_NATIVE', variant)
    with pytest.raises(RangeError, match=MESSAGE):
        list(CircuitEngine(narrow()).playouts(100, 1, 1000))
    # From the cache, too.
    with pytest.raises(RangeError, match=MESSAGE):
        list(CircuitEngine(narrow()).playouts(100, 1, 1000))


def test_a_single_step_is_exact() -> None:
    engine = CircuitEngine(narrow())
    state = before_the_end(engine)
    over = engine.next_state(state, {FIRST: step(1)})
    assert engine.is_terminal(over) and engine.goals(over)[FIRST] == 100
    for number, value in ((2, 13), (3, 14)):
        with pytest.raises(RangeError) as caught:
            engine.next_state(state, {FIRST: step(number)})
        assert caught.value.what == f'(score first {value})'
        assert (caught.value.bounds, caught.value.place) == ('[0,12]', 'race:7')


def test_steps_and_random_games_of_a_batch_stop() -> None:
    batch = open_batch(narrow())
    assert isinstance(batch, CircuitBatch)
    states = np.repeat(batch.from_state(before_the_end(batch.engine)), 70, axis=0)
    does = np.full((70, 2), -1, np.int32)
    does[:, 0] = batch.does_row(0, step(1))
    assert batch.look(batch.step(states, does)).terminal.all()
    does[69, 0] = batch.does_row(0, step(2))
    with pytest.raises(RangeError, match=r'\(score first 13\)'):
        batch.step(states, does)
    with pytest.raises(RangeError, match=MESSAGE):
        batch.playouts(states, 1, 100)
    with pytest.raises(RangeError, match=MESSAGE):
        batch.traced_playouts(states, 1, 100)


def test_search_goes_nowhere_from_a_value_outside() -> None:
    engine = CircuitEngine(narrow())
    search = Search(engine.compiled, before_the_end(engine))
    search.do_moves({FIRST: step(1)})
    assert search.is_terminal
    search.undo()
    search.do_moves({FIRST: step(2)})
    assert not search.is_terminal and not len(search.legal())
    search.undo()
    assert len(search.legal()) == 3


@pytest.mark.parametrize('name', ['firstorder', pytest.param('prolog', marks=pytest.mark.prolog)])
def test_a_range_that_is_large_enough_changes_nothing(name: str) -> None:
    game, count = game_from_text(WIDE, 'race'), 300
    circuit = CircuitEngine(game)
    with open_engine(game, name) as engine:
        assert list(perft(circuit, 8)) == list(perft(engine, 8))
        # The same seeds, and thereby the same games.
        mine, its = (list(play_randomly(e, count, 5, 100)) for e in (circuit, engine))
    assert mine == its
    fast = list(circuit.playouts(20_000, 1, 100))
    assert all(playout.is_terminal for playout in fast)
    wins = Counter(playout.goals[FIRST] for playout in fast)
    assert wins[100] / len(fast) == pytest.approx(0.639, abs=0.015)
    assert np.mean([playout.steps for playout in fast]) == pytest.approx(10.95, abs=0.1)


def test_games_that_stay_inside_are_played_as_before() -> None:
    # As far as single rules tell, three can be taken from two.
    text = """
    (role a) (role b) (type player a) (type player b) (other a b) (other b a)
    (init (heap 7)) (init (control a))
    (<= (legal ?p (take [1,3]:?n)) (true (control ?p)) (true (heap ?h)) (type [1,3] ?n)
        (not (less ?h ?n)))
    (<= (next (heap [0,7]:?left)) (true (heap ?h)) (does ?p (take ?n)) (sub ?h ?n ?left))
    (<= (next (control player:?o)) (true (control ?p)) (other ?p ?o))
    (<= terminal (true (heap 0)))
    (<= (goal ?p 0) (true (control ?p))) (<= (goal ?p 100) (true (control ?o)) (other ?p ?o))
    """
    game = game_from_text(text, 'heap')
    circuit = CircuitEngine(game)
    assert circuit.vocabulary.marks
    assert all(playout.is_terminal for playout in circuit.playouts(5000, 1, 100))
    with open_engine(game, 'firstorder') as other:
        assert list(perft(circuit, 7)) == list(perft(other, 7))
    environment = Environment.open(game, Options(lanes=100))
    for player in 'ab':
        environment.set_policy(player, Policy.RANDOM)
    for _ in range(30):
        environment.step({})
    assert environment.episode.min() > 2
    environment.close()


# ---- other heads


def test_moves_outside_their_range_stop_a_game() -> None:
    text = """
    (role a) (init (at 1))
    (<= (legal a (go [1,4]:?m)) (true (at ?n)) (add ?n 1 ?m))
    (<= (legal a (go [1,4]:?n)) (true (at ?n)))
    (<= (next (at [1,9]:?n)) (does a (go ?n)))
    (<= terminal (true (at 5))) (goal a 50)
    """
    with pytest.raises(RangeError, match=r':3: \(go 5\) is outside the range \[1,4\]'):
        list(CircuitEngine(game_from_text(text, 'walk')).playouts(10, 1, 100))


def test_names_are_outside_of_every_range() -> None:
    text = """
    (role a) (init (at 1)) (after 1 2) (after 2 nowhere)
    (legal a wait)
    (<= (next (at [1,2]:?m)) (true (at ?n)) (after ?n ?m))
    (<= terminal (not (true (at 1))) (not (true (at 2)))) (goal a 50)
    """
    with pytest.raises(RangeError, match=r'\(at nowhere\) is outside the range \[1,2\]'):
        list(CircuitEngine(game_from_text(text, 'walk')).playouts(10, 1, 100))


def test_ranges_of_first_facts_views_and_goals_drop_nothing() -> None:
    text = """
    (role a) (start 5)
    (<= (init (at [1,3]:?n)) (start ?n))
    (legal a wait)
    (<= (next (at [0,9]:?m)) (true (at ?n)) (sub ?n 1 ?m))
    (<= (twice [0,1]:?m) (true (at ?n)) (add ?n ?n ?m))
    (<= terminal (twice 6))
    (<= (goal a [0,1]:?n) (twice ?n))
    """
    (playout,) = CircuitEngine(game_from_text(text, 'walk')).playouts(1, 1, 100)
    assert playout.is_terminal and playout.steps == 2
    assert playout.goals == {Symbol('a'): 6}


# ---- the environment


@pytest.mark.parametrize('lanes', [1, 8, 100])
def test_the_environment_stops(lanes: int) -> None:
    environment = Environment.open(narrow(), Options(lanes=lanes))
    # What players see has no entry for what must not happen.
    assert environment.game.observation_size == 2 + 2 * 13
    for player in ('first', 'second'):
        environment.set_policy(player, Policy.RANDOM)
    with pytest.raises(RangeError, match=MESSAGE):
        for _ in range(1000):
            environment.step({})
    environment.close()


@pytest.mark.parametrize('lanes', [1, 8, 100])
def test_ticks_of_decisions_stop(lanes: int) -> None:
    # With many lanes these ticks run on blocks of lanes.
    environment = Environment.open(narrow(), Options(lanes=lanes))
    assert (environment.game.blocks is not None) == (lanes == 100)
    with pytest.raises(RangeError, match=MESSAGE):
        for _ in range(1000):
            environment.play(environment.draw())
    environment.close()
