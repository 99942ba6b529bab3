"""Options of a game: what a rule file declares, and what is chosen for one game of the family.

    (option size 15 [5,19])          a number; 15 unless told otherwise
    (option exact false true)        one of several words
    (option heaps (list 1 3 5) [1,9])    several values: (heaps 1 1), (heaps 2 3), (heaps 3 5)
    (option level (grid levels/one)) a text file: (level row column character)

All that follows sees plain facts, such as `(option size 15)`: see `resolving.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from gdl_env.language.source import Span
from gdl_env.language.terms import Compound, Number, Range, Symbol

OPTION = 'option'
Value: TypeAlias = Symbol | Number


class OptionKind(Enum):
    """What an option holds."""

    VALUE = 'value'
    LIST = 'list'
    GRID = 'grid'


@dataclass(frozen=True)
class Option:
    """An option of a game with the value it has in this game."""

    name: str
    kind: OptionKind
    # As one writes them in a designation.
    default: str
    value: str
    # The values, or those of each item of a list; nothing for a grid.
    allowed: tuple[Value | Range, ...]
    # What the rules see of it.
    facts: tuple[Compound, ...]
    # Where it is declared.
    span: Span = field(compare=False, repr=False)

    @property
    def is_fixed(self) -> bool:
        """Tell whether there is nothing to choose."""
        return self.kind is OptionKind.VALUE and len(self.allowed) == 1 and _is_one(self.allowed)

    @property
    def choices(self) -> str:
        """Return what is allowed, in words."""
        if self.kind is OptionKind.GRID:
            return 'a text file'
        values = ', '.join(dict.fromkeys(map(_words, _merged(self.allowed))))
        return f'several of {values}' if self.kind is OptionKind.LIST else values


def chosen_options(options: tuple[Option, ...]) -> dict[str, str]:
    """Return the options that are not as they are by themselves, as one writes them."""
    return {option.name: option.value for option in options if option.value != option.default}


def option_values(options: tuple[Option, ...]) -> dict[str, Value]:
    """Return what `(option name value)` says, by name; sizes of lists and grids included."""
    return {
        str(fact.args[0]): fact.args[1]
        for option in options
        for fact in option.facts
        if fact.name == OPTION and isinstance(fact.args[1], Symbol | Number)
    }


def _is_one(allowed: tuple[Value | Range, ...]) -> bool:
    return not isinstance(allowed[0], Range)


def _merged(allowed: tuple[Value | Range, ...]) -> list[Value | Range]:
    """Leave out numbers that a range holds, too."""
    ranges = [item for item in allowed if isinstance(item, Range)]
    return [
        item
        for item in allowed
        if not isinstance(item, Number) or not any(r.low <= item.value <= r.high for r in ranges)
    ]


def _words(item: Value | Range) -> str:
    return f'{item.low} to {item.high}' if isinstance(item, Range) else str(item)
