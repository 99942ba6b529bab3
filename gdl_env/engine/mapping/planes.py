"""Observations as boards: channels by rows by columns, and what lies on no board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.mapping.orders import Orders
from gdl_env.engine.mapping.template import Shape, build, leaves, shape_of
from gdl_env.language.terms import Term, Variable


@dataclass(frozen=True)
class Planes:
    """A board: where each entry of an observation stands, or that it stands on none."""

    # What each channel shows, such as `(cell ?row ?column x)`.
    channels: tuple[str, ...]
    # The coordinates in their order: the first one in a fact is the row.
    rows: tuple[Term, ...]
    columns: tuple[Term, ...]
    # For each entry of an observation: channel, row and column, or -1 three times.
    table: NDArray[np.int32]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return the numbers of channels, rows and columns."""
        return len(self.channels), len(self.rows), len(self.columns)

    @property
    def remainder(self) -> NDArray[np.int64]:
        """Return the entries that stand on no board, in order."""
        return np.flatnonzero(self.table[:, 0] < 0)

    def split(self, observation: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], ...]:
        """Return an observation as a board and its remainder; batches keep their first axes."""
        inside = np.flatnonzero(self.table[:, 0] >= 0)
        board = np.zeros((*observation.shape[:-1], *self.shape), observation.dtype)
        channel, row, column = self.table[inside].T
        board[..., channel, row, column] = observation[..., inside]
        return board, observation[..., self.remainder]


@dataclass(frozen=True)
class _Grid:
    """A relation with two ordered coordinates."""

    shape: Shape
    # The places of row and column among the leaves.
    places: tuple[int, int]
    rows: tuple[Term, ...]
    columns: tuple[Term, ...]
    size: int


def find_planes(facts: Sequence[Term], orders: Orders) -> Planes | None:
    """Find the board of a game: the largest grid, and all that fits onto it."""
    groups: dict[Shape, list[int]] = {}
    for index, fact in enumerate(facts):
        groups.setdefault(shape_of(fact), []).append(index)
    grids = {}
    for shape, indices in groups.items():
        grid = _find_grid(shape, [leaves(facts[index], shape) or [] for index in indices], orders)
        if grid is not None:
            grids[shape] = grid
    if not grids:
        return None
    board = max(grids.values(), key=lambda grid: grid.size)
    row_of = {value: place for place, value in enumerate(board.rows)}
    column_of = {value: place for place, value in enumerate(board.columns)}
    table = np.full((len(facts), 3), -1, np.int32)
    channels: dict[Term, int] = {}
    for shape, grid in grids.items():
        if not (set(grid.rows) <= row_of.keys() and set(grid.columns) <= column_of.keys()):
            continue
        for index in groups[shape]:
            values = leaves(facts[index], shape) or []
            row, column = (values[place] for place in grid.places)
            channel = channels.setdefault(_channel(shape, values, grid.places), len(channels))
            table[index] = channel, row_of[row], column_of[column]
    return Planes(tuple(map(str, channels)), board.rows, board.columns, table)


def _find_grid(shape: Shape, rows: list[list[Term]], orders: Orders) -> _Grid | None:
    """Find the two coordinates of a relation, given the values of its facts."""
    ordered: dict[int, tuple[Term, ...]] = {}
    for place in range(len(rows[0])):
        values = orders.sort({row[place] for row in rows})
        if values is not None and len(values) > 1:
            ordered[place] = values
    pairs = [
        (first, second)
        for first, second in combinations(ordered, 2)
        # A board may have gaps, but most of its cells exist.
        if 2 * len({(row[first], row[second]) for row in rows})
        > len(ordered[first]) * len(ordered[second])
    ]
    if not pairs:
        return None
    # Where more than two places are ordered, a square is the likeliest board.
    places = max(pairs, key=lambda pair: ordered[pair[0]] == ordered[pair[1]])
    return _Grid(shape, places, ordered[places[0]], ordered[places[1]], len(rows))


def _channel(shape: Shape, values: list[Term], places: tuple[int, int]) -> Term:
    row, column = places
    open_values: list[Term] = list(values)
    open_values[row], open_values[column] = Variable('row'), Variable('column')
    return build(shape, iter(open_values))
