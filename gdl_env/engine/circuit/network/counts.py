"""Atoms of `count`: how many of a group of atoms hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.grounding.literals import Counter
from gdl_env.engine.grounding.program import GroundProgram


@dataclass(frozen=True)
class Counts:
    """For each atom its group (-1: none) and the number it stands for; the atoms of each group.

    `exact` holds the value of atoms whose count does not depend on the state.
    """

    group_of: NDArray[np.int64]
    number: NDArray[np.int64]
    start: NDArray[np.int64]
    members: NDArray[np.int64]
    exact: dict[int, bool]


def read_counts(program: GroundProgram) -> Counts:
    """Collect the groups of all counters."""
    group_of = np.full(program.atom_count, -1, np.int64)
    number = np.zeros(program.atom_count, np.int64)
    starts: list[int] = [0]
    members: list[int] = []
    exact: dict[int, bool] = {}
    for counter in program.counters:
        if counter.relation not in program.offsets:
            continue
        solutions = _solutions(program, counter)
        table = program.relations[counter.relation]
        values = program.terms.values(table.column(counter.outer))
        outer = [table.column(i) for i in range(counter.outer)]
        known: dict[tuple[int, ...], int] = {}
        for row in range(table.count):
            atom = program.offsets[counter.relation] + row
            key = tuple(int(column[row]) for column in outer)
            found = solutions.get(key, [])
            if counter.inner not in program.offsets:
                exact[atom] = len(found) == int(values[row])
                continue
            if key not in known:
                known[key] = len(starts) - 1
                members += [program.offsets[counter.inner] + r for r in found]
                starts.append(len(members))
            group_of[atom] = known[key]
            number[atom] = values[row]
    return Counts(group_of, number, np.array(starts, np.int64), np.array(members, np.int64), exact)


def _solutions(program: GroundProgram, counter: Counter) -> dict[tuple[int, ...], list[int]]:
    """Return the rows of the counted relation by their outer values."""
    result: dict[tuple[int, ...], list[int]] = {}
    table = program.relations.get(counter.inner)
    if table is None:
        return result
    columns = [table.column(i) for i in range(counter.outer)]
    for row in range(table.count):
        result.setdefault(tuple(int(c[row]) for c in columns), []).append(row)
    return result
