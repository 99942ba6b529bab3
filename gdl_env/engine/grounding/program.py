"""A ground program: atoms by number, and the rule instances that derive them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.grounding.columns import Ids, RowTable
from gdl_env.engine.grounding.literals import Counter
from gdl_env.engine.grounding.termtable import TermTable
from gdl_env.language.terms import Term


@dataclass(frozen=True)
class Instances:
    """Instances of one rule: heads, and for each literal the atoms, row by row."""

    relation: str
    head: Ids
    # Relations and rows of what must hold.
    positive: list[tuple[str, Ids]]
    # Relations and columns of what must not hold (it may not be possible at all).
    negative: list[tuple[str, list[Ids]]]


@dataclass(frozen=True)
class Bodies:
    """All rule instances: instance i derives `head[i]` from `literals[start[i]:start[i + 1]]`.

    A literal is 2 · atom, plus 1 where it is negated.
    """

    head: NDArray[np.int32]
    start: NDArray[np.int64]
    literals: NDArray[np.int32]


@dataclass(frozen=True)
class GroundProgram:
    """The result of grounding."""

    terms: TermTable
    relations: dict[str, RowTable]
    dynamic: frozenset[str]
    instances: list[Instances]
    counters: list[Counter]

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Return the number of the first atom of each dynamic relation."""
        result, total = {}, 0
        for name in sorted(self.dynamic & self.relations.keys()):
            result[name] = total
            total += self.relations[name].count
        return result

    @cached_property
    def atom_count(self) -> int:
        """Return the number of atoms of dynamic relations."""
        return sum(self.relations[name].count for name in self.offsets)

    def atoms(self, relation: str) -> list[tuple[int, tuple[Term, ...]]]:
        """Return number and arguments of each atom of a relation (number -1: always true)."""
        table = self.relations.get(relation)
        if table is None:
            return []
        offset = self.offsets.get(relation, -1)
        columns = table.columns()
        return [
            (
                offset + row if offset >= 0 else -1,
                tuple(self.terms.term(int(column[row])) for column in columns),
            )
            for row in range(table.count)
        ]

    def bodies(self) -> Bodies:
        """Return all instances in one piece; negations of the impossible are left out."""
        heads, lengths, parts = [], [], []
        for one in self.instances:
            count = len(one.head)
            columns = [self.offsets[name] + rows for name, rows in one.positive]
            literals = [2 * column.astype(np.int64) for column in columns]
            for name, arguments in one.negative:
                table = self.relations.get(name)
                if table is None or not table.count:
                    continue
                rows = table.find(arguments)
                literals.append(np.where(rows < 0, -1, 2 * (self.offsets[name] + rows) + 1))
            matrix = np.stack(literals, axis=1) if literals else np.zeros((count, 0), np.int64)
            kept = matrix >= 0
            heads.append(self.offsets[one.relation] + one.head)
            lengths.append(kept.sum(axis=1))
            parts.append(matrix[kept])
        if not heads:
            empty = np.zeros(0, np.int32)
            return Bodies(empty, np.zeros(1, np.int64), empty)
        start = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
        return Bodies(
            np.concatenate(heads).astype(np.int32),
            start,
            np.concatenate(parts).astype(np.int32),
        )
