"""Battleship, followed by a referee of its own in plain Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from refereed_match import follow_match

from gdl_env.engine.contract import Engine
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog

Square = tuple[int, int]


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('battleship')


def squares(size: int, row: int, column: int, direction: str) -> set[Square]:
    if direction == 'across':
        return {(row, column + step) for step in range(size)}
    return {(row + step, column) for step in range(size)}


class Referee:
    """Ships and shots of one match."""

    def __init__(self) -> None:
        self.ships: dict[str, set[Square]] = {'alice': set(), 'bob': set()}
        self.shots: dict[str, set[Square]] = {'alice': set(), 'bob': set()}
        self.left = [(player, size) for player in ('alice', 'bob') for size in (4, 3, 2)]
        self.turn = 'alice'

    @property
    def is_over(self) -> bool:
        return not self.left and any(self.ships[p] <= self.shots[p] for p in self.ships)

    def legal(self) -> tuple[str, set[str]]:
        every = [(row, column) for row in range(1, 8) for column in range(1, 8)]
        if not self.left:
            target = self.other
            free = set(every) - self.shots[target]
            return self.turn, {f'(fire {row} {column})' for row, column in free}
        player, size = self.left[0]
        return player, {
            f'(put {size} {row} {column} {direction})'
            for row, column in every
            for direction in ('across', 'down')
            if squares(size, row, column, direction) <= set(every) - self.ships[player]
        }

    @property
    def other(self) -> str:
        return 'bob' if self.turn == 'alice' else 'alice'

    def play(self, move: str) -> None:
        name, *rest = move.strip('()').split()
        if name == 'put':
            size, row, column = map(int, rest[:3])
            self.ships[self.left.pop(0)[0]] |= squares(size, row, column, rest[3])
            return
        self.shots[self.other].add((int(rest[0]), int(rest[1])))
        self.turn = self.other


@pytest.mark.parametrize('seed', range(3))
def test_a_match_goes_as_the_referee_says(engine: Engine, seed: int) -> None:
    referee, state = Referee(), engine.initial_state
    for state in follow_match(engine, referee, seed, 110):
        for player in referee.ships:
            shown = {
                (name_of(fact), *(int(str(arg)) for arg in args_of(fact)[1:]))
                for fact in state
                if name_of(fact) in {'hit', 'miss'} and str(args_of(fact)[0]) == player
            }
            assert shown == {
                ('hit' if shot in referee.ships[player] else 'miss', *shot)
                for shot in referee.shots[player]
            }
    assert referee.is_over
    goals = {str(role): goal for role, goal in engine.goals(state).items()}
    # Whoever fired last has won.
    assert goals == {referee.other: 100, referee.turn: 0}


def test_nobody_sees_the_ships_of_the_other(engine: Engine) -> None:
    alice, bob = engine.roles
    state = engine.initial_state
    moves = ['(put 4 1 1 across)', '(put 3 2 1 down)', '(put 2 7 6 across)']
    for _ in range(6):
        (actor,) = engine.actors(state)
        text = moves[0]
        moves = [*moves[1:], text]
        move = next(m for m in engine.legal_moves(state)[actor] if str(m) == text)
        state = engine.next_state(state, {actor: move})
    for role in (alice, bob):
        ships = [fact for fact in engine.view(state, role) if 'ship' in str(fact)]
        assert len(ships) == 9
