"""What mappings that list facts and moves in tables have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import Fact, Move, Role, State
from gdl_env.engine.grounding.outside import is_mark
from gdl_env.engine.mapping.contract import Encoding, Observation
from gdl_env.engine.mapping.errors import EncodingError
from gdl_env.engine.mapping.orders import Orders
from gdl_env.engine.mapping.planes import Planes, find_planes
from gdl_env.engine.mapping.reading import SEES
from gdl_env.engine.mapping.table import IndexTable
from gdl_env.language.game import Game, Information
from gdl_env.language.terms import Compound, args_of, name_of

# Indices that are kept, and entries of a vector that can still be made.
_CACHED_TERMS = 200_000
_LARGEST = 100_000_000


class TableEncoding(Encoding):
    """A mapping by a table of all observable facts and a table of all moves.

    An entry of an observation is 1 where its fact is shown. A fact `(sees role f)` of the role
    itself counts as `(sees f)`; those of other roles are never looked at.
    """

    def __init__(
        self, game: Game, state: IndexTable, observations: IndexTable, actions: IndexTable
    ) -> None:
        super().__init__(game)
        # All facts of the state, hidden ones too.
        self.state_table = state
        self.observation_table = observations
        self.action_table = actions
        self._has_own = game.information is Information.STATE
        self._places: dict[Fact, int] = {}
        self._action_places: dict[Move, int] = {}

    @property
    def state_size(self) -> int:
        """Return the number of facts that can occur in a state, hidden ones included."""
        return self.state_table.size

    @property
    def observation_size(self) -> int:
        """Return the length of an observation."""
        return self.observation_table.size

    @property
    def action_size(self) -> int:
        """Return the number of actions."""
        return self.action_table.size

    def observe(self, view: State, role: Role) -> Observation:
        """Return what a role sees as a vector. Raises EncodingError for an unknown fact."""
        vector = _zeros(self.observation_size)
        for fact in view:
            index = self._place(fact, role)
            if index >= 0:
                vector[index] = 1
        return vector

    def observation_columns(self, facts: Sequence[Fact], role: Role) -> NDArray[np.int64]:
        """Return the index of each fact in an observation, -1 where it is hidden from the role.

        With it a batch of states, given as a matrix with a column for each fact, becomes a batch
        of observations: see `observe_rows`. Marks of values outside their range are never shown.
        """
        places = (-1 if is_mark(fact) else self._place(fact, role) for fact in facts)
        return np.fromiter(places, np.int64, len(facts))

    def observe_rows(self, rows: NDArray[np.bool_], columns: NDArray[np.int64]) -> Observation:
        """Return observations of states that are rows of a matrix; see `observation_columns`."""
        batch = np.zeros((len(rows), self.observation_size), np.uint8)
        shown = np.flatnonzero(columns >= 0)
        states, facts = np.nonzero(rows[:, shown])
        batch[states, columns[shown[facts]]] = 1
        return batch

    def state_vector(self, state: State) -> Observation:
        """Return a whole state as a vector, for those who may see everything.

        Raises EncodingError for an unknown fact.
        """
        vector = _zeros(self.state_size)
        for fact in state:
            vector[self._find(self.state_table, fact)] = 1
        return vector

    def action_index(self, role: Role, move: Move) -> int:
        """Return the action of a move. Raises EncodingError where it has none."""
        index = self._action_places.get(move)
        if index is None:
            index = self.action_table.find(move)
            if index is None:
                raise EncodingError(f'{move} of {role} is none of the {self.action_size} actions')
            if len(self._action_places) < _CACHED_TERMS:
                self._action_places[move] = index
        return index

    def move(self, role: Role, index: int) -> Move:
        """Return the move of an action. Raises EncodingError where there is no such index."""
        try:
            return self.action_table.term(index)
        except IndexError as error:
            raise EncodingError(f'no action of {role} has the index {error}') from None

    def observation_name(self, index: int) -> str:
        """Return the fact an entry stands for. Raises IndexError."""
        return str(self.observation_table.term(index))

    def planes(self) -> Planes | None:
        """Return how observations can be laid out as a board; None where there is none."""
        return self._planes

    @cached_property
    def _planes(self) -> Planes | None:
        return find_planes(self.observation_table.terms(), Orders(self.game))

    def _place(self, fact: Fact, role: Role) -> int:
        """Return the index of a fact in the observation of a role; -1 if it is hidden from it."""
        if self._has_own and name_of(fact) == SEES and len(args_of(fact)) == 2:
            owner, inner = args_of(fact)
            if owner != role:
                return -1
            fact = Compound(SEES, (inner,))
        index = self._places.get(fact)
        if index is None:
            index = self._find(self.observation_table, fact)
            if len(self._places) < _CACHED_TERMS:
                self._places[fact] = index
        return index

    def _find(self, table: IndexTable, fact: Fact) -> int:
        index = table.find(fact)
        if index is None:
            raise EncodingError(
                f'{self.game.name}: {fact} lies outside of {self._expected(table, fact)}'
            )
        return index

    def _expected(self, _table: IndexTable, _fact: Fact) -> str:
        """Return what a table has that lacks a fact."""
        return self.describe()

    def describe(self) -> str:
        """Return in a few words where the tables come from."""
        return 'the tables of the mapping'


def _zeros(size: int) -> Observation:
    if size > _LARGEST:
        raise EncodingError(
            f'an observation would have {size} entries, more than {_LARGEST}: use narrower types,'
            ' a typemap or a manual mapping (doc/mapping.md)'
        )
    return np.zeros(size, np.uint8)
