"""Landlord, followed by a referee of its own in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from gdl_env.engine.contract import Engine

pytestmark = pytest.mark.prolog

NAMES = ('alice', 'bob', 'carol', 'dave')
# Price and rent by pairs of fields; taxes.
STREETS = {2: (3, 1), 4: (4, 2), 7: (5, 3), 10: (6, 4)}
STREETS |= {field + 1: terms for field, terms in STREETS.items()}
TAXES = {6: 2, 12: 3}


class Referee:
    """Money, places, streets and turn of one match."""

    def __init__(self, players: int) -> None:
        self.money = dict.fromkeys(NAMES[:players], 12)
        self.places = dict.fromkeys(self.money, 1)
        self.owner: dict[int, str] = {}
        self.names = NAMES[:players]
        self.mover, self.buys, self.turn = 'alice', False, 1

    @property
    def is_over(self) -> bool:
        return self.turn > 60 or len(self.money) == 1

    def play(self, move: str) -> None:
        if self.buys:
            if move == 'buy':
                field = self.places[self.mover]
                self.owner[field] = self.mover
                self.money[self.mover] -= STREETS[field][0]
            self.end_turn()
            return
        laps, place = divmod(self.places[self.mover] - 1 + int(move.split()[1].strip(')')), 12)
        self.places[self.mover] = field = place + 1
        self.money[self.mover] += 3 * laps
        owner = self.owner.get(field)
        if field in STREETS and owner is None:
            self.buys = self.money[self.mover] >= STREETS[field][0]
        else:
            self.pay(field, owner)
        if not self.buys:
            self.end_turn()

    def pay(self, field: int, owner: str | None) -> None:
        due = TAXES.get(field, 0)
        if owner not in (None, self.mover):
            pair = [other for other in STREETS if STREETS[other] == STREETS[field]]
            due = STREETS[field][1] * (1 + all(self.owner.get(o) == owner for o in pair))
        paid = min(due, self.money[self.mover])
        if owner is not None:
            self.money[owner] += paid
        self.money[self.mover] -= paid
        if paid < due:
            del self.money[self.mover], self.places[self.mover]
            self.owner = {f: who for f, who in self.owner.items() if who != self.mover}

    def end_turn(self) -> None:
        self.buys, self.turn = False, self.turn + 1
        place = self.names.index(self.mover)
        later = [*self.names[place + 1 :], *self.names[: place + 1]]
        self.mover = next(name for name in later if name in self.money)

    def facts(self) -> set[str]:
        found = {f'({"buying" if self.buys else "control"} {self.mover})', f'(turn {self.turn})'}
        found |= {f'(money {name} {coins})' for name, coins in self.money.items()}
        found |= {f'(at {name} {place})' for name, place in self.places.items()}
        return found | {f'(owner {field} {name})' for field, name in self.owner.items()}

    def goals(self) -> dict[str, int]:
        most = max(self.money.values())
        best = [name for name, coins in self.money.items() if coins == most]
        worth = 100 if len(best) == 1 else 50
        return {name: worth if name in best else 0 for name in self.names}


@pytest.mark.parametrize('players', [2, 4])
def test_matches_go_as_the_referee_says(open_game: Callable[[str], Engine], players: int) -> None:
    engine = open_game(f'landlord(players={players})')
    endings = set()
    for seed in range(12):
        random, referee, state = Random(seed), Referee(players), engine.initial_state
        while not referee.is_over:
            assert set(map(str, state)) == referee.facts()
            ((role, moves),) = ((r, m) for r, m in engine.legal_moves(state).items() if m)
            assert str(role) == referee.mover
            assert set(map(str, moves)) == ({'buy', 'pass'} if referee.buys else {'(roll dice)'})
            # Whoever always passes meets no rent: most buy.
            move = moves[0] if random.random() < 0.8 else moves[-1]
            outcomes = engine.outcomes(state, move)
            drawn = random.choice([outcome.value for outcome in outcomes])
            referee.play(str(drawn))
            state = engine.next_state(state, {role: drawn})
        assert engine.is_terminal(state)
        assert {str(role): goal for role, goal in engine.goals(state).items()} == referee.goals()
        endings.add(len(referee.money))
    # Some went bankrupt.
    assert min(endings) < players
