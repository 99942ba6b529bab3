"""What lies in the trays beside a board: captured pieces, and those that are not in play yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gdl_env.robot.errors import TrayError


@dataclass(frozen=True, order=True)
class Slot:
    """A place in a tray, by number from 0."""

    tray: str
    number: int

    @property
    def name(self) -> str:
        """Return its name in messages and frames: captured_3, counted from 1."""
        return f'{self.tray}_{self.number + 1}'


CAPTURED = 'captured'
RESERVE = 'reserve'


@dataclass(frozen=True)
class Trays:
    """Slots for captured pieces, one each, and a magazine for every kind of piece.

    A magazine hands out one piece after the other at the same place, and takes back what no slot
    has room for. A magazine without a count never gets empty.
    """

    # Number of slots for captured pieces.
    room: int
    # The magazines: what each holds, in the order of their slots, and how many of it.
    magazines: tuple[str, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    # What lies in the slots for captured pieces, by number.
    captured: Mapping[int, str] = field(default_factory=dict)

    def find_piece(self, piece: str) -> Slot:
        """Return where such a piece can be picked. Raises TrayError."""
        for number, held in sorted(self.captured.items()):
            if held == piece:
                return Slot(CAPTURED, number)
        if piece in self.magazines and self.counts.get(piece, 1) > 0:
            return Slot(RESERVE, self.magazines.index(piece))
        raise TrayError(f'no tray holds a {piece}; add one to the tray {RESERVE!r}')

    def find_room(self, piece: str) -> Slot:
        """Return where a piece can be put. Raises TrayError."""
        free = set(range(self.room)) - set(self.captured)
        if free:
            return Slot(CAPTURED, min(free))
        if piece in self.magazines:
            return Slot(RESERVE, self.magazines.index(piece))
        raise TrayError(
            f'no room for a {piece}: all {self.room} slots of the tray {CAPTURED!r} are taken'
        )

    def pick(self, slot: Slot) -> tuple[str, Trays]:
        """Return the piece at a slot, and the trays without it. Raises TrayError."""
        if slot.tray == RESERVE:
            piece = self.magazines[slot.number]
            if piece not in self.counts:
                return piece, self
            if self.counts[piece] < 1:
                raise TrayError(f'the magazine {slot.name} has no {piece} left')
            return piece, self._count(piece, -1)
        if slot.number not in self.captured:
            raise TrayError(f'the slot {slot.name} is empty')
        rest = {number: held for number, held in self.captured.items() if number != slot.number}
        return self.captured[slot.number], replace(self, captured=rest)

    def put(self, piece: str, slot: Slot) -> Trays:
        """Return the trays with a piece at a slot. Raises TrayError."""
        if slot.tray == RESERVE:
            if self.magazines[slot.number] != piece:
                raise TrayError(f'{slot.name} holds {self.magazines[slot.number]}, not {piece}')
            return self._count(piece, 1) if piece in self.counts else self
        if slot.number in self.captured:
            raise TrayError(f'the slot {slot.name} holds a {self.captured[slot.number]} already')
        return replace(self, captured={**self.captured, slot.number: piece})

    def _count(self, piece: str, more: int) -> Trays:
        return replace(self, counts={**self.counts, piece: self.counts[piece] + more})
