"""Trying moves at any position of a game whose rules are known, without a match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from gdl_env.engine.contract import NATURE, State
from gdl_env.engine.interpreter import draw
from gdl_env.engine.registry import open_engine
from gdl_env.errors import IllegalMoveError
from gdl_env.gui.study.replays import ReplayStep, to_step
from gdl_env.language.game import Game, Role, Turns
from gdl_env.language.reader import read_role, read_term


class TrialBoard:
    """Asks the rules what can be done at a position, and what follows."""

    def __init__(self, game: Game, seed: int | None = None) -> None:
        """Open the rules of a game. Raises GdlError if no engine can run it."""
        self._engine = open_engine(game)
        self._random = Random(seed)

    @property
    def first(self) -> ReplayStep:
        """Return the beginning."""
        return to_step(self._engine.initial_state)

    @property
    def is_joint(self) -> bool:
        """Tell whether all who are to move choose before anything happens."""
        return self._engine.game.turns is Turns.JOINT

    def list_moves(self, facts: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the legal moves of all who are to move, chance included; {} at the end."""
        state = _state(facts)
        if self._engine.is_terminal(state):
            return {}
        legal = self._engine.legal_moves(state)
        actors = self._engine.actors(state)
        return {str(role): tuple(map(str, legal[role])) for role in actors}

    def play(self, facts: Iterable[str], moves: Mapping[str, str]) -> ReplayStep:
        """Return what moves lead to; experiments are drawn. Raises GdlError if one is illegal."""
        state = _state(facts)
        legal = {} if self._engine.is_terminal(state) else self._engine.legal_moves(state)
        played = {}
        for name, text in moves.items():
            role, move = read_role(name), read_term(text)
            if move not in legal.get(role, ()):
                raise IllegalMoveError(role, move, legal.get(role, ()))
            played[role] = draw(self._engine.drawable_outcomes(state, move), self._random)
        after = self._engine.next_state(state, played)
        goals: Mapping[Role, int | None] = {}
        if self._engine.is_terminal(after):
            goals = self._engine.goals(after)
        return to_step(after, played, goals)


def is_chance(role: str) -> bool:
    """Tell whether a role is chance itself."""
    return role == str(NATURE)


def _state(facts: Iterable[str]) -> State:
    return frozenset(map(read_term, facts))
