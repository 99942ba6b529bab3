"""The names of a generated game: sorts of values, and relations over them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from random import Random


class Sort(Enum):
    """What can stand in one place of a relation."""

    COLOUR = 'colour'
    NUMBER = 'number'
    ROLE = 'role'
    # A nested term, (pair colour number).
    PAIR = 'pair'


class RelationUse(Enum):
    """Where a relation belongs; of the last three, the first term is the role."""

    STATIC = '{}'
    STATE = '(true {})'
    DOES = '(does {} {})'
    LEGAL = '(legal {} {})'
    SEES = '(true (sees {} {}))'


@dataclass(frozen=True)
class Relation:
    """A relation, fact of the state or move: its name and the sorts of its terms."""

    name: str
    sorts: tuple[Sort, ...] = ()
    place: RelationUse = RelationUse.STATIC

    def at(self, place: RelationUse) -> Relation:
        """Return the same name in another place, with a role in front where it needs one."""
        has_role = place not in {RelationUse.STATIC, RelationUse.STATE}
        return Relation(self.name, (Sort.ROLE, *self.sorts) if has_role else self.sorts, place)

    def write(self, terms: tuple[str, ...]) -> str:
        """Return the condition with these terms."""
        around: str = self.place.value
        if self.place in {RelationUse.STATIC, RelationUse.STATE}:
            return around.format(write_atom(self.name, terms))
        return around.format(terms[0], write_atom(self.name, terms[1:]))


def write_atom(name: str, terms: tuple[str, ...]) -> str:
    """Return a fact or move in parentheses, or its name where it has no terms."""
    return f'({" ".join((name, *terms))})' if terms else name


@dataclass(frozen=True)
class GameVocabulary:
    """The values of a game."""

    roles: tuple[str, ...]
    colours: tuple[str, ...]
    # Numbers are 0 to this one.
    largest: int
    is_typed: bool
    # Whether pairs hold terms that hold values.
    is_deep: bool = False

    def constant(self, sort: Sort, random: Random) -> str:
        """Return a value of a sort."""
        if sort is Sort.COLOUR:
            return random.choice(self.colours)
        if sort is Sort.ROLE:
            return random.choice(self.roles)
        if sort is Sort.NUMBER:
            return str(random.randint(0, self.largest))
        colour = self.constant(Sort.COLOUR, random)
        return self.pair(colour, self.constant(Sort.NUMBER, random))

    def pair(self, colour: str, number: str) -> str:
        """Return the nested term of two terms."""
        return f'(pair (of {colour}) {number})' if self.is_deep else f'(pair {colour} {number})'

    def domain(self, sort: Sort, variable: str) -> str:
        """Return a condition that lets a variable run over the values of a sort."""
        if sort is Sort.ROLE:
            return f'(role {variable})'
        if sort is Sort.PAIR:
            raise ValueError('a pair has no domain of its own')
        if not self.is_typed:
            return f'({sort.value} {variable})'
        name = f'[0,{self.largest}]' if sort is Sort.NUMBER else sort.value
        return f'(type {name} {variable})'

    def annotate(self, sort: Sort, term: str) -> str:
        """Return a term as it stands in the head of `init`, `next` or `legal`."""
        if not self.is_typed or not term.startswith('?'):
            return term
        name = {Sort.NUMBER: f'[0,{self.largest}]', Sort.ROLE: 'player'}.get(sort, sort.value)
        return f'{name}:{term}'
