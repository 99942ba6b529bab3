"""The values that can stand at one place of a fact or move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from gdl_env.engine.mapping.classes import Classes
from gdl_env.language.terms import Number, Range, Symbol, Term, sort_key
from gdl_env.language.types import Type, TypeKind, TypeSystem

_SHOWN = 6


@dataclass(frozen=True)
class Domain:
    """A finite set of values in a fixed order.

    Of a type made by `typemap` the values are the classes; every number that one of `maps` sorts
    into a class belongs to the domain too, and has the index of its class.
    """

    values: tuple[Term, ...]
    label: str = field(compare=False)
    maps: tuple[str, ...] = ()
    classes: Classes | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.label

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def key(self) -> tuple[frozenset[Term], frozenset[str]]:
        """Return what two domains with the same values in another order share."""
        return frozenset(self.values), frozenset(self.maps)

    @cached_property
    def _places(self) -> dict[Term, int]:
        return {value: index for index, value in enumerate(self.values)}

    def find(self, value: Term) -> int | None:
        """Return the index of a value, or of its class; None where it does not belong here."""
        index = self._places.get(value)
        if index is None and self.classes is not None and isinstance(value, Number):
            for name in self.maps:
                found = self.classes.class_of(name, value)
                if found is not None:
                    return self._places.get(found)
        return index

    def contains(self, other: Domain) -> bool:
        """Tell whether every value of another domain has an index here."""
        if not self.maps:
            return not other.maps and other.key[0] <= self.key[0]
        return set(other.maps) <= set(self.maps) and all(
            self.find(value) is not None for value in other.values
        )

    def is_disjoint(self, other: Domain) -> bool:
        """Tell whether no value can belong to both."""
        if self.maps or other.maps:
            return not any(other.find(v) is not None for v in self.values) and not any(
                self.find(v) is not None for v in other.values
            )
        return self.key[0].isdisjoint(other.key[0])


@dataclass(frozen=True)
class Domains:
    """Makes domains, and finds names for them among the types of a game."""

    types: TypeSystem
    classes: Classes

    def of_type(self, type_: Type) -> Domain:
        """Return the domain of a type. Raises UnknownTypeError."""
        maps = tuple(
            part.name
            for part in self.types.parts(type_)
            if not isinstance(part, Range) and self.types.kinds[part.name] is TypeKind.MAPPED
        )
        return Domain(self.types.members(type_), str(type_), maps, self.classes)

    def of_values(self, values: Iterable[Term]) -> Domain:
        """Return the domain of some values, under the name of a type that holds just these."""
        return self._make(tuple(dict.fromkeys(values)), ())

    def unite(self, parts: Iterable[Domain]) -> Domain:
        """Return the domain of all values of some domains.

        A number that one part sorts into a class is not listed beside the class.
        """
        parts = tuple(parts)
        maps = tuple(dict.fromkeys(name for part in parts for name in part.maps))
        values = dict.fromkeys(value for part in parts for value in part.values)
        if maps:
            typed = Domain((), '', maps, self.classes)
            written = {v for part in parts if part.maps for v in part.values}
            values = {
                value: None
                for value in values
                if value in written or not self._is_classified(typed, value)
            }
        return self._make(tuple(values), maps)

    def subtract(self, whole: Domain, part: Domain) -> Domain:
        """Return the domain of the values of one domain that have no index in the other."""
        left = tuple(value for value in whole.values if part.find(value) is None)
        return self._make(left, tuple(name for name in whole.maps if name not in part.maps))

    def intersect(self, one: Domain, other: Domain) -> Domain:
        """Return the domain of the values of one domain that have an index in the other."""
        kept = tuple(value for value in one.values if other.find(value) is not None)
        return self._make(kept, tuple(name for name in one.maps if name in other.maps))

    def _is_classified(self, typed: Domain, value: Term) -> bool:
        return isinstance(value, Number) and any(
            self.classes.class_of(name, value) is not None for name in typed.maps
        )

    def _make(self, values: tuple[Term, ...], maps: tuple[str, ...]) -> Domain:
        known = self._declared.get((frozenset(values), frozenset(maps)))
        # A single value is shown as it is written.
        if known is not None and len(values) != 1:
            return known
        if all(isinstance(value, Number) for value in values):
            values = tuple(sorted(values, key=sort_key))
        return Domain(values, _label(values), maps, self.classes)

    @cached_property
    def _declared(self) -> dict[tuple[frozenset[Term], frozenset[str]], Domain]:
        """Return the declared types by their values; of two alike the first."""
        found = [self.of_type(Symbol(name)) for name in reversed(self.types.names)]
        return {domain.key: domain for domain in found}


def _label(values: tuple[Term, ...]) -> str:
    if len(values) == 1:
        return str(values[0])
    numbers = [value.value for value in values if isinstance(value, Number)]
    if values and len(numbers) == len(values) and numbers[-1] - numbers[0] == len(values) - 1:
        return f'[{numbers[0]},{numbers[-1]}]'
    shown = ', '.join(map(str, values[:_SHOWN]))
    return f'{{{shown}, …}}' if len(values) > _SHOWN else f'{{{shown}}}'
