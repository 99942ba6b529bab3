"""Ground terms as numbers, a whole column at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gdl_env.engine.grounding.columns import Ids, Mask, RowTable
from gdl_env.engine.grounding.errors import LargeNumberError
from gdl_env.language.terms import Compound, Number, Range, Symbol, Term

# Numbers beyond this are left to engines that compute with integers of any size.
_LARGEST = 2**61


@dataclass(frozen=True)
class _Function:
    code: int
    name: str
    table: RowTable
    # The term of each row of the table.
    ids: list[Ids]


class TermTable:
    """All ground terms of a ground program; equal terms have equal numbers."""

    def __init__(self, salt: int) -> None:
        self._salt = salt
        self.count = 0
        self._constants: dict[Term, int] = {}
        self._functions: dict[tuple[str, int], _Function] = {}
        self._by_code: list[_Function] = []
        # For each term: its function (-1 for a constant), its row there, its value as a number.
        self._function = np.full(256, -1, np.int32)
        self._row = np.zeros(256, np.int32)
        self._value = np.zeros(256, np.int64)
        self._is_number = np.zeros(256, np.bool_)
        self._plain: dict[int, Term] = {}
        self._numbers: dict[int, int] = {}

    # ---- constants

    def constant(self, term: Term) -> int:
        """Return the number of a symbol, a number or a range."""
        found = self._constants.get(term)
        if found is None:
            found = self._constants[term] = self._new(1)
            self._plain[found] = term
            if isinstance(term, Number):
                self._set_value(found, term.value)
        return found

    def _set_value(self, number: int, value: int) -> None:
        if abs(value) > _LARGEST:
            raise LargeNumberError(f'the number {value} is too large')
        self._value[number] = value
        self._is_number[number] = True
        self._numbers[value] = number

    def is_number(self, ids: Ids) -> Mask:
        """Tell which terms are numbers."""
        return self._is_number[ids]

    def values(self, ids: Ids) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the values of terms that are numbers."""
        return self._value[ids]

    def from_values(self, values: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Ids:
        """Return the terms of numbers, made where they are new."""
        different, inverse = np.unique(values, return_inverse=True)
        ids = np.array([self.constant(Number(int(v))) for v in different], np.int32)
        return ids[inverse]

    # ---- compounds

    def compound(self, name: str, columns: list[Ids], create: bool = True) -> Ids:
        """Return the terms `(name column…)`, row by row; -1 for new ones unless `create`."""
        function = self._get(name, len(columns))
        known = function.table.count
        rows = function.table.add(columns) if create else function.table.find(columns)
        if function.table.count > known:
            first = self._new(function.table.count - known)
            fresh = np.arange(first, self.count, dtype=np.int32)
            self._function[fresh] = function.code
            self._row[fresh] = np.arange(known, function.table.count, dtype=np.int32)
            function.ids[0] = np.concatenate([function.ids[0], fresh])
        if not function.table.count:
            return np.full(len(rows), -1, np.int32)
        return np.where(rows >= 0, function.ids[0][np.maximum(rows, 0)], -1).astype(np.int32)

    def match(self, name: str, arity: int, ids: Ids) -> tuple[Mask, list[Ids]]:
        """Tell which terms are `(name …)`, and return their arguments (any value elsewhere)."""
        function = self._get(name, arity)
        hits = self._function[ids] == function.code
        if not function.table.count:
            return hits, [np.zeros(len(ids), np.int32) for _ in range(arity)]
        rows = np.where(hits, self._row[ids], 0)
        return hits, [function.table.column(index)[rows] for index in range(arity)]

    def term(self, number: int) -> Term:
        """Return the term of a number."""
        found = self._plain.get(number)
        if found is None:
            function = self._by_code[self._function[number]]
            row = self._row[number]
            args = tuple(self.term(int(column[row])) for column in function.table.columns())
            found = self._plain[number] = Compound(function.name, args)
        return found

    def number_of(self, term: Term) -> int:
        """Return the number of a ground term, -1 where it is unknown."""
        if isinstance(term, Symbol | Number | Range):
            return self._constants.get(term, -1)
        assert isinstance(term, Compound)
        args = [self.number_of(arg) for arg in term.args]
        if min(args) < 0:
            return -1
        columns = [np.array([arg], np.int32) for arg in args]
        return int(self.compound(term.name, columns, create=False)[0])

    def _get(self, name: str, arity: int) -> _Function:
        key = name, arity
        if key not in self._functions:
            table = RowTable(arity, self._salt)
            function = _Function(len(self._by_code), name, table, [np.zeros(0, np.int32)])
            self._functions[key] = function
            self._by_code.append(function)
        return self._functions[key]

    def _new(self, count: int) -> int:
        first = self.count
        self.count += count
        while self.count > len(self._function):
            self._function = np.concatenate([self._function, np.full_like(self._function, -1)])
            self._row = np.concatenate([self._row, np.zeros_like(self._row)])
            self._value = np.concatenate([self._value, np.zeros_like(self._value)])
            self._is_number = np.concatenate([self._is_number, np.zeros_like(self._is_number)])
        return first
