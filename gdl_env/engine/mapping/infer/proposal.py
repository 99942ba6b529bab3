"""Type declarations for given sets of values, so that each value has one type only.

Values that the sets never tell apart form one listed type; a set that consists of several is a
combined type. Integers without gaps are ranges and need no declaration.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gdl_env.engine.mapping.infer.naming import Naming
from gdl_env.engine.mapping.infer.positions import Position
from gdl_env.language.terms import Number, Range, Symbol, Term, sort_key
from gdl_env.language.types import TypeKind, TypeSystem

Values = frozenset[Term]
# An interval of integers may have this part of its numbers missing and still be a range.
_GAPS = 0.25


@dataclass
class TypeProposal:
    """Types for sets of values, made from the types that a game declares already."""

    types: TypeSystem
    naming: Naming
    # New declarations, in an order in which each uses only what is declared before it.
    lines: list[str] = field(default_factory=list)
    # Types by their values, and those of them that later types can be put together from.
    _names: dict[Values, str] = field(default_factory=dict)
    _parts: dict[Values, str] = field(default_factory=dict)

    def propose(self, sets: Mapping[Values, Iterable[Position]]) -> dict[Values, str]:
        """Return a type for each set; it holds the set, and as little else as possible."""
        for name in self.types.names:
            self.naming.taken.add(name)
            if self.types.kinds[name] is not TypeKind.MAPPED:
                self._names.setdefault(frozenset(self.types.members(Symbol(name))), name)
        listed = {values: self._listed(values) for values in sets}
        cells = _cells(set(listed.values()) - {frozenset()}, self.types)
        self._declare_cells(cells, {v: tuple(sets[v]) for v in sets}, listed)
        self._parts = {
            values: name
            for values, name in self._names.items()
            if values and values == frozenset[Term]().union(*(c for c in cells if c <= values))
        }
        result = {}
        for values in sorted(sets, key=len):
            inside = [cell for cell in cells if cell & listed[values]]
            span = _range(values - listed[values])
            result[values] = self._type(inside, span, sets[values])
        return result

    def _listed(self, values: Values) -> Values:
        """Return the values that no range holds."""
        numbers = frozenset(value for value in values if isinstance(value, Number))
        span = _range(numbers)
        if span is None or len(numbers) >= (1 - _GAPS) * (span.high - span.low + 1):
            return values - numbers
        return values

    def _declare_cells(
        self,
        cells: list[Values],
        places: Mapping[Values, tuple[Position, ...]],
        listed: Mapping[Values, Values],
    ) -> None:
        for cell in cells:
            if cell in self._names:
                continue
            whole = next((values for values in places if values == cell), None)
            if whole is not None:
                name = self.naming.name(cell, places[whole])
            else:
                holder = min((v for v in places if cell <= listed[v]), key=len)
                name = self.naming.part(self._stem(holder, places[holder]), cell)
            self._names[cell] = name
            self.lines += [f'(type {name} {value})' for value in sorted(cell, key=sort_key)]

    def _stem(self, values: Values, places: Iterable[Position]) -> str:
        stem = self.naming.name(values, places)
        self.naming.taken.discard(stem)
        return stem

    def _type(self, cells: list[Values], span: Range | None, places: Iterable[Position]) -> str:
        """Return the type that holds some cells and a range."""
        if not cells:
            return str(span if span is not None else Range(0, 0))
        wanted = frozenset[Term]().union(*cells)
        numbers = frozenset[Term]()
        if span is not None:
            numbers = frozenset(Number(n) for n in range(span.low, span.high + 1))
        known = self._names.get(wanted | numbers)
        if known is not None:
            return known
        parts = self._divide(wanted)
        if span is not None:
            parts.append(str(span))
        stem = self.naming.name(wanted | numbers, places)
        first, *rest = parts
        for index, part in enumerate(rest):
            name = stem if index == len(rest) - 1 else self.naming.reserve(f'{stem}_part')
            self.lines.append(f'(typecombine {name} {first} {part})')
            first = name
        self._names[wanted | numbers] = stem
        if span is None:
            self._parts[wanted] = stem
        return stem

    def _divide(self, wanted: Values) -> list[str]:
        """Return the fewest known types that make up a set, found greedily."""
        parts: list[str] = []
        missing = wanted
        while missing:
            best = max((values for values in self._parts if values <= missing), key=len)
            parts.append(self._parts[best])
            missing -= best
        return parts


def _cells(sets: set[Values], types: TypeSystem) -> list[Values]:
    """Return the largest parts of all sets that none of them divides.

    Types that are declared already cannot be divided.
    """
    ordered = sorted(sets, key=lambda values: (len(values), sorted(map(sort_key, values))))
    members: dict[object, set[Term]] = {}
    for value in frozenset[Term]().union(*ordered):
        own = types.type_of(value)
        key: object = own.name if own is not None else None
        if key is None:
            key = tuple(index for index, values in enumerate(ordered) if value in values)
        members.setdefault(key, set()).add(value)
    for name, values in types.listed.items():
        if name in members:
            members[name].update(values)
    return sorted(map(frozenset, members.values()), key=lambda v: min(map(sort_key, v)))


def _range(values: Iterable[Term]) -> Range | None:
    numbers = [value.value for value in values if isinstance(value, Number)]
    return Range(min(numbers), max(numbers)) if numbers else None
