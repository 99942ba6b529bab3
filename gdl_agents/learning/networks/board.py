"""Observations as boards, inside a network."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gdl_env.engine.mapping import Planes


class Board(nn.Module):
    """Lays observations out as `Planes.split` does: a board, and the entries beside it.

    The layout is kept with the weights, since they mean nothing under another one.
    """

    def __init__(self, planes: Planes) -> None:
        super().__init__()
        self.channels, self.rows, self.columns = planes.shape
        entries = len(planes.table)
        inside = np.flatnonzero(planes.table[:, 0] >= 0)
        # Cells without an entry take the one after the last, which is always 0.
        cells = np.full(planes.shape, entries, np.int64)
        cells[tuple(planes.table[inside].T)] = inside
        self.cells: Tensor
        self.beside: Tensor
        self.register_buffer('cells', torch.from_numpy(cells.reshape(-1)))
        self.register_buffer('beside', torch.from_numpy(planes.remainder.astype(np.int64)))

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Return [B, channels, rows, columns] and [B, entries beside the board]."""
        padded = functional.pad(observation, (0, 1))
        board = padded.index_select(1, self.cells)
        beside = observation.index_select(1, self.beside)
        return board.view(-1, self.channels, self.rows, self.columns), beside
