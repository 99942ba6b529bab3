"""Rules in normal form: heads, literals, and what counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from gdl_env.language.terms import Term, variables


class LiteralKind(Enum):
    """What a literal asks."""

    # The atom holds.
    HOLDS = auto()
    # The atom does not hold.
    FAILS = auto()
    # The atom can hold in some state: gives variables their values, and nothing else.
    CAN_HOLD = auto()
    # The two terms differ, or are equal.
    DIFFER = auto()
    EQUAL = auto()
    # An arithmetic relation holds, or does not.
    COMPUTE = auto()
    REFUTE = auto()


def relation_name(name: str, arity: int) -> str:
    """Return a name for a relation that tells arities apart."""
    return f'{name}/{arity}'


@dataclass(frozen=True, slots=True)
class Literal:
    """One condition: for atoms the relation and its arguments, else the terms it is about."""

    kind: LiteralKind
    relation: str
    args: tuple[Term, ...]

    def variables(self) -> frozenset[str]:
        """Return the names of its variables."""
        return frozenset(v.name for arg in self.args for v in variables(arg))


@dataclass(frozen=True, slots=True)
class NormalRule:
    """A head that holds when all literals hold."""

    relation: str
    args: tuple[Term, ...]
    body: tuple[Literal, ...]

    def head_variables(self) -> frozenset[str]:
        """Return the names of the variables in the head."""
        return frozenset(v.name for arg in self.args for v in variables(arg))


@dataclass(frozen=True, slots=True)
class Counter:
    """A relation (outer…, number) that holds where `number` of `inner` (outer…, local…) hold.

    `domain` (outer…) says for which outer values it is asked.
    """

    relation: str
    inner: str
    domain: str
    outer: int
