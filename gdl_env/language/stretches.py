"""Where a text can be cut so that its parts can be read one by one.

What is wrong with one form of a large file says nothing about the others: only that one needs the
grammar, and the mending of parentheses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gdl_env.language.mending import OPENERS, Layout, Shape, read_shape
from gdl_env.language.source import Source
from gdl_env.language.terms import Term

# From one place to another.
Read = Callable[[int, int], list[Term]]
ReadQuickly = Callable[[int, int], list[Term] | None]


@dataclass(frozen=True)
class Stretches:
    """The parts of a text, which are read without looking at the others."""

    source: Source
    shape: Shape
    # Where each part begins, and which of them have too many or too few parentheses.
    places: Sequence[int]
    unbalanced: frozenset[int] = frozenset()

    @classmethod
    def of(cls, source: Source) -> Stretches:
        """Cut before each form; where parentheses are missing, before what can only be one."""
        shape = read_shape(source.text)
        forms, depth, lowest = [], 0, 0
        for place, name in shape:
            if name is None:
                depth -= 1
                lowest = min(lowest, depth)
                continue
            if depth == 0:
                forms.append(place)
            depth += 1
        if not depth and not lowest:
            return cls(source, shape, _with_start(forms))
        forms = [place for place, name in shape if _starts_form(source.text, place, name)]
        places = _with_start(forms)
        return cls(source, shape, places, _find_unbalanced(shape, places))

    @cached_property
    def last_opening(self) -> int:
        """Return the place of the last '('; 0 if there is none."""
        return next((place for place, name in reversed(self.shape) if name is not None), 0)

    @cached_property
    def layout(self) -> Layout:
        """Return how the author lays out forms."""
        return Layout.of(self.source, self.shape)

    def read(self, quick: ReadQuickly, careful: Read) -> list[Term]:
        """Read all parts: many at once where the quick way is enough, else one alone."""
        bounds = [*self.places, len(self.source.text)]
        forms: list[Term] = []
        # What is still to be read, the first on top.
        waiting = self._runs()[::-1]
        while waiting:
            first, last = waiting.pop()
            is_hopeless = first in self.unbalanced
            found = None if is_hopeless else quick(bounds[first], bounds[last])
            if found is None and last - first > 1:
                middle = (first + last) // 2
                waiting += [(middle, last), (first, middle)]
                continue
            forms += careful(bounds[first], bounds[last]) if found is None else found
        return forms

    def _runs(self) -> list[tuple[int, int]]:
        """Return the parts that are not balanced, each alone, and what stands between them."""
        runs, begin = [], 0
        for part in sorted(self.unbalanced):
            runs += [(begin, part), (part, part + 1)]
            begin = part + 1
        return [
            (first, last) for first, last in [*runs, (begin, len(self.places))] if first < last
        ]


def _with_start(forms: Sequence[int]) -> list[int]:
    """Return where parts begin: what stands before the first form belongs to it."""
    return [0, *forms[1:]]


def _find_unbalanced(shape: Shape, places: Sequence[int]) -> frozenset[int]:
    found = set()
    part, depth = 0, 0
    for place, name in shape:
        if part + 1 < len(places) and place == places[part + 1]:
            if depth:
                found.add(part)
            part, depth = part + 1, 0
        depth += -1 if name is None else 1
        if depth < 0:
            found.add(part)
    return frozenset(found | ({part} if depth else set()))


def _starts_form(text: str, place: int, name: str | None) -> bool:
    """Tell whether a list can only be a form of its own, whatever is open before it."""
    begins_line = place == 0 or text[place - 1] in '\r\n'
    return name == '<=' or (begins_line and name in OPENERS)
