"""Search: however a state is reached, forth and back, it is the state that the engine knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.single_state.effects import Learned
from gdl_env.engine.circuit.single_state.programs import KNOWN
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.engine.grounding.errors import GroundingError
from gdl_env.language.game import Turns
from gdl_env.language.load import game_from_text, load_game

GAMES = sorted((Path(__file__).parents[3] / 'games').glob('*.gdl'))
CORPUS = Path(__file__).parents[4] / 'shared' / 'gdl-corpus' / 'games'
PUBLIC = ('checkers-b89d77.kif', 'breakthrough-afbe05.kif', 'hex-be52b3.kif')


pytestmark = pytest.mark.usefixtures('own_cache')


def open_engine(path: Path) -> CircuitEngine:
    try:
        return CircuitEngine(load_game(path))
    except GroundingError as error:
        pytest.skip(f'does not ground: {error}')


def random_step(engine: CircuitEngine, search: Search, random: Random) -> dict:  # type: ignore[type-arg]
    """Choose moves from what the search says is legal; none where the game is over."""
    if search.is_terminal:
        return {}
    by_role: dict = {}  # type: ignore[type-arg]
    for row in search.legal():
        role, move = engine.vocabulary.legal[row]
        by_role.setdefault(role, []).append(move)
    if engine.game.turns is Turns.SERIAL and by_role:
        actor = random.choice(engine.actors(search.state()))
        by_role = {actor: by_role[actor]}
    chosen = {role: random.choice(moves) for role, moves in by_role.items()}
    state = search.state()
    return {r: random.choice(engine.outcomes(state, m)).value for r, m in chosen.items()}


def wander(engine: CircuitEngine, search: Search, count: int, seed: int) -> Iterator[frozenset]:  # type: ignore[type-arg]
    """Do and undo at random; yield the state that the engine expects."""
    random = Random(seed)
    past = [engine.initial_state]
    search.place()
    for _ in range(count):
        moves = (
            {} if len(past) > 1 and random.random() < 0.4 else random_step(engine, search, random)
        )
        if moves:
            past.append(engine.next_state(past[-1], moves))
            search.do_moves(moves)
        elif len(past) > 1:
            for _ in range(random.randint(1, min(4, len(past) - 1))):
                past.pop()
                search.undo()
        yield past[-1]


def check(engine: CircuitEngine, count: int) -> None:
    search, fresh = Search(engine.compiled), Search(engine.compiled)
    random = Random(5)
    for state in wander(engine, search, count, seed=6):
        assert search.state() == state
        assert search.is_terminal == engine.is_terminal(state)
        # Legal moves are brought up to date when they are asked for: not always.
        if random.random() < 0.5:
            fresh.place(state)
            assert fresh.is_terminal == search.is_terminal
            assert search.legal().tolist() == fresh.legal().tolist()
            expected = {(r, m) for r, ms in engine.legal_moves(state).items() for m in ms}
            assert {engine.vocabulary.legal[row] for row in search.legal()} == expected
        if random.random() < 0.1:
            assert np.array_equal(search.clone().legal(), search.legal())


@pytest.mark.parametrize('path', GAMES, ids=lambda path: path.stem)
def test_do_and_undo_as_if_placed(path: Path) -> None:
    with open_engine(path) as engine:
        check(engine, 250)


@pytest.mark.skipif(not CORPUS.is_dir(), reason='no corpus of public games here')
@pytest.mark.parametrize('name', PUBLIC)
def test_do_and_undo_as_if_placed_in_public_games(name: str) -> None:
    with open_engine(CORPUS / name) as engine:
        check(engine, 120)


LINKS = """
(role a) (node 1) (node 2) (node 3) (node 4)
(init (link 1 2)) (init (link 3 4)) (init (step 0))
(<= (legal a (turn ?x ?y)) (node ?x) (node ?y) (distinct ?x ?y) (not (path ?y ?x)))
(<= (legal a (cut ?x ?y)) (true (link ?x ?y)))
(<= (next (link ?x ?y)) (does a (turn ?x ?y)))
(<= (next (link ?x ?y)) (true (link ?x ?y)) (not (does a (cut ?x ?y))))
(<= (next (step ?n)) (true (step ?s)) (add ?s 1 ?n))
(<= (path ?x ?y) (true (link ?x ?y)))
(<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
(<= (next (joined ?x ?y)) (path ?x ?y))
(<= terminal (true (step 12)))
(goal a 0)
"""


def test_cycles_rise_and_fall() -> None:
    with CircuitEngine(game_from_text(LINKS)) as engine:
        assert len(engine.compiled.single.state.loops)
        check(engine, 400)


def test_cycles_through_moves() -> None:
    """Moves are inputs of the network then."""
    text = (
        LINKS
        + """
    (<= (way ?x ?y) (true (link ?x ?y)) (not (does a (cut ?x ?y))))
    (<= (way ?x ?y) (does a (turn ?x ?y)))
    (<= (way ?x ?z) (way ?x ?y) (way ?y ?z))
    (<= (next (far ?x ?y)) (way ?x ?y))
    """
    )
    with CircuitEngine(game_from_text(text)) as engine:
        assert len(engine.compiled.single.state.outputs) > 1
        check(engine, 400)


def test_what_is_learned_is_forgotten_when_it_is_too_much() -> None:
    with CircuitEngine(game_from_text(LINKS)) as engine:
        search = Search(engine.compiled)
        learned = search._learned
        learned.pool = np.empty(learned.largest + 8, np.int32)
        learned._fill()
        known = [int(learned.frame[KNOWN]) for _ in wander(engine, search, 300, seed=2)]
        assert max(known) < len(engine.vocabulary.does)
        assert known != sorted(known)
        for state in wander(engine, search, 100, seed=3):
            assert search.state() == state


def test_clones_learn_apart() -> None:
    with CircuitEngine(game_from_text(LINKS)) as engine:
        search = Search(engine.compiled)
        copy = search.clone()
        states = list(wander(engine, copy, 50, seed=4))
        assert search.state() == engine.initial_state
        assert isinstance(search._learned, Learned)
        assert search._learned.frame[KNOWN] == 0
        assert copy.clone().state() == states[-1] == copy.state()
