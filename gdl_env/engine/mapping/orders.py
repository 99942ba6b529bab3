"""Which values of a game are in an order: numbers, and names that a table of successors lists."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from gdl_env.language.game import Game
from gdl_env.language.terms import Number, Term, args_of, is_ground, name_of, sort_key

# Two names in a row, as `(before day night)`, are no scale.
_SHORTEST = 3


class Orders:
    """The orders that the facts of a game define."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def sort(self, values: Iterable[Term]) -> tuple[Term, ...] | None:
        """Return values in their order; None where they have none."""
        wanted = frozenset(values)
        if all(isinstance(value, Number) for value in wanted):
            return tuple(sorted(wanted, key=sort_key))
        for path in self._paths:
            if wanted <= path.keys():
                return tuple(sorted(wanted, key=path.__getitem__))
        return None

    @cached_property
    def _paths(self) -> list[dict[Term, int]]:
        """Return each relation of two arguments whose facts form one line, as ranks."""
        pairs: dict[str, list[tuple[Term, Term]]] = {}
        ruled = {name_of(rule.head) for rule in self._game.rules if rule.body}
        for rule in self._game.rules:
            args = args_of(rule.head)
            if len(args) == 2 and is_ground(rule.head) and name_of(rule.head) not in ruled:
                pairs.setdefault(name_of(rule.head), []).append((args[0], args[1]))
        return [path for path in map(_path, pairs.values()) if len(path) >= _SHORTEST]


def _path(pairs: list[tuple[Term, Term]]) -> dict[Term, int]:
    """Return the ranks of values on the one line that the pairs form; nothing if they do not."""
    after = dict(pairs)
    ends = set(after.values())
    starts = [value for value in after if value not in ends]
    if len(after) != len(set(pairs)) or len(ends) != len(after) or len(starts) != 1:
        return {}
    path = {starts[0]: 0}
    value = starts[0]
    while value in after:
        value = after[value]
        path[value] = len(path)
    return path if len(path) == len(after) + 1 else {}
