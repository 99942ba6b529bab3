"""What one role has seen and done, for many histories at once: its information sets.

A path is a number that stands for all that the role was shown and did. Paths grow by views, by
questions (each of which is an information set) and by the role's own moves (sequences). Equal
paths have equal numbers, whichever histories lead there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_agents.solving.tree import digests
from gdl_agents.solving.tree.sight import TableSight, group_rows
from gdl_env.engine.batch.contract import Rows

# The path of a role that was shown nothing, and the sequence of a role that did nothing.
START, EMPTY = 0, 0
_SEE, _ASK = 0, 1
# The sequences of an information set at which a role may turn away from a path: in this order.
_TURN_AWAY, _TAKE = 0, 1

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class PathStart:
    """Where a path begins in the middle of a game."""

    # What the role has seen and done, and the view it was shown last; None for none.
    digest: bytes = digests.NOTHING
    view: bytes | None = None
    # Whether the role decides first if it goes that way at all.
    is_optional: bool = False


class OwnPaths:
    """All paths of one role, as they are met."""

    def __init__(self, sight: TableSight, role: int) -> None:
        self._sight = sight
        self.role = role
        # Of each path: its digest, the view shown last, the last move of the role as a sequence,
        # and the information set that it is; -1 for none.
        self.digests = [digests.NOTHING]
        self.parents = [-1]
        self.view_of = np.array([-1])
        self.sequence_of = np.array([EMPTY])
        self._set_of = np.array([-1])
        # Of each information set: its path, the sequence before it, its first sequence, and how
        # many it has.
        self.paths: list[int] = []
        self.before: list[int] = []
        self.first = np.zeros(0, np.int64)
        self.count = np.zeros(0, np.int64)
        # Of each sequence: the number of its move, and of the path after it. The empty one is 0.
        self.moves: list[int] = [-1]
        self._after = np.array([START])
        self.views: list[bytes] = []
        self._known_views: dict[bytes, int] = {}
        self._known: dict[tuple[int, ...], int] = {}
        self._known_legal: dict[bytes, int] = {}
        self._legal: list[NDArray[np.int32]] = []
        # (information set, move) as one sorted number each, for sequences.
        self._keys = np.zeros(0, np.int64)
        # What the arrays have yet to take in.
        self._new_paths: list[tuple[int, int, int]] = []
        self._new_sequences: list[tuple[int, int, int]] = []
        self._new_sets: list[tuple[int, int]] = []

    def __len__(self) -> int:
        """Return the number of information sets."""
        return len(self.paths)

    def plant(self, starts: Iterable[PathStart]) -> Numbers:
        """Begin in the middle of a game: return a path for each start, which are all different.

        Before an optional one there is an information set of its own. Of its two sequences the
        first turns away, and the second is the one that the path belongs to.
        """
        planted = []
        for start in starts:
            view = -1 if start.view is None else int(self.number_views([start.view])[0])
            if start.is_optional:
                asked = len(self.digests)
                self._add_set(asked, EMPTY, 2)
                self._add_path(start.digest, START, (view, EMPTY, len(self.paths) - 1))
                for choice in (_TURN_AWAY, _TAKE):
                    self._add_sequence(choice, start.digest, asked, view)
            else:
                self._add_path(start.digest, START, (view, EMPTY, -1))
            planted.append(len(self.digests) - 1)
        self._grow()
        return np.array(planted, np.int64)

    def number_views(self, views: list[bytes]) -> Numbers:
        """Return the numbers of views."""
        found = []
        for view in views:
            if view not in self._known_views:
                self._known_views[view] = len(self.views)
                self.views.append(view)
            found.append(self._known_views[view])
        return np.array(found, np.int64)

    def number_legal(self, starts: Numbers, ends: Numbers, rows: Rows) -> Numbers:
        """Return a number for each list of legal moves, rows[start:end]."""
        sizes = ends - starts
        width = int(sizes.max(initial=0))
        if not width:
            return np.zeros(len(starts), np.int64)
        inside = np.arange(width) < sizes[:, None]
        places = np.where(inside, starts[:, None] + np.arange(width), 0)
        numbers_of = self._sight.number_moves(rows[places].ravel()).reshape(places.shape)
        table = np.where(inside, numbers_of, -1).astype(np.int32)
        first, which = group_rows(table)
        numbers = []
        for index in first.tolist():
            legal = np.sort(table[index][: sizes[index]])
            key = legal.tobytes()
            if key not in self._known_legal:
                self._known_legal[key] = len(self._legal)
                self._legal.append(legal)
            numbers.append(self._known_legal[key])
        return np.array(numbers, np.int64)[which]

    def follow_views(
        self, paths: Numbers, asked: NDArray[np.bool_], views: Numbers, legal: Numbers
    ) -> Numbers:
        """Return the paths after a tick: `legal` counts where the role is asked."""
        news = np.flatnonzero(asked | (self.view_of[paths] != views))
        table = np.stack([paths, asked, views, np.where(asked, legal, -1)], axis=1)[news]
        first, which = group_rows(table)
        found = [self._follow_view(*map(int, table[index])) for index in first.tolist()]
        self._grow()
        after: Numbers = paths.copy()
        after[news] = np.array(found, np.int64)[which]
        return after

    def follow_moves(self, paths: Numbers, rows: Rows) -> Numbers:
        """Return the paths after own moves at information sets."""
        sets = self._set_of[paths]
        wanted = _key(sets, self._sight.number_moves(rows).astype(np.int64))
        return self._after[np.searchsorted(self._keys, wanted) + 1]

    def set_at(self, path: int) -> int:
        """Return the information set that a path ends in; -1 for none."""
        return int(self._set_of[path])

    def sets_at(self, paths: Numbers) -> Numbers:
        """Return the information sets that paths end in; -1 for none."""
        return self._set_of[paths]

    def digest_at(self, information_set: int) -> bytes:
        """Return the digest of an information set."""
        return self.digests[self.paths[information_set]]

    def legal_moves(self, information_set: int) -> list[int]:
        """Return the numbers of the moves of an information set, in the order of sequences."""
        first = int(self.first[information_set])
        return self.moves[first : first + int(self.count[information_set])]

    # ---- inside

    def _follow_view(self, path: int, kind: int, view: int, legal: int) -> int:
        key = path, kind, view, legal
        found = self._known.get(key)
        if found is not None:
            return found
        new = self._known[key] = len(self.digests)
        before, seen = int(self.sequence_of[path]), self.views[view]
        if kind == _SEE:
            self._add_path(digests.see(self.digests[path], seen), path, (view, before, -1))
            return new
        moves = self._legal[legal]
        asked = digests.ask(self.digests[path], seen, self._sight.legal_bytes(moves))
        self._add_set(new, before, len(moves))
        self._add_path(asked, path, (view, before, len(self.paths) - 1))
        for move in moves.tolist():
            after = digests.do(asked, self._sight.move_bytes(move))
            self._add_sequence(move, after, new, view)
        return new

    def _add_set(self, path: int, before: int, moves: int) -> None:
        """Add an information set; its sequences must be added next."""
        self.paths.append(path)
        self.before.append(before)
        self._new_sets.append((len(self.moves), moves))

    def _add_sequence(self, move: int, digest: bytes, asked: int, view: int) -> None:
        """Add a move of the set that was added last, and the path after it."""
        self._new_sequences.append((len(self.paths) - 1, move, len(self.digests)))
        self._add_path(digest, asked, (view, len(self.moves), -1))
        self.moves.append(move)

    def _add_path(self, digest: bytes, parent: int, entry: tuple[int, int, int]) -> None:
        self.digests.append(digest)
        self.parents.append(parent)
        self._new_paths.append(entry)

    def _grow(self) -> None:
        """Take new paths and sequences into the arrays."""
        if not self._new_paths:
            return
        view, sequence, number = np.array(self._new_paths, np.int64).T
        self.view_of = np.concatenate([self.view_of, view])
        self.sequence_of = np.concatenate([self.sequence_of, sequence])
        self._set_of = np.concatenate([self._set_of, number])
        self._new_paths.clear()
        if self._new_sequences:
            sets, moves, after = np.array(self._new_sequences, np.int64).T
            self._keys = np.concatenate([self._keys, _key(sets, moves)])
            self._after = np.concatenate([self._after, after])
            self._new_sequences.clear()
            first, count = np.array(self._new_sets, np.int64).T
            self.first = np.concatenate([self.first, first])
            self.count = np.concatenate([self.count, count])
            self._new_sets.clear()


def _key(sets: Numbers, moves: Numbers) -> Numbers:
    """Return one number for an information set and a move; they rise with both."""
    return (sets << 32) | moves
