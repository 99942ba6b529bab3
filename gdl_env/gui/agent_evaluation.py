"""How agents rate their moves: values that some send with their answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# Answers whose evaluations are kept.
KEPT = 1000

# Moves, and how an agent rates each.
Values = Mapping[str, float]


class MoveValues:
    """The newest evaluations of moves, by role and tick.

    Several roles may think at one tick; and where moves are hidden each role counts its own.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], Values] = {}
        self._newest: dict[str, Values] = {}

    def add(self, role: str, tick: int, values: Values) -> None:
        """Add the values that came with an answer."""
        if not values:
            return
        self._kept.pop((role, tick), None)
        self._kept[role, tick] = self._newest[role] = values
        while len(self._kept) > KEPT:
            self._kept.pop(next(iter(self._kept)))

    def at(self, tick: int, roles: Iterable[str]) -> dict[str, float]:
        """Return the evaluations of the roles at a tick; empty if there are none."""
        found = [self._kept.get((role, tick)) for role in roles]
        return _merge([values for values in found if values is not None])

    def newest(self) -> dict[str, float]:
        """Return the last evaluations of all roles."""
        return _merge(list(self._newest.values()))

    def clear(self) -> None:
        """Forget everything: it was another match."""
        self._kept.clear()
        self._newest.clear()


def _merge(found: list[Values]) -> dict[str, float]:
    """Return the evaluations of several roles as one; each has a scale of its own."""
    if len(found) == 1:
        return dict(found[0])
    merged: dict[str, float] = {}
    for values in found:
        low, high = min(values.values()), max(values.values())
        for move, value in values.items():
            share = (value - low) / (high - low) if high > low else 1.0
            merged[move] = max(merged.get(move, 0.0), share)
    return merged
