"""Moves that name experiments: what they may become, and how likely that is."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import NO_MOVE, Outcomes, Rows
from gdl_env.engine.circuit.network.vocabulary import RowVocabulary
from gdl_env.engine.contract import replace
from gdl_env.errors import ExhaustedError
from gdl_env.language.game import Game
from gdl_env.language.terms import symbol_names

# An experiment must be drawn before it is known what is done.
DRAWN = -2


class Draws:
    """The outcomes of legal moves of the circuit engine."""

    def __init__(self, game: Game, vocabulary: RowVocabulary) -> None:
        self._vocabulary = vocabulary
        self.done = {pair: row for row, pair in enumerate(vocabulary.does)}
        self._names = [sorted(symbol_names(m) & game.experiments) for _, m in vocabulary.legal]
        # What is done for each legal move; the last entry is for NO_MOVE.
        self.plain = np.array(
            [
                DRAWN if names else self.done.get(pair, NO_MOVE)
                for pair, names in zip(vocabulary.legal, self._names, strict=True)
            ]
            + [NO_MOVE],
            np.int32,
        )
        self._events: dict[str, list[int]] = {name: [] for name in game.experiments}
        for row, (name, weight, _) in enumerate(vocabulary.events):
            if weight > 0:
                self._events[name].append(row)
        self._combinations: dict[int, tuple[list[int], list[tuple[int, ...]]]] = {}

    def outcomes(self, rows: Rows, events: NDArray[np.bool_]) -> Outcomes:
        """Return the outcomes of one legal move each; `events` tells which can happen."""
        starts = [0]
        does: list[int] = []
        weights: list[float] = []
        for index, row in enumerate(rows):
            if self.plain[row] != DRAWN:
                does.append(int(self.plain[row]))
                weights.append(1.0)
                starts.append(len(does))
                continue
            found: dict[int, float] = {}
            for done, combination in zip(*self._of(int(row)), strict=True):
                weight = 1.0
                for event in combination:
                    weight *= self._vocabulary.events[event][1] * bool(events[index, event])
                if weight:
                    found[done] = found.get(done, 0.0) + weight
            if not found:
                raise ExhaustedError(self._exhausted(int(row), events[index]))
            total = sum(found.values())
            does += found
            weights += [weight / total for weight in found.values()]
            starts.append(len(does))
        return Outcomes(np.array(starts), np.array(does, np.int32), np.array(weights))

    def _exhausted(self, row: int, held: NDArray[np.bool_]) -> str:
        """Return the first experiment of a move none of whose events can happen."""
        names = self._names[row]
        return next((n for n in names if not held[self._events[n]].any()), names[0])

    def _of(self, row: int) -> tuple[list[int], list[tuple[int, ...]]]:
        """Return what a legal move can become, and by which events."""
        if row not in self._combinations:
            role, move = self._vocabulary.legal[row]
            done: list[int] = []
            by: list[tuple[int, ...]] = []
            for combination in product(*(self._events[name] for name in self._names[row])):
                played = move
                for name, event in zip(self._names[row], combination, strict=True):
                    played = replace(played, name, self._vocabulary.events[event][2])
                if (role, played) in self.done:
                    done.append(self.done[role, played])
                    by.append(combination)
            self._combinations[row] = done, by
        return self._combinations[row]
