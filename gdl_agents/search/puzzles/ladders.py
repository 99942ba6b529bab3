"""How far facts are from holding: learned from random games.

Facts of one relation that differ in some arguments only are the values of a variable where exactly
one of them holds at a time: where a tile lies, what lies on a square. A step changes the value,
and so values have distances: the number of changes from one to another. Of any other relation,
the fact that is nearest counts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl_env.language.terms import Compound, Term

# Facts that share a ladder at the most, and arguments of a relation whose subsets are tried.
_MOST_FACTS, _MOST_ARGUMENTS = 4_096, 5
# Leaves that get ladders at the most.
_MOST_LEAVES = 400


class Ladders(NamedTuple):
    """For each leaf, lists of facts: the nearer one is to the leaf, the earlier it comes."""

    # int64 (leaves + 1), int64 (ladders + 1): which ladders a leaf has, and their rungs.
    starts: NDArray[np.int64]
    rungs: NDArray[np.int64]
    # int32, float32 (rungs): the fact, and how near the leaf is if it holds: below 1.
    facts: NDArray[np.int32]
    values: NDArray[np.float32]


class LadderMaker:
    """Makes ladders from steps that were seen."""

    def __init__(
        self, facts: tuple[Term, ...], before: NDArray[np.bool_], after: NDArray[np.bool_]
    ) -> None:
        """Take in steps: states before and after them, as steps by facts."""
        self._facts = facts
        self._before, self._after = before, after
        self._groups: dict[tuple[object, ...], tuple[list[int], bool]] = {}
        self._members: dict[tuple[object, ...], list[int]] = {}
        self._edges: dict[tuple[object, ...], dict[int, list[int]]] = {}

    def make(self, leaves: Iterable[int], is_wanted: Iterable[bool]) -> Ladders:
        """Return the ladders of leaves that are wanted."""
        found: list[list[list[tuple[int, int]]]] = []
        farthest = 1
        for leaf, wanted in zip(leaves, is_wanted, strict=True):
            own = []
            if wanted and len(found) < _MOST_LEAVES:
                own = [self._climb(leaf, key) for key in self._find_groups(leaf)]
            found.append([ladder for ladder in own if ladder])
            farthest = max([farthest, *(d for ladder in own for _, d in ladder)])
        return _pack(found, farthest)

    def _find_groups(self, leaf: int) -> list[tuple[object, ...]]:
        """Return the variables that a fact is a value of; else its relation."""
        term = self._facts[leaf]
        if not isinstance(term, Compound) or len(term.args) > _MOST_ARGUMENTS:
            return []
        places = range(len(term.args))
        whole = self._key(term, ())
        found = []
        for size in range(len(term.args)):
            for kept in combinations(places, size):
                key = self._key(term, kept)
                if self._is_variable(key, kept):
                    found.append(key)
        self._is_variable(whole, ())
        return found or ([whole] if len(self._groups[whole][0]) <= _MOST_FACTS else [])

    def _key(self, term: Compound, kept: tuple[int, ...]) -> tuple[object, ...]:
        return (term.name, len(term.args), kept, *(term.args[place] for place in kept))

    def _is_variable(self, key: tuple[object, ...], kept: tuple[int, ...]) -> bool:
        if key not in self._groups:
            members = self._list_members(key, kept)
            is_variable = 1 < len(members) <= _MOST_FACTS
            if is_variable:
                is_variable = bool((self._before[:, members].sum(axis=1) == 1).all())
            self._groups[key] = members, is_variable
        return self._groups[key][1]

    def _list_members(self, key: tuple[object, ...], kept: tuple[int, ...]) -> list[int]:
        shape = key[0], key[1], kept
        if shape not in self._members:
            self._members[shape] = []
            for number, term in enumerate(self._facts):
                if isinstance(term, Compound) and (term.name, len(term.args)) == key[:2]:
                    own = self._key(term, kept)
                    self._members.setdefault(own, []).append(number)
        return self._members.get(key, [])

    def _climb(self, leaf: int, key: tuple[object, ...]) -> list[tuple[int, int]]:
        """Return facts from which a leaf is reached, with their distances, in rising order."""
        edges = self._find_edges(key)
        distance = {leaf: 0}
        waiting = deque([leaf])
        while waiting:
            fact = waiting.popleft()
            for other in edges.get(fact, ()):
                if other not in distance:
                    distance[other] = distance[fact] + 1
                    waiting.append(other)
        return [(fact, steps) for fact, steps in distance.items() if steps]

    def _find_edges(self, key: tuple[object, ...]) -> dict[int, list[int]]:
        """Return which values were seen to follow each other, either way round."""
        if key not in self._edges:
            members = np.array(self._groups[key][0])
            before, after = self._before[:, members], self._after[:, members]
            lost, won = before & ~after, after & ~before
            plain = (lost.sum(axis=1) == 1) & (won.sum(axis=1) == 1)
            pairs = np.stack([lost[plain].argmax(axis=1), won[plain].argmax(axis=1)], axis=1)
            edges: dict[int, list[int]] = {}
            for a, b in np.unique(np.sort(pairs, axis=1), axis=0).tolist():
                edges.setdefault(int(members[a]), []).append(int(members[b]))
                edges.setdefault(int(members[b]), []).append(int(members[a]))
            self._edges[key] = edges
        return self._edges[key]


def _pack(found: list[list[list[tuple[int, int]]]], farthest: int) -> Ladders:
    ladders = [ladder for own in found for ladder in own]
    pairs = [pair for ladder in ladders for pair in ladder]
    sizes = np.cumsum([0, *map(len, ladders)])
    facts = np.array([fact for fact, _ in pairs], np.int32)
    values = np.array([1.0 - steps / (farthest + 1) for _, steps in pairs], np.float32)
    return Ladders(np.cumsum([0, *map(len, found)]), sizes, facts, values)


def make_no_ladders(leaves: int) -> Ladders:
    """Return none: a fact that does not hold is far."""
    return _pack([[] for _ in range(leaves)], 1)
