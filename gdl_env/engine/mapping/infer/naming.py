"""Names for sets of values, as an author would give them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
import re

from gdl_env.engine.mapping.infer.positions import ArgumentPositions, Position
from gdl_env.language.game import Game
from gdl_env.language.keywords import KEYWORDS
from gdl_env.language.terms import Symbol, Term, args_of, name_of

# A shorter name of a variable, such as ?x, says nothing.
_SHORTEST = 3


@dataclass
class Naming:
    """Gives each set of values a name of its own."""

    game: Game
    positions: ArgumentPositions
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        # The name of an experiment may stand in moves only.
        self.taken |= self.game.experiments | set(KEYWORDS)

    def name(self, values: frozenset[Term], places: Iterable[Position]) -> str:
        """Return a name: of a relation that lists the values, of a variable, or of the place."""
        places = list(places)
        candidates = list(self._relations.get(values, ()))
        if values <= set(self.game.roles):
            candidates.append('player')
        candidates += [n for n in self.positions.names(places) if len(n) >= _SHORTEST]
        clean = [_clean(name) for name in candidates]
        free = [name for name in clean if name and name not in self.taken]
        return self.reserve(free[0] if free else (clean[:1] or [_place_name(places)])[0])

    def reserve(self, stem: str) -> str:
        """Return the stem, with a number behind it where the name is taken."""
        name, number = stem, 2
        while name in self.taken:
            name, number = f'{stem}_{number}', number + 1
        self.taken.add(name)
        return name

    def part(self, stem: str, values: frozenset[Term]) -> str:
        """Return a name for a part of a type."""
        (only, *more) = values
        is_plain = not more and isinstance(only, Symbol) and bool(_clean(only.name))
        end = _clean(str(only)) if is_plain else 'part'
        return self.reserve(f'{stem}_{end}')

    @cached_property
    def _relations(self) -> dict[frozenset[Term], list[str]]:
        """Return the relations of one argument by the values their facts list."""
        listed: dict[str, set[Term]] = {}
        ruled = {name_of(rule.head) for rule in self.game.rules if rule.body}
        for rule in self.game.rules:
            name, args = name_of(rule.head), args_of(rule.head)
            if len(args) == 1 and name not in ruled and name not in KEYWORDS:
                listed.setdefault(name, set()).add(args[0])
        found: dict[frozenset[Term], list[str]] = {}
        for name, values in listed.items():
            found.setdefault(frozenset(values), []).append(name)
        return found


def _place_name(places: list[Position]) -> str:
    for kind, path in places:
        if path:
            name, count, place = path[-1]
            return _clean(name if count == 1 else f'{name}_{place + 1}') or kind
        return kind
    return 'value'


def _clean(name: str) -> str:
    return re.sub(r'[^a-z0-9_]', '', name.lower()).strip('_').lstrip('0123456789_')
