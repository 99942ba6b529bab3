"""Where the moves of each seat lie in a row of legal moves; see `lanes/records.py`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import BatchGame
from gdl_env.engine.mapping import Encoding
from gdl_env.language.terms import sort_key
from gdl_env.play.noop import is_noop


class SeatLayout:
    """Bits of legal moves: actions for players, places in the order of terms for `random`.

    So are the bits of players without an encoding. Some engines meet their moves only while they
    play. Then moves are put into their places as they come, and bits are numbered again: a draw
    from legal moves must not depend on what was met before. `version` counts how often.
    """

    def __init__(self, batch: BatchGame, encoding: Encoding | None) -> None:
        self._batch = batch
        self._encoding = encoding
        # The role of each seat; -1 for `random` in a game without chance.
        self.roles = (*batch.players, batch.nature)
        self._seat_of = {role: seat for seat, role in enumerate(self.roles)}
        # How many actions a player has; 0 without an encoding.
        self.actions = encoding.action_size if encoding else 0
        size = max(1, self.actions)
        self._words = [_to_words(size)] * len(batch.players) + [1]
        self._bits: list[dict[int, int]] = [{} for _ in self.roles]
        self._rows: list[dict[int, int]] = [{} for _ in self.roles]
        # By legal move: its place in the order of terms, and its text.
        self._texts: dict[int, tuple[tuple[object, ...], str]] = {}
        self.version = 0
        self._known = 0
        self.learn(batch.known_moves)

    def learn(self, count: int) -> None:
        """Take in the first `count` legal moves. Raises EncodingError if one has no action."""
        unsorted = set()
        for row in range(self._known, count):
            role, move = self._batch.legal_move(row)
            seat = self._seat_of[role]
            if self._encoding is None or role == self._batch.nature:
                bit = len(self._bits[seat])
                unsorted.add(seat)
            else:
                bit = self._encoding.action_index(self._batch.roles[role], move)
            self._bits[seat][row] = bit
            self._rows[seat][bit] = row
        self._known = max(self._known, count)
        for seat in unsorted:
            self._sort(seat)
        self.version += bool(unsorted)

    def _sort(self, seat: int) -> None:
        """Assign the bits of a seat again, in the order of its moves."""
        rows = sorted(self._bits[seat], key=lambda row: sort_key(self._batch.legal_move(row)[1]))
        self._rows[seat] = dict(enumerate(rows))
        self._bits[seat] = {row: bit for bit, row in enumerate(rows)}
        self._words[seat] = _to_words(len(rows))

    @property
    def start(self) -> NDArray[np.int32]:
        """Return the first word of each seat, and the words of a row."""
        return np.cumsum([0, *self._words]).astype(np.int32)

    def noops(self) -> NDArray[np.int32]:
        """Return the bit of `noop` of each seat, -1 without one."""
        found = np.full(len(self.roles), -1, np.int32)
        for seat, rows in enumerate(self._rows):
            for bit, row in rows.items():
                if is_noop(self._batch.legal_move(row)[1]):
                    found[seat] = bit
        return found

    def row(self, seat: int, bit: int) -> int:
        """Return the legal move of a bit."""
        return self._rows[seat][bit]

    def rows(self) -> NDArray[np.int32]:
        """Return the legal move of each bit of a row, -1 for bits without one."""
        start = self.start
        found = np.full(64 * int(start[-1]), -1, np.int32)
        for seat, rows in enumerate(self._rows):
            for bit, row in rows.items():
                found[64 * start[seat] + bit] = row
        return found

    def list_moves(self, seat: int, bits: Iterable[int]) -> list[tuple[int, str]]:
        """Return bits with their moves as text, in the order of terms: the same on any engine."""
        found = []
        for bit in bits:
            row = self._rows[seat][bit]
            if row not in self._texts:
                move = self._batch.legal_move(row)[1]
                self._texts[row] = sort_key(move), str(move)
            found.append((self._texts[row], bit))
        found.sort()
        return [(bit, text) for (_, text), bit in found]

    def bits_of(self, seat: int) -> dict[int, int]:
        """Return the bits of a seat by legal move."""
        return self._bits[seat]


def _to_words(bits: int) -> int:
    return max(1, -(-bits // 64))
