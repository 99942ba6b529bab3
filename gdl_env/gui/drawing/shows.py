"""What view files can make of a relation besides a board: `show: trick, owner: 1` and so on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gdl_env.language.terms import Term


@dataclass(frozen=True)
class ShowRule:
    """Which arguments a way to be shown needs, and which it may have besides."""

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()


SHOWS: Mapping[str, ShowRule] = {
    # Cards.
    'hand': ShowRule((), ('owner', 'card', 'count')),
    'backs': ShowRule(('owner', 'count')),
    'trick': ShowRule(('owner',), ('card',)),
    'pile': ShowRule((), ('owner', 'place', 'card', 'count')),
    # What is beside a player.
    'note': ShowRule((), ('owner', 'value')),
    'said': ShowRule(('value',), ('owner', 'place')),
    'money': ShowRule(('value',), ('owner',)),
    # Boards that have no rows and columns.
    'points': ShowRule(('owner', 'place'), ('count',)),
    'stacks': ShowRule(('place', 'count'), ('owner',)),
    'graph': ShowRule(('place',), ('owner',)),
    'dice': ShowRule(('value',), ('count',)),
    'heading': ShowRule(('owner', 'value')),
}
ARGUMENTS = ('owner', 'value', 'count', 'place', 'card')
BOARDS = ('points', 'stacks', 'graph')


@dataclass(frozen=True)
class Show:
    """How one relation is shown; arguments are counted from 0, and -1 is none."""

    kind: str = ''
    owner: int = -1
    value: int = -1
    count: int = -1
    place: int = -1
    card: tuple[int, ...] = ()

    def word(self, args: Sequence[Term], name: str) -> str:
        """Return an argument by what it is for; '' if the relation has none."""
        index = int(getattr(self, name))
        return str(args[index]) if 0 <= index < len(args) else ''

    def number(self, args: Sequence[Term], name: str, otherwise: int = 1) -> int:
        """Return an argument that is a number."""
        word = self.word(args, name)
        return int(word) if word.lstrip('-').isdecimal() else otherwise
