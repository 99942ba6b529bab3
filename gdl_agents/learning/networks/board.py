"""Observations as boards, inside a network."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gdl_env.engine.mapping import Planes


class BoardLayer(nn.Module):
    """Lays observations out as `Planes.split` does: a board, and the entries beside it.

    A last channel is 1 on every cell: convolutions pad with 0, and would take what lies beyond the
    edge for cells that are empty.

    The layout is kept with the weights, since they mean nothing under another one.
    """

    def __init__(self, planes: Planes) -> None:
        super().__init__()
        channels, self.rows, self.columns = planes.shape
        self.channels = channels + 1
        entries = len(planes.table)
        inside = np.flatnonzero(planes.table[:, 0] >= 0)
        # Cells without an entry take the one after the last, which is always 0; the next is 1.
        cells = np.full((self.channels, self.rows, self.columns), entries, np.int64)
        cells[tuple(planes.table[inside].T)] = inside
        cells[-1][(cells[:-1] != entries).any(axis=0)] = entries + 1
        self.cells: Tensor
        self.beside: Tensor
        self.register_buffer('cells', torch.from_numpy(cells.reshape(-1)))
        self.register_buffer('beside', torch.from_numpy(planes.remainder.astype(np.int64)))

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Return [B, channels, rows, columns] and [B, entries beside the board]."""
        padded = functional.pad(functional.pad(observation, (0, 1)), (0, 1), value=1.0)
        board = padded.index_select(1, self.cells)
        beside = observation.index_select(1, self.beside)
        return board.view(-1, self.channels, self.rows, self.columns), beside
