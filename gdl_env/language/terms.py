"""Terms: symbols, numbers, variables, compounds, and type annotations on them.

Terms are values: two terms are equal when they read the same, wherever they stand in a file.
Names are folded to lower case, because game servers send rules in capitals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from gdl_env.language.integers import integer_text
from gdl_env.language.source import Span


@dataclass(frozen=True, slots=True)
class Symbol:
    """A constant such as `white`; also a relation or move without arguments."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Number:
    """An integer of any size."""

    value: int
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return integer_text(self.value)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable such as `?x`; the name is kept without the question mark."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f'?{self.name}'


@dataclass(frozen=True, slots=True, eq=False)
class Compound:
    """A name applied to one or more arguments, such as `(cell 1 1 b)`."""

    name: str
    args: tuple[Term, ...]
    span: Span | None = field(default=None, repr=False)
    # States are sets of terms: hashing a term again and again would dominate their cost.
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, '_hash', hash((self.name, self.args)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Compound)
            and self._hash == other._hash
            and self.name == other.name
            and self.args == other.args
        )

    def __hash__(self) -> int:
        return self._hash

    def __str__(self) -> str:
        return f'({self.name} {" ".join(map(str, self.args))})'


@dataclass(frozen=True, slots=True)
class Range:
    """The type `[low,high]` of all integers from low to high."""

    low: int
    high: int
    span: Span | None = field(default=None, compare=False, repr=False)
    # As the author wrote the bounds where options stand in them; a game has none of these.
    bounds: tuple[str, str] | None = None

    def __str__(self) -> str:
        low, high = self.bounds or (self.low, self.high)
        return f'[{low},{high}]'


@dataclass(frozen=True, slots=True)
class Typed:
    """A term with a type written before it: `mark:?player`, `[1,3]:?x`."""

    type: Symbol | Range
    term: Symbol | Number | Variable
    span: Span | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f'{self.type}:{self.term}'


Term: TypeAlias = Symbol | Number | Variable | Compound | Range | Typed


def name_of(term: Term) -> str:
    """Return the relation or function name of a term ('' where it has none)."""
    return term.name if isinstance(term, Symbol | Compound) else ''


def args_of(term: Term) -> tuple[Term, ...]:
    """Return the arguments of a term (none where it is not a compound)."""
    return term.args if isinstance(term, Compound) else ()


def signature(term: Term) -> tuple[str, int]:
    """Return name and number of arguments; `(p)` and `p` are the same."""
    if isinstance(term, Compound):
        return term.name, len(term.args)
    return (term.name, 0) if isinstance(term, Symbol) else ('', 0)


def variables(term: Term) -> Iterator[Variable]:
    """Yield every occurrence of a variable, left to right."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Typed):
        yield from variables(term.term)
    elif isinstance(term, Compound):
        for arg in term.args:
            yield from variables(arg)


def subterms(term: Term) -> Iterator[Term]:
    """Yield the term itself and everything in it, outside first; annotations stay whole."""
    yield term
    for arg in args_of(term):
        yield from subterms(arg)


def symbol_names(term: Term) -> set[str]:
    """Return the names of all symbols in a term, not those of its functions."""
    if isinstance(term, Symbol):
        return {term.name}
    return {name for arg in args_of(term) for name in symbol_names(arg)}


def is_annotated(term: Term) -> bool:
    """Tell whether a type stands in the term."""
    if isinstance(term, Compound):
        return any(map(is_annotated, term.args))
    return isinstance(term, Typed)


def is_ground(term: Term) -> bool:
    """Tell whether no variable occurs in the term."""
    return next(variables(term), None) is None


def erase_types(term: Term) -> Term:
    """Return the term without type annotations (the same object where it has none)."""
    if isinstance(term, Typed):
        return term.term
    if isinstance(term, Compound):
        args = tuple(erase_types(arg) for arg in term.args)
        if any(new is not old for new, old in zip(args, term.args, strict=True)):
            return Compound(term.name, args, term.span)
    return term


def substitute(term: Term, values: Mapping[str, Symbol | Number | Variable]) -> Term:
    """Return the term with values in place of variables (the same object where none occurs)."""
    if isinstance(term, Variable):
        return values.get(term.name, term)
    if isinstance(term, Typed):
        inner = substitute(term.term, values)
        if inner is term.term or not isinstance(inner, Symbol | Number | Variable):
            return term
        return Typed(term.type, inner, term.span)
    if isinstance(term, Compound):
        args = tuple(substitute(arg, values) for arg in term.args)
        if any(new is not old for new, old in zip(args, term.args, strict=True)):
            return Compound(term.name, args, term.span)
    return term


def sort_key(term: Term) -> tuple[object, ...]:
    """Order terms as Prolog does: numbers, symbols, then compounds by arity, name, arguments."""
    if isinstance(term, Number):
        return (0, term.value)
    if isinstance(term, Symbol):
        return (1, term.name)
    if isinstance(term, Compound):
        return (2, len(term.args), term.name, *(sort_key(arg) for arg in term.args))
    return (3, str(term))
