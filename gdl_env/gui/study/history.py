"""The moves of the game that a page shows, in order: what its list of moves is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain

from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.frames import Frame, Frames
from gdl_env.gui.match_link import MatchLink
from gdl_env.play.noop import NOOP_MOVE

# Positions that are read at once: a match may make thousands a second.
_AT_ONCE = 400
_CHANCE = 'chance'
# Positions of which it is found out what chance made of the moves, at once.
_DRAWN_AT_ONCE = 8

# Roles, and what each of them did.
Words = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class HistoryEntry:
    """A position, and the moves that led to it, in words."""

    # The number of the frame, and its tick.
    number: int
    tick: int
    # Of each role that did not merely wait.
    words: Words = ()
    # Taken back later: a branch that was left.
    is_undone: bool = False
    # The frame of the position before; -1 at the beginning.
    parent: int = -1


class GameHistory:
    """Follows the frames of a match, and keeps the entries of one episode.

    A position that comes again without a move was taken back to: what lay between is a branch.
    """

    def __init__(self, link: MatchLink, role: str = '') -> None:
        self._link = link
        self._role = role
        self._episode = 0
        self._next = 0
        self._entries: list[HistoryEntry] = []
        self._facts: list[frozenset[str]] = []
        self._source: Frames | None = None
        self._lives = 0

    @property
    def frames(self) -> Frames:
        """Return the frames whose numbers the entries hold.

        In open games all see the same, and spectators receive the moves; else a role has its own.
        """
        seat = self._link.seats.get(self._role) if self._role else None
        return self._link.frames if self._link.is_open or seat is None else seat.frames

    def entries(self) -> list[HistoryEntry]:
        """Return the entries of the newest episode, the first position included."""
        info, painter, frames = self._link.info, self._link.painter, self.frames
        if info is None or painter is None:
            return []
        if frames is not self._source or self._lives != self._link.lives:
            self._source, self._lives = frames, self._link.lives
            self._clear(0)
        first, last = frames.span
        if last < self._next - 1:
            self._clear(0)
        # The last one may have been replaced since, or one put before it.
        self._drop_from(max(first, self._next - 2))
        start = max(first, self._next, last - _AT_ONCE)
        for number in range(start, last + 1):
            frame = frames.get(number, info)
            self._next = number + 1
            if frame is not None:
                self._take(number, frame, painter, is_new=number > last - _DRAWN_AT_ONCE)
        return self._entries

    def _clear(self, episode: int) -> None:
        self._episode = episode
        self._entries, self._facts = [], []
        if not episode:
            self._next = 0

    def _drop_from(self, number: int) -> None:
        while self._entries and self._entries[-1].number >= number:
            self._entries.pop()
            self._facts.pop()
        self._next = min(self._next, number)

    def _take(self, number: int, frame: Frame, painter: Painter, *, is_new: bool) -> None:
        if frame.episode < self._episode:
            return
        if frame.episode > self._episode:
            self._clear(frame.episode)
        facts = frozenset(frame.facts)
        steps: tuple[dict[str, str], ...] = (frame.moves,)
        if is_new and self._facts and self._link.is_open:
            steps = self._link.drawn_moves.find(self._link.game, self._facts[-1], frame)
        last = self._entries[-1] if self._entries else None
        if self._is_own:
            words = self._seen_words(number, frame, painter)
        else:
            parts = (_name(moves, painter) for moves in steps)
            words = tuple(chain.from_iterable(parts))
        is_same = last is not None and facts == self._facts[-1] and words in ((), last.words)
        if is_same and last is not None and (not words or frame.tick <= last.tick + 1):
            # The end of a game is published twice: for roles, and for spectators.
            return
        if self._entries and not words:
            if facts in self._facts:
                self._go_back_to(self._facts.index(facts))
                return
            if self._is_own:
                # Something changed, and nothing tells the role who did what.
                return
            words = ((_CHANCE, ''),)
        before = next((e.number for e in reversed(self._entries) if not e.is_undone), -1)
        self._entries.append(HistoryEntry(number, frame.tick, words, parent=before))
        self._facts.append(facts)

    def _go_back_to(self, place: int) -> None:
        """Mark what was taken back."""
        for index in range(place + 1, len(self._entries)):
            old = self._entries[index]
            self._entries[index] = replace(old, is_undone=True)
            # It is not come back to.
            self._facts[index] = frozenset({f'undone {old.number}'})

    @property
    def _is_own(self) -> bool:
        """Tell whether only what one role sees is known, of a game that hides something."""
        return not self._link.is_open and self._role in self._link.seats

    def _seen_words(self, number: int, frame: Frame, painter: Painter) -> Words:
        """Return what a role did itself, and what it has seen others do."""
        info, seat = self._link.info, self._link.seats[self._role]
        before = self.frames.get(number - 1, info) if info is not None else None
        if before is None or before.episode != frame.episode:
            return ()
        if frame.is_final:
            # It has the number of the step that ended the game.
            own = frame.moves.get(self._role, '')
        else:
            is_later = frame.tick > before.tick and not before.is_final
            own = seat.move_before(frame.tick) if is_later else ''
        words = _name({self._role: own}, painter) if own else ()
        seen = painter.name_new(before.facts, frame.facts)
        # What the own move has led to need not be said twice; the middle is anybody's.
        known = {self._role, ''} if words else set()
        return (*words, *((role, told) for role, told in seen if role not in known))


def _name(moves: Mapping[str, str], painter: Painter) -> Words:
    told = {role: move for role, move in moves.items() if move != str(NOOP_MOVE)} or moves
    try:
        return tuple((role, painter.name_move(move, role)) for role, move in told.items())
    except ValueError:
        return tuple(told.items())
