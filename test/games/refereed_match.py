"""Random matches beside a referee: the rules of a game, written again in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Protocol

from gdl_env.engine.contract import Engine, State


class RefereedGame(Protocol):
    """What the referee of a game says, one move after the other."""

    @property
    def is_over(self) -> bool:
        """Tell whether the match is over."""

    def legal(self) -> tuple[str, set[str]]:
        """Return who moves, and all moves that are legal."""

    def play(self, move: str) -> None:
        """Play a move."""


def follow_match(engine: Engine, referee: RefereedGame, seed: int, most: int) -> Iterator[State]:
    """Play at random, `most` moves at most; give each state after the referee has agreed."""
    random, state = Random(seed), engine.initial_state
    for _ in range(most):
        assert engine.is_terminal(state) == referee.is_over
        if referee.is_over:
            return
        role, moves = referee.legal()
        (actor,) = engine.actors(state)
        assert str(actor) == role
        legal = engine.legal_moves(state)[actor]
        assert set(map(str, legal)) == moves
        move = random.choice(sorted(legal, key=str))
        referee.play(str(move))
        state = engine.next_state(state, {actor: move})
        yield state
