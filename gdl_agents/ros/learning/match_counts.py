"""Counts the episodes of matches, though learners and environments are killed meanwhile."""

from __future__ import annotations

from typing import Any


class MatchCounts:
    """Episodes whose ends were heard, corrected by what each match says of itself.

    A learner that was killed misses ends while it is away, and an environment that is killed may
    not publish the last one. The status of the match counts them all. Matches are known by their
    namespaces; one that begins again counts from 0, and its earlier episodes are kept.
    """

    def __init__(self) -> None:
        # Of earlier sittings and matches.
        self._before = 0
        # By match: ends that were heard, what its status said last, and how many of those were
        # played before the learner came.
        self._heard: dict[str, int] = {}
        self._finished: dict[str, int] = {}
        self._foreign: dict[str, int] = {}

    @property
    def episodes(self) -> int:
        """Return how many episodes were played."""
        matches = self._heard.keys() | self._finished.keys()
        return self._before + sum(map(self._count, matches))

    def add(self, match: str, ended: int) -> None:
        """Count ends that were heard."""
        self._heard[match] = self._heard.get(match, 0) + ended

    def correct(self, match: str, finished: int) -> None:
        """Take what the status of a match says."""
        last = self._finished.get(match)
        if last is None:
            self._foreign[match] = max(0, finished - self._heard.get(match, 0))
        elif finished < last:
            # It began again.
            self._before += last - self._foreign.pop(match, 0)
            self._heard[match] = max(0, self._heard.get(match, 0) - last)
        self._finished[match] = finished

    def to_tree(self) -> list[Any]:
        """Return everything, to be restored later."""
        return [self._before, dict(self._heard), dict(self._finished), dict(self._foreign)]

    def restore(self, tree: list[Any], *, is_same: bool) -> None:
        """Take over what `to_tree` returned; the same matches continue, or others begin."""
        self._before, self._heard, self._finished, self._foreign = (
            tree[0],
            *(dict(part) for part in tree[1:]),
        )
        if not is_same:
            self._before = self.episodes
            self._heard, self._finished, self._foreign = {}, {}, {}

    def _count(self, match: str) -> int:
        told = self._finished.get(match, 0) - self._foreign.get(match, 0)
        return max(self._heard.get(match, 0), told)
