"""Engines that break their contract are caught, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.contract import Move, Moves, Role, State
from gdl_env.engine.registry import open_engine
from gdl_env.language.load import open_game
from gdl_env.testing import ConformanceError, check_engine


class Unsorted(CircuitEngine):
    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        return {role: moves[::-1] for role, moves in super().legal_moves(state).items()}


class RoleMissing(CircuitEngine):
    def goals(self, state: State) -> Mapping[Role, int | None]:
        return {self.roles[0]: 50}


class TooMuch(CircuitEngine):
    def goals(self, state: State) -> Mapping[Role, int | None]:
        return dict.fromkeys(self.roles, 101)


class Forgetful(CircuitEngine):
    """Answers another time than before."""

    asked = 0

    def is_terminal(self, state: State) -> bool:
        self.asked += 1
        return self.asked % 2 == 0


class List(CircuitEngine):
    def next_state(self, state: State, moves: Moves) -> Any:
        return list(super().next_state(state, moves))


class ForgetsAFact(CircuitEngine):
    def next_state(self, state: State, moves: Moves) -> State:
        after = super().next_state(state, moves)
        return frozenset(fact for fact in after if '2 2 o' not in str(fact))


BROKEN: dict[type[CircuitEngine], str] = {
    Unsorted: 'legal_moves of x is no sorted tuple in the state',
    RoleMissing: 'goals does not name all roles',
    TooMuch: 'goals gives',
    Forgetful: 'is_terminal changes',
    List: 'next_state is no frozenset',
    ForgetsAFact: r'disagree in step 2 \(nothing shorter shows it\): next state',
}


@pytest.mark.parametrize(('kind', 'reason'), BROKEN.items())
def test_a_broken_engine_is_caught(kind: type[CircuitEngine], reason: str) -> None:
    with (
        kind(open_game('tictactoe')) as engine,
        pytest.raises(ConformanceError, match=reason),
    ):
        check_engine(engine, reference='circuit')


@pytest.mark.prolog
@pytest.mark.parametrize('game', ['tictactoe', 'monty_hall', 'kuhn_poker'])
def test_our_own_engine_passes(game: str) -> None:
    with open_engine(open_game(game), 'circuit') as engine:
        check_engine(engine, states=50)
