"""Rows of variable bindings, and the operations on them that evaluate a body."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.grounding.columns import Ids, Mask, hash_columns
from gdl_env.engine.grounding.literals import Literal, LiteralKind
from gdl_env.engine.grounding.termtable import TermTable
from gdl_env.language.arithmetic import holds, solve
from gdl_env.language.terms import Compound, Term, Variable

_SIMPLE = {'add': np.add, 'sub': np.subtract}


@dataclass
class Rows:
    """A table of bindings: a column of terms for each bound variable.

    `used` holds for each literal that was joined the row of its relation.
    """

    count: int
    columns: dict[str, Ids] = field(default_factory=dict)
    used: dict[int, Ids] = field(default_factory=dict)

    def take(self, index: NDArray[np.intp] | Mask, count: int) -> Rows:
        """Return the rows at the given places."""
        return Rows(
            count,
            {name: column[index] for name, column in self.columns.items()},
            {literal: rows[index] for literal, rows in self.used.items()},
        )

    def keep(self, mask: Mask) -> Rows:
        """Return the rows for which the mask is true."""
        return self if mask.all() else self.take(mask, int(mask.sum()))


def build(terms: TermTable, term: Term, rows: Rows) -> Ids:
    """Return a column with the value of a term in each row."""
    if isinstance(term, Variable):
        return rows.columns[term.name]
    if isinstance(term, Compound):
        return terms.compound(term.name, [build(terms, arg, rows) for arg in term.args])
    return np.full(rows.count, terms.constant(term), np.int32)


def match(
    terms: TermTable, patterns: tuple[Term, ...], columns: list[Ids], bound: dict[str, Ids]
) -> tuple[Mask, dict[str, Ids]]:
    """Match patterns with columns, row by row; return where they fit, and all bindings."""
    fits = np.ones(len(columns[0]), np.bool_)
    found = dict(bound)
    work = list(zip(patterns, columns, strict=False))
    while work:
        pattern, column = work.pop()
        if isinstance(pattern, Variable):
            if pattern.name in found:
                fits &= found[pattern.name] == column
            else:
                found[pattern.name] = column
        elif isinstance(pattern, Compound):
            hits, args = terms.match(pattern.name, len(pattern.args), column)
            fits &= hits
            work += zip(pattern.args, args, strict=True)
        else:
            fits &= column == terms.constant(pattern)
    return fits, found


def test(terms: TermTable, literal: Literal, rows: Rows) -> Rows:
    """Keep the rows for which a literal without free variables holds."""
    if literal.kind in {LiteralKind.DIFFER, LiteralKind.EQUAL}:
        left, right = (build(terms, arg, rows) for arg in literal.args)
        return rows.keep(left != right if literal.kind is LiteralKind.DIFFER else left == right)
    columns = [build(terms, arg, rows) for arg in literal.args]
    known = np.logical_and.reduce([terms.is_number(column) for column in columns])
    true = _compare(literal.relation, [terms.values(column) for column in columns]) & known
    return rows.keep(true if literal.kind is LiteralKind.COMPUTE else ~true)


def compute(terms: TermTable, literal: Literal, rows: Rows) -> Rows:
    """Give the one free variable of an equation or of an arithmetic literal its values."""
    if literal.kind is LiteralKind.EQUAL:
        left, right = literal.args
        is_left_bound = all(name in rows.columns for name in _names(left))
        known, pattern = (left, right) if is_left_bound else (right, left)
        fits, found = match(terms, (pattern,), [build(terms, known, rows)], rows.columns)
        return Rows(rows.count, found, rows.used).keep(fits)
    args = literal.args
    unknown = next(i for i, arg in enumerate(args) if not _is_bound(arg, rows))
    columns = [None if i == unknown else build(terms, arg, rows) for i, arg in enumerate(args)]
    mask = np.logical_and.reduce([terms.is_number(c) for c in columns if c is not None])
    rows = rows.keep(mask)
    values = [None if c is None else terms.values(c[mask]) for c in columns]
    places, answers = _solve(literal.relation, values, unknown, rows.count)
    result = rows.take(places, len(places))
    pattern = args[unknown]
    fits, found = match(terms, (pattern,), [terms.from_values(answers)], result.columns)
    return Rows(result.count, found, result.used).keep(fits)


def join(
    terms: TermTable, rows: Rows, selected: Rows, source: Ids, literal: int, salt: int
) -> Rows:
    """Join bindings with the selected rows of a relation on the variables they share."""
    shared = sorted(name for name in selected.columns if name in rows.columns)
    if not shared:
        left = np.repeat(np.arange(rows.count), selected.count)
        right = np.tile(np.arange(selected.count), rows.count)
    else:
        theirs = hash_columns([selected.columns[name] for name in shared], salt)
        order = np.argsort(theirs, kind='stable')
        keys = theirs[order]
        ours = hash_columns([rows.columns[name] for name in shared], salt)
        low, high = np.searchsorted(keys, ours, 'left'), np.searchsorted(keys, ours, 'right')
        counts = high - low
        left = np.repeat(np.arange(rows.count), counts)
        offsets = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
        right = order[np.repeat(low, counts) + offsets]
    result = rows.take(left, len(left))
    equal = np.ones(len(left), np.bool_)
    for name in shared:
        # Equal keys are compared: the join is exact.
        equal &= result.columns[name] == selected.columns[name][right]
    for name, column in selected.columns.items():
        result.columns.setdefault(name, column[right])
    result.used[literal] = source[right]
    return result.keep(equal)


def _compare(relation: str, values: list[NDArray[np.int64]]) -> Mask:
    if relation == 'less':
        return values[0] < values[1]
    if relation == 'greater':
        return values[0] > values[1]
    if relation in _SIMPLE:
        return np.asarray(_SIMPLE[relation](values[0], values[1]) == values[2])
    return np.array([holds(relation, tuple(map(int, v))) for v in zip(*values, strict=True)], bool)


def _solve(
    relation: str, values: list[NDArray[np.int64] | None], unknown: int, count: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the places of rows that have answers, and the answers."""
    if relation in _SIMPLE and unknown == 2:
        a, b = values[0], values[1]
        assert a is not None and b is not None
        return np.arange(count), np.asarray(_SIMPLE[relation](a, b))
    places: list[int] = []
    answers: list[int] = []
    for place in range(count):
        args = [None if column is None else int(column[place]) for column in values]
        for answer in solve(relation, *args):
            places.append(place)
            answers.append(answer)
    return np.array(places, np.intp), np.array(answers, np.int64)


def _names(term: Term) -> set[str]:
    if isinstance(term, Variable):
        return {term.name}
    if isinstance(term, Compound):
        return {name for arg in term.args for name in _names(arg)}
    return set()


def _is_bound(term: Term, rows: Rows) -> bool:
    return all(name in rows.columns for name in _names(term))
