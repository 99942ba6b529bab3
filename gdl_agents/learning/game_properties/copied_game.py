"""Copies of a game for learners: actions and observations of all players, a row a copy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, Rows, States
from gdl_env.engine.mapping import Encoding
from gdl_env.environment.lanes.lanes import Lanes


@dataclass(frozen=True)
class CopiedStates:
    """States of n copies, and what the step that led there let the players perceive."""

    states: States
    percepts: States

    def repeat(self, count: int) -> CopiedStates:
        """Return each position `count` times."""
        return CopiedStates(
            np.repeat(self.states, count, axis=0), np.repeat(self.percepts, count, axis=0)
        )

    def replace(self, chosen: NDArray[np.bool_], other: CopiedStates) -> CopiedStates:
        """Return the positions with another one in some rows."""
        return CopiedStates(
            np.where(chosen[:, None], other.states, self.states),
            np.where(chosen[:, None], other.percepts, self.percepts),
        )


class CopiedGame:
    """The rules of a game with an encoding and without chance, as functions of positions.

    Letters in shapes: n copies, P players, A actions, E entries of an observation.
    """

    def __init__(self, lanes: Lanes, encoding: Encoding) -> None:
        self._lanes = lanes
        self._encoding = encoding
        self._batch = lanes.batch
        self._seats = {role: seat for seat, role in enumerate(self._batch.players)}
        # By legal move: its player and its action.
        self._player = np.zeros(0, np.intp)
        self._action = np.zeros(0, np.intp)
        # By player and action: the legal move.
        self._row: Rows = np.full((len(self._seats), encoding.action_size), NO_MOVE, np.int32)

    @property
    def initial(self) -> CopiedStates:
        """Return the initial position."""
        return self.without_percepts(self._batch.initial)

    def without_percepts(self, states: States) -> CopiedStates:
        """Return states as positions in which nobody has perceived anything."""
        percepts = np.zeros((len(states), self._batch.percept_words), np.uint64)
        return CopiedStates(states, percepts)

    def read_legal_actions(
        self, positions: CopiedStates
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which positions are terminal (n), and the legal actions (n, P, A)."""
        look = self._batch.look(positions.states)
        self._learn_moves()
        owner = np.repeat(np.arange(len(positions.states)), look.counts().sum(axis=1))
        legal = np.zeros((len(positions.states), *self._row.shape), np.bool_)
        legal[owner, self._player[look.rows], self._action[look.rows]] = True
        return look.terminal, legal

    def play(self, positions: CopiedStates, action: NDArray[np.intp]) -> CopiedStates:
        """Return the positions after legal actions (n, P); -1 for a player that does not act."""
        player = np.arange(len(self._seats))
        rows = np.where(action >= 0, self._row[player, action], NO_MOVE)
        does = np.full((len(rows), len(self._batch.roles)), NO_MOVE, np.int32)
        for seat, role in enumerate(self._batch.players):
            does[:, role] = self._batch.plain(rows[:, seat])
        return CopiedStates(*self._batch.step_and_perceive(positions.states, does))

    def observe(self, positions: CopiedStates) -> NDArray[np.bool_]:
        """Return what each player sees, with the percepts of the last step only: (n, P, E)."""
        views = [
            self._lanes.observe(seat, positions.states, positions.percepts).unpack()
            for seat in self._seats.values()
        ]
        return np.stack(views, axis=1)

    def goals(self, positions: CopiedStates) -> NDArray[np.int16]:
        """Return the goals (n, P), -1 where the rules give none."""
        return self._batch.goals(positions.states)[:, list(self._seats)]

    def close(self) -> None:
        """Release what is held."""
        self._lanes.close()

    def _learn_moves(self) -> None:
        """Tabulate moves: some engines meet new ones while they play."""
        known = len(self._player)
        found = [self._batch.legal_move(row) for row in range(known, self._batch.known_moves)]
        if not found:
            return
        player = [self._seats[role] for role, _ in found]
        action = [
            self._encoding.action_index(self._batch.roles[role], move) for role, move in found
        ]
        self._row[player, action] = np.arange(known, known + len(found))
        self._player = np.append(self._player, player)
        self._action = np.append(self._action, action)
