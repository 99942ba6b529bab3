"""Dominoes, followed by a referee of its own in plain Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from refereed_match import follow_match

from gdl_env.engine.contract import NATURE, Engine, State
from gdl_env.language.terms import args_of, name_of

pytestmark = pytest.mark.prolog

TILES = {(low, high) for high in range(7) for low in range(high + 1)}


@pytest.fixture
def engine(open_game: Callable[[str], Engine]) -> Engine:
    return open_game('dominoes')


class Referee:
    """Hands, line and turn of one match."""

    def __init__(self) -> None:
        self.hands: dict[str, set[tuple[int, int]]] = {'alice': set(), 'bob': set()}
        self.line: list[tuple[int, int]] = []
        self.turn = 'alice'
        self.passes = 0

    @property
    def stock(self) -> set[tuple[int, int]]:
        laid = {tuple(sorted(tile)) for tile in self.line}
        return TILES - self.hands['alice'] - self.hands['bob'] - laid

    @property
    def is_dealing(self) -> bool:
        return not self.line and len(self.hands['bob']) < 7

    @property
    def is_over(self) -> bool:
        return self.passes == 2 or (bool(self.line) and not all(self.hands.values()))

    def legal(self) -> tuple[str, set[str]]:
        """Return who moves, and all moves."""
        if self.is_dealing:
            few = 'alice' if len(self.hands['alice']) == len(self.hands['bob']) else 'bob'
            return 'random', {f'(deal {few} {low} {high})' for low, high in self.stock}
        hand = self.hands[self.turn]
        if not self.line:
            return self.turn, {f'(lay {low} {high} left)' for low, high in hand}
        ends = {'left': self.line[0][0], 'right': self.line[-1][1]}
        moves = {f'(lay {t[0]} {t[1]} {end})' for t in hand for end, n in ends.items() if n in t}
        if moves:
            return self.turn, moves
        if self.stock:
            return 'random', {f'(deal {self.turn} {low} {high})' for low, high in self.stock}
        return self.turn, {'pass'}

    def play(self, move: str) -> None:
        words = move.strip('()').split()
        if words[0] == 'deal':
            self.hands[words[1]].add((int(words[2]), int(words[3])))
            return
        self.passes = self.passes + 1 if words[0] == 'pass' else 0
        if words[0] == 'lay':
            tile = int(words[1]), int(words[2])
            self.hands[self.turn].remove(tile)
            if words[3] == 'left':
                joint = self.line[0][0] if self.line else tile[0]
                # The first tile lies with its low number to the right.
                turned = tile if tile[1] == joint and self.line else tile[::-1]
                self.line.insert(0, turned)
            else:
                self.line.append(tile if tile[0] == self.line[-1][1] else tile[::-1])
        self.turn = 'bob' if self.turn == 'alice' else 'alice'

    def goals(self) -> dict[str, int]:
        left = {player: len(hand) for player, hand in self.hands.items()}
        if left['alice'] == left['bob']:
            return {'alice': 50, 'bob': 50}
        best = min(left, key=left.__getitem__)
        return {player: 100 if player == best else 0 for player in left}


def held(state: State, player: str) -> set[tuple[int, int]]:
    found = set()
    for fact in state:
        if name_of(fact) == 'sees' and str(args_of(fact)[0]) == player:
            low, high = map(str, args_of(args_of(fact)[1]))
            found.add((int(low), int(high)))
    return found


@pytest.mark.parametrize('seed', range(6))
def test_a_match_goes_as_the_referee_says(engine: Engine, seed: int) -> None:
    referee, state = Referee(), engine.initial_state
    for state in follow_match(engine, referee, seed, 200):
        for player, hand in referee.hands.items():
            assert held(state, player) == hand
    goals = {str(role): goal for role, goal in engine.goals(state).items() if role != NATURE}
    assert goals == referee.goals()
