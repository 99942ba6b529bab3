"""A person who moves pieces on a simulated table, and is not always careful."""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Protocol

from gdl_env.engine.contract import Engine, Moves, State
from gdl_env.language.game import Turns
from gdl_env.robot.positions import Position, PositionReader


class TableForHands(Protocol):
    """A simulated table on which a person moves pieces."""

    @property
    def position(self) -> Position:
        """Return where pieces really are."""

    def set_up(self, position: Position) -> None:
        """Put all pieces where a match begins with them."""

    def rearrange(self, position: Position) -> None:
        """Bring pieces to a position by hand."""


class SimulatedPerson:
    """Plays random legal moves of some roles by hand, once the board is as the rules have it.

    Where it stays otherwise for `patience` calls of `act`, the person puts it right.

    `blunders` is the share of turns that begin with a wrong move, which is taken back after
    `patience` calls of `act`.
    """

    def __init__(
        self,
        engine: Engine,
        reader: PositionReader,
        table: TableForHands,
        roles: Collection[str],
        blunders: float = 0.0,
        seed: int = 0,
        patience: int = 20,
    ) -> None:
        self._engine = engine
        self._reader = reader
        self._table = table
        self._roles = frozenset(roles)
        self._blunders = blunders
        self._random = Random(seed)
        self._patience = patience
        self._done: object = None
        # Calls until a wrong move is taken back; 0: there is none.
        self._waiting = 0
        # Calls in which the board has not been as the rules have it.
        self._puzzled = 0

    def act(self, state: State, turn: object) -> bool:
        """Do what is to be done in a state; tell whether a piece was moved.

        `turn` tells one turn from the next: a person moves once in each.
        """
        if turn == self._done or self._engine.is_terminal(state):
            return False
        actors = self._engine.actors(state)
        own = [role for role in actors if str(role) in self._roles]
        if not own:
            return False
        if self._waiting > 1:
            self._waiting -= 1
            return False
        position = self._reader.read(state)
        if self._waiting == 1:
            self._waiting = 0
            self._table.rearrange(position)
        elif self._table.position != position:
            self._puzzled += 1
            if state == self._engine.initial_state:
                self._table.set_up(position)
            elif self._puzzled > self._patience:
                self._table.rearrange(position)
            else:
                # The arm may not be done yet.
                return False
        elif self._random.random() < self._blunders and self._blunder(position):
            self._waiting = self._patience
            return True
        self._puzzled = 0
        legal = self._engine.legal_moves(state)
        if self._engine.game.turns is Turns.SERIAL:
            own = own[:1]
        moves: Moves = {role: self._random.choice(legal[role]) for role in own}
        if self._engine.game.turns is Turns.JOINT and len(own) < len(actors):
            # The others' moves are not known yet: what they are does not matter to the hand.
            moves = {**{role: legal[role][0] for role in actors}, **moves}
        self._table.rearrange(self._reader.read(self._engine.next_state(state, moves)))
        self._done = turn
        return True

    def _blunder(self, position: Position) -> bool:
        """Put a piece where no rule allows it: a second one on a square, or one too many."""
        free = [place for place in self._reader.places if place not in position]
        if len(free) < 2:
            return False
        wrong = dict(position)
        for place in self._random.sample(free, 2):
            wrong[place] = (self._random.choice(self._reader.pieces),)
        self._table.rearrange(wrong)
        return True
