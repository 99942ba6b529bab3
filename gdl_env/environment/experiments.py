"""Moves that name experiments, such as `(roll dice)`, for many lanes at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.circuit.vocabulary import Vocabulary
from gdl_env.engine.contract import replace
from gdl_env.environment.chance import Chance
from gdl_env.errors import EngineError
from gdl_env.language.game import Game
from gdl_env.language.terms import symbol_names


class Experiments:
    """Turns legal moves into what is really done: each experiment a move names is drawn."""

    def __init__(self, game: Game, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._done = {pair: index for index, pair in enumerate(vocabulary.does)}
        self._named = [sorted(symbol_names(m) & game.experiments) for _, m in vocabulary.legal]
        # The row of what is done; -2 where an experiment must be drawn first.
        self.plain = np.array(
            [
                -2 if named else self._done.get(pair, -1)
                for pair, named in zip(vocabulary.legal, self._named, strict=True)
            ],
            np.int32,
        )
        self._events = {
            name: [index for index, event in enumerate(vocabulary.events) if event[0] == name]
            for name in game.experiments
        }

    def resolve(
        self,
        does: NDArray[np.int32],
        row: NDArray[np.int32],
        ask: Callable[[], NDArray[np.bool_]],
        chance: Chance,
    ) -> None:
        """Draw what is open in rows of what is done, for rows of legal moves.

        `ask` gives the events that can happen: events by lanes.
        """
        if not self._events:
            return
        waiting = does == -2
        if not waiting.any():
            return
        events = ask()
        for seat in np.flatnonzero(waiting.any(axis=1)):
            for legal in np.unique(row[seat][waiting[seat]]):
                where = np.flatnonzero(waiting[seat] & (row[seat] == legal))
                does[seat, where] = self._draw(int(legal), where, events, chance)

    def _draw(
        self,
        legal: int,
        lanes: NDArray[np.intp],
        events: NDArray[np.bool_],
        chance: Chance,
    ) -> NDArray[np.int32]:
        drawn = np.stack(
            [self._events_of(name, lanes, events, chance) for name in self._named[legal]], axis=1
        )
        kinds, which = np.unique(drawn, axis=0, return_inverse=True)
        found = np.array([self._row(legal, kind) for kind in kinds], np.int32)
        return found[which.reshape(-1)]

    def _events_of(
        self,
        name: str,
        lanes: NDArray[np.intp],
        events: NDArray[np.bool_],
        chance: Chance,
    ) -> NDArray[np.int64]:
        """Draw an event of an experiment in each lane, by the weights that hold there."""
        rows = self._events[name]
        held = events[np.array(rows)[None, :], lanes[:, None]]
        weights = np.array([self._vocabulary.events[row][1] for row in rows], np.int64)
        sums = np.cumsum(held.astype(np.int64) * weights, axis=1)
        if not (sums[:, -1] > 0).all():
            raise EngineError(f'no event of {name} has a weight above 0 in this state')
        picks = chance.integers(0, sums[:, -1])
        place = (sums <= picks[:, None]).sum(axis=1)
        drawn: NDArray[np.int64] = np.array(rows, np.int64)[place]
        return drawn

    def _row(self, legal: int, events: NDArray[np.int64]) -> int:
        role, move = self._vocabulary.legal[legal]
        for name, event in zip(self._named[legal], events, strict=True):
            move = replace(move, name, self._vocabulary.events[event][2])
        return self._done[role, move]
