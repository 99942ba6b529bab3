"""Templates: the facts or moves that have the same shape, place by place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TypeAlias

from gdl_env.engine.mapping.domain import Domain
from gdl_env.language.game import Rule
from gdl_env.language.terms import Compound, Symbol, Term

# A name and the shapes of its arguments; None is a place where values stand.
Shape: TypeAlias = 'tuple[str, tuple[Shape, ...]] | None'


@dataclass(frozen=True)
class Template:
    """All terms of one shape with a value of its domain at each place."""

    shape: Shape
    domains: tuple[Domain, ...]
    # The rules it was made from, in the order of the file.
    rules: tuple[Rule, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return _show(self.shape, iter(map(str, self.domains)))

    @cached_property
    def key(self) -> tuple[Shape, tuple[object, ...]]:
        """Return what two templates of the same terms share."""
        return self.shape, tuple(domain.key for domain in self.domains)

    @cached_property
    def size(self) -> int:
        """Return the number of terms."""
        return prod(len(domain) for domain in self.domains)

    @cached_property
    def has_maps(self) -> bool:
        """Tell whether numbers are sorted into classes at some place."""
        return any(domain.maps for domain in self.domains)

    def find(self, term: Term) -> int | None:
        """Return the index of a term within the template; None where it does not fit."""
        values = leaves(term, self.shape)
        if values is None:
            return None
        index = 0
        for value, domain in zip(values, self.domains, strict=True):
            place = domain.find(value)
            if place is None:
                return None
            index = index * len(domain) + place
        return index

    def term(self, index: int) -> Term:
        """Return the term with an index."""
        values: list[Term] = []
        for domain in reversed(self.domains):
            index, place = divmod(index, len(domain))
            values.append(domain.values[place])
        return build(self.shape, reversed(values))

    def contains(self, other: Template) -> bool:
        """Tell whether every term of another template fits this one."""
        return self.shape == other.shape and all(
            mine.contains(its) for mine, its in zip(self.domains, other.domains, strict=True)
        )

    def with_domain(self, place: int, domain: Domain) -> Template:
        """Return the template with another domain at one place."""
        domains = (*self.domains[:place], domain, *self.domains[place + 1 :])
        return replace(self, domains=domains)


def leaves(term: Term, shape: Shape) -> list[Term] | None:
    """Return the values of a term at the places of a shape; None where it has another shape."""
    if shape is None:
        return [term]
    name, parts = shape
    if not parts:
        return [] if isinstance(term, Symbol) and term.name == name else None
    if not isinstance(term, Compound) or term.name != name or len(term.args) != len(parts):
        return None
    values: list[Term] = []
    for arg, part in zip(term.args, parts, strict=True):
        inner = leaves(arg, part)
        if inner is None:
            return None
        values += inner
    return values


def build(shape: Shape, values: Iterator[Term]) -> Term:
    """Return the term of a shape with these values at its places."""
    if shape is None:
        return next(values)
    name, parts = shape
    return Compound(name, tuple(build(part, values) for part in parts)) if parts else Symbol(name)


def shape_of(term: Term, is_whole: bool = True) -> Shape:
    """Return the shape of a ground term: every number, and every name inside, is a place."""
    if isinstance(term, Compound):
        return term.name, tuple(shape_of(arg, is_whole=False) for arg in term.args)
    return (term.name, ()) if is_whole and isinstance(term, Symbol) else None


def _show(shape: Shape, labels: Iterator[str]) -> str:
    if shape is None:
        return next(labels)
    name, parts = shape
    return f'({name} {" ".join(_show(part, labels) for part in parts)})' if parts else name
