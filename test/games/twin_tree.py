"""A game of ours and the same game in open_spiel, walked through side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from gdl_env.engine.contract import NATURE, Engine, Move, Role, State


@dataclass
class TwinTree:
    """Every history of both games; fails where they differ.

    `action_of` gives open_spiel's action for a move, `goal_of` our goal for its return.
    """

    engine: Engine
    start: Any
    action_of: Callable[[Move], int]
    goal_of: Callable[[float], float]
    histories: int = 0
    decisions: int = 0
    ends: int = 0
    # What a player sees where it decides, and open_spiel's name of that: one to one.
    views: dict[tuple[Role, State], set[str]] = field(default_factory=dict)
    names: dict[str, set[tuple[Role, State]]] = field(default_factory=dict)

    @property
    def players(self) -> tuple[Role, ...]:
        """Return the roles in open_spiel's order."""
        return tuple(role for role in self.engine.roles if role != NATURE)

    def walk(self) -> Fraction:
        """Visit all histories; return the first player's exact mean goal for random play."""
        return self._walk(self.engine.initial_state, self.start)

    def _walk(self, state: State, twin: Any) -> Fraction:
        self.histories += 1
        assert self.engine.is_terminal(state) == twin.is_terminal(), twin.history_str()
        if twin.is_terminal():
            self.ends += 1
            goals = self.engine.goals(state)
            expected = [self.goal_of(value) for value in twin.returns()]
            assert [goals[role] for role in self.players] == expected, twin.history_str()
            return Fraction(goals[self.players[0]] or 0)
        (actor,) = self.engine.actors(state)
        moves = {self.action_of(move): move for move in self.engine.legal_moves(state)[actor]}
        assert (actor == NATURE) == twin.is_chance_node(), twin.history_str()
        if actor != NATURE:
            self._compare_views(state, actor, twin)
        assert sorted(moves) == sorted(twin.legal_actions()), twin.history_str()
        after = [
            self._walk(self.engine.next_state(state, {actor: move}), twin.child(action))
            for action, move in moves.items()
        ]
        return sum(after, Fraction(0)) / len(after)

    def _compare_views(self, state: State, actor: Role, twin: Any) -> None:
        assert twin.current_player() == self.players.index(actor)
        self.decisions += 1
        name = twin.information_state_string()
        view = actor, self.engine.view(state, actor)
        self.views.setdefault(view, set()).add(name)
        self.names.setdefault(name, set()).add(view)

    def has_same_information_sets(self) -> bool:
        """Tell whether players know the same in both, wherever they decide."""
        found = (*self.views.values(), *self.names.values())
        return all(len(others) == 1 for others in found)
