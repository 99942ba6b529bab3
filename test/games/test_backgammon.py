"""Backgammon, compared with open_spiel: from every position the same turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
import re
from typing import Any

import pytest
from walk import term

from gdl_env.engine.contract import NATURE, Engine, Role, State
from gdl_env.language.load import open_game as named_game
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog

WHITE, BLACK = term('white'), term('black')
ROLES = (WHITE, BLACK)

# What stands where after a turn: (role, point, checkers).
Board = frozenset[tuple[str, int, int]]


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('backgammon')


def position(control: str, dice: str, *checkers: str) -> State:
    """Return a state: `position('white', '63', 'white 24 2', …)`; the rest is off the board."""
    facts = [f'(control {control})'] + [f'(on {where})' for where in checkers]
    facts += [f'(die {n} {4 if dice[0] == dice[1] else 1})' for n in set(dice)]
    for colour in ('white', 'black'):
        left = 15 - sum(int(c.split()[2]) for c in checkers if c.startswith(colour))
        facts += [f'(on {colour} 0 {left})'] if left else []
    return frozenset(map(term, facts))


def board_of(state: State) -> Board:
    facts = [args_of(fact) for fact in state if name_of(fact) == 'on']
    return frozenset((str(role), int(str(p)), int(str(n))) for role, p, n in facts)


def moves(engine: Engine, state: State) -> list[str]:
    return [str(move) for role in ROLES for move in engine.legal_moves(state)[role]]


def turns(engine: Engine, state: State) -> set[Board]:
    """Return the boards that a whole turn can lead to."""
    (role,) = engine.actors(state)
    found, seen, work = set(), {state}, [state]
    while work:
        before = work.pop()
        for move in engine.legal_moves(before)[role]:
            after = engine.next_state(before, {role: move})
            if engine.is_terminal(after) or engine.actors(after) != (role,):
                found.add(board_of(after))
            elif after not in seen:
                seen.add(after)
                work.append(after)
    return found


def twin_board(twin: Any) -> Board:
    """Return the board of open_spiel, where x is white."""
    text = str(twin)
    bar = re.search(r'Bar:(.*)', text)[1]
    off = re.search(r'X: (\d+), O: (\d+)', text).groups()
    found = []
    for player, role in enumerate(('white', 'black')):
        counts = {24 - i if player == 0 else i + 1: twin.board(player, i) for i in range(24)}
        counts |= {25: bar.count('xo'[player]), 0: int(off[player])}
        found += [(role, point, n) for point, n in counts.items() if n]
    return frozenset(found)


def twin_turns(twin: Any) -> set[Board]:
    player = twin.current_player()
    found, work, seen = set(), [twin], set()
    while work:
        before = work.pop()
        for action in before.legal_actions():
            after = before.child(action)
            if after.current_player() != player:
                found.add(twin_board(after))
            elif str(after) not in seen:
                # The second half of doubles.
                seen.add(str(after))
                work.append(after)
    return found


def to_state(twin: Any) -> State:
    checkers = [f'{role} {p} {n}' for role, p, n in twin_board(twin) if p]
    dice = re.search(r'Dice: (\d\d)', str(twin))[1]
    return position(('white', 'black')[twin.current_player()], dice, *checkers)


def compare(engine: Engine, seed: int, every: int) -> int:
    """Walk through a random game of open_spiel; return the number of positions compared."""
    pyspiel = pytest.importorskip('pyspiel', reason='pip install open_spiel')
    random = Random(seed)
    twin = pyspiel.load_game('backgammon(scoring_type=full_scoring)').new_initial_state()
    compared = decisions = 0
    while not twin.is_terminal():
        if not twin.is_chance_node() and 'Extra turn: 0' in str(twin):
            decisions += 1
            if decisions % every == 0:
                assert turns(engine, to_state(twin)) == twin_turns(twin), str(twin)
                compared += 1
        twin = twin.child(random.choice(twin.legal_actions()))
    final = position('white', '12', *(f'{r} {p} {n}' for r, p, n in twin_board(twin) if p))
    assert engine.is_terminal(final)
    goals = [50 + 16 * value for value in twin.returns()]
    assert [engine.goals(final)[role] for role in ROLES] == goals
    return compared


@pytest.mark.parametrize('seed', range(6))
def test_same_turns_as_open_spiel(engine: Engine, seed: int) -> None:
    assert compare(engine, seed, every=5) > 5


@pytest.mark.slow
@pytest.mark.parametrize('part', range(10))
def test_same_turns_as_open_spiel_in_many_games(engine: Engine, part: int) -> None:
    for seed in range(100 + 10 * part, 110 + 10 * part):
        compare(engine, seed, every=1)


def test_beginning(engine: Engine) -> None:
    start = engine.initial_state
    rolls = engine.legal_moves(start)[NATURE]
    assert len(rolls) == 30
    after = engine.next_state(start, {NATURE: term('(roll 2 5)')})
    assert engine.actors(after) == (BLACK,)
    assert {term('(die 2 1)'), term('(die 5 1)'), term('(control black)')} <= after
    assert term('opening') not in after
    assert len(turns(engine, after)) == 8


def test_doubles_are_played_four_times(engine: Engine) -> None:
    state = position('white', '11', 'white 20 15', 'black 24 15')
    for times in (3, 2, 1):
        state = engine.next_state(state, {WHITE: term('(move 20 1)')})
        assert term(f'(die 1 {times})') in state and engine.actors(state) == (WHITE,)
    state = engine.next_state(state, {WHITE: term('(move 20 1)')})
    assert engine.actors(state) == (NATURE,)
    assert len(engine.legal_moves(state)[NATURE]) == 36
    assert term('(control black)') in state


RULES: dict[str, tuple[State, list[str]]] = {
    'blocked': (
        position('white', '12', 'white 24 1', 'black 2 2', 'black 3 2'),
        ['pass'],
    ),
    'from the bar first': (
        position('white', '12', 'white 25 1', 'white 10 1', 'black 1 2'),
        ['(move 25 2)'],
    ),
    'both dice, though one order loses a number': (
        # By 1 first the 6 is blocked at 17; by 6 first the 1 can follow.
        position('white', '61', 'white 24 1', 'black 2 2'),
        ['(move 24 6)'],
    ),
    'either but not both: the higher one': (
        position('white', '61', 'white 24 1', 'black 8 2'),
        ['(move 24 6)'],
    ),
    'the lower one if it is the only one': (
        position('white', '61', 'white 24 1', 'black 7 2', 'black 8 2'),
        ['(move 24 1)'],
    ),
    'off by the exact number or by a move': (
        position('white', '33', 'white 6 1', 'white 3 1', 'black 24 15'),
        ['(move 3 3)', '(move 6 3)'],
    ),
    'off by a higher number from the highest point': (
        position('white', '66', 'white 4 2', 'white 2 1', 'black 24 15'),
        ['(move 4 6)'],
    ),
    'not off while one is away': (
        position('white', '22', 'white 7 1', 'white 2 5', 'black 24 15', 'white 5 1'),
        ['(move 5 2)', '(move 7 2)'],
    ),
    'away comes home first, and then off': (
        position('white', '61', 'white 7 1', 'white 6 1', 'black 24 15'),
        ['(move 7 1)'],
    ),
}


@pytest.mark.parametrize('name', RULES)
def test_rule(engine: Engine, name: str) -> None:
    state, expected = RULES[name]
    assert moves(engine, state) == expected


def test_a_lone_checker_is_sent_to_the_bar(engine: Engine) -> None:
    state = position('white', '12', 'white 10 1', 'black 16 1', 'black 20 2')
    after = engine.next_state(state, {WHITE: term('(move 10 1)')})
    assert board_of(after) >= {('white', 9, 1), ('black', 25, 1), ('black', 20, 2)}


def ending(black: Iterable[str]) -> State:
    return position('white', '12', *black)


@pytest.mark.parametrize(
    ('black', 'points'),
    [
        (['black 3 2'], 1),
        (['black 3 15'], 2),
        (['black 19 1', 'black 3 14'], 3),
        (['black 25 1', 'black 3 14'], 3),
        (['black 18 1', 'black 3 14'], 2),
        (['black 24 1', 'black 3 4'], 1),
    ],
)
def test_points(engine: Engine, black: list[str], points: int) -> None:
    state = ending(black)
    assert engine.is_terminal(state)
    goals: dict[Role, int | None] = {WHITE: 50 + 16 * points, BLACK: 50 - 16 * points}
    assert {role: engine.goals(state)[role] for role in ROLES} == goals


def test_scoring_by_wins() -> None:
    from gdl_env.engine.registry import open_engine

    with open_engine(named_game('backgammon(scoring=win)')) as engine:
        goals = engine.goals(ending(['black 25 1', 'black 3 14']))
        assert [goals[role] for role in ROLES] == [100, 0]
