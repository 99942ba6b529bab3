"""The type system of a game as data: which types there are and which values each one holds.

A type is a named finite set of values (KMNR22, section 5.3):

- `(type mark x)` puts the value `x` into the type `mark`; a value has one such type.
- `(typecombine content mark empty)` names the union of two types.
- `(<= (typemap points low ?n) (less ?n 0))` names a type whose values (`low`) each stand for
  many numbers.
- `[1,3]` is the type of the integers from 1 to 3 and needs no declaration.

An annotation `mark:?m` at any occurrence of a variable types it in the whole rule. Nothing here
judges a game: `checker/types_check.py` does. Where a game breaks a rule (a value in two types, a
type that contains itself) the first declaration counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeAlias, TypeGuard

from gdl_env.errors import GdlError
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import (
    Compound,
    Number,
    Range,
    Symbol,
    Term,
    Typed,
    Variable,
    erase_types,
    is_ground,
    subterms,
)

Type: TypeAlias = Symbol | Range
Value: TypeAlias = Symbol | Number | Compound


class UnknownTypeError(GdlError):
    """A type is asked for that the game does not declare."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f'no type named {name!r}')


class TypeKind(Enum):
    """The keyword that makes a type."""

    LISTED = 'type'
    COMBINED = 'typecombine'
    MAPPED = 'typemap'


@dataclass(frozen=True)
class Declaration:
    """One `type`, `typecombine` or `typemap` of a rule file, as it is written."""

    kind: TypeKind
    type: Symbol
    # The value of `type` and `typemap`, or the two parts of `typecombine`.
    items: tuple[Term, ...]
    rule: Rule


def declarations(game: Game) -> Iterator[Declaration]:
    """Yield the declarations of types in the order of the file.

    A keyword that the game redefined declares nothing, and neither does one whose first argument
    is no name.
    """
    for rule in game.rules:
        head = rule.head
        if not isinstance(head, Compound) or head.name in game.redefined:
            continue
        kind = KINDS.get((head.name, len(head.args)))
        if kind is None or not isinstance(head.args[0], Symbol):
            continue
        items = head.args[1:2] if kind is TypeKind.MAPPED else head.args[1:]
        yield Declaration(kind, head.args[0], tuple(erase_types(item) for item in items), rule)


# The forms that declare types.
KINDS = {
    ('type', 2): TypeKind.LISTED,
    ('typecombine', 3): TypeKind.COMBINED,
    ('typemap', 3): TypeKind.MAPPED,
}


@dataclass(frozen=True)
class TypeSystem:
    """The declared types of a game; ranges need no declaration and are always known."""

    # How each type was made; in the order of the file.
    kinds: Mapping[str, TypeKind]
    # The values of the types made by `type` and `typemap`, in the order of the file.
    listed: Mapping[str, tuple[Value, ...]]
    # The parts of the types made by `typecombine`.
    combined: Mapping[str, tuple[Type, ...]]

    @classmethod
    def from_game(cls, game: Game) -> TypeSystem:
        """Read the declarations of a game, whether or not it annotates anything."""
        kinds: dict[str, TypeKind] = {}
        listed: dict[str, dict[Value, None]] = {}
        combined: dict[str, tuple[Type, ...]] = {}
        taken: set[Value] = set()
        for item in declarations(game):
            name = item.type.name
            if kinds.setdefault(name, item.kind) is not item.kind:
                continue
            if item.kind is TypeKind.COMBINED:
                parts = tuple(part for part in item.items if isinstance(part, Symbol | Range))
                combined.setdefault(name, parts)
                continue
            values = listed.setdefault(name, {})
            value = item.items[0]
            if is_value(value) and value not in taken:
                values[value] = None
                taken.add(value)
        return cls(kinds, {name: tuple(values) for name, values in listed.items()}, combined)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the declared types in the order of the file."""
        return tuple(self.kinds)

    def is_known(self, type_: Type) -> bool:
        """Tell whether the type is a range or declared."""
        return isinstance(type_, Range) or type_.name in self.kinds

    def members(self, type_: Type) -> tuple[Value, ...]:
        """Return the values of a type in the order of their declaration, each once.

        The members of a combined type are those of its first part, then those of the next.
        Raises UnknownTypeError.
        """
        found: dict[Value, None] = {}
        for part in self.parts(type_):
            if isinstance(part, Range):
                found.update((Number(n), None) for n in range(part.low, part.high + 1))
            else:
                found.update(dict.fromkeys(self.listed[part.name]))
        return tuple(found)

    def parts(self, type_: Type) -> tuple[Type, ...]:
        """Return the listed, mapped and range types a type consists of, each once, in order.

        A type that is not combined is its own only part. Raises UnknownTypeError.
        """
        found: dict[Type, None] = {}
        seen: set[str] = set()
        waiting: list[Type] = [type_]
        while waiting:
            part = waiting.pop(0)
            if isinstance(part, Range):
                found[part] = None
                continue
            if part.name not in self.kinds:
                raise UnknownTypeError(part.name)
            if part.name in self.combined and part.name not in seen:
                waiting = [*self.combined[part.name], *waiting]
            elif part.name not in self.combined:
                found[Symbol(part.name)] = None
            seen.add(part.name)
        return tuple(found)

    def contains(self, type_: Type, value: Term) -> bool:
        """Tell whether a value belongs to a type; a mapped type takes any number.

        Raises UnknownTypeError.
        """
        return any(self._holds(part, value) for part in self.parts(type_))

    def _holds(self, part: Type, value: Term) -> bool:
        if isinstance(part, Range):
            return isinstance(value, Number) and part.low <= value.value <= part.high
        if value in self._member_sets[part.name]:
            return True
        return isinstance(value, Number) and self.kinds[part.name] is TypeKind.MAPPED

    @cached_property
    def _member_sets(self) -> dict[str, frozenset[Value]]:
        return {name: frozenset(values) for name, values in self.listed.items()}

    def is_mapped(self, type_: Type) -> bool:
        """Tell whether different values can stand for the same member of the type.

        That is so for types made by `typemap` and for those combined from one. Raises
        UnknownTypeError.
        """
        return any(
            isinstance(part, Symbol) and self.kinds[part.name] is TypeKind.MAPPED
            for part in self.parts(type_)
        )

    def type_of(self, value: Term) -> Symbol | None:
        """Return the type that `type` or `typemap` gave a value; None for a plain constant.

        A number that no declaration names has no type of its own, but is in every range that
        holds it.
        """
        return self._types.get(value) if is_value(value) else None

    @cached_property
    def _types(self) -> dict[Value, Symbol]:
        return {value: Symbol(name) for name, values in self.listed.items() for value in values}


def variable_types(rule: Rule) -> dict[str, Type]:
    """Return the types of the variables of a rule, by name.

    One annotation at any occurrence is enough; the first one counts.
    """
    types: dict[str, Type] = {}
    for typed in annotated_terms(rule):
        if isinstance(typed.term, Variable):
            types.setdefault(typed.term.name, typed.type)
    return types


def annotated_terms(rule: Rule) -> Iterator[Typed]:
    """Yield every annotated term of a rule, in the order of the text."""
    for term in rule.terms():
        for inner in subterms(term):
            if isinstance(inner, Typed):
                yield inner


def is_value(term: Term) -> TypeGuard[Value]:
    """Tell whether a term can be a member of a type: a symbol, a number or a ground compound."""
    return isinstance(term, Symbol | Number) or (isinstance(term, Compound) and is_ground(term))
