"""Tables: a fixed index for each fact or move that can occur."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from gdl_env.engine.mapping.template import Shape, Template, shape_of
from gdl_env.language.terms import Term


class IndexTable(ABC):
    """Indices from 0 to `size` - 1, and what they stand for."""

    size: int

    @abstractmethod
    def find(self, term: Term) -> int | None:
        """Return the index of a term; None where it has none."""

    @abstractmethod
    def term(self, index: int) -> Term:
        """Return the term of an index. Raises IndexError."""

    def terms(self) -> list[Term]:
        """Return what all indices stand for, in order."""
        return [self.term(index) for index in range(self.size)]


class ListTable(IndexTable):
    """A table that is written out."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._terms = tuple(terms)
        self._places = {term: index for index, term in enumerate(self._terms)}
        self.size = len(self._terms)

    def find(self, term: Term) -> int | None:
        """Return the index of a term; None where it has none."""
        return self._places.get(term)

    def term(self, index: int) -> Term:
        """Return the term of an index. Raises IndexError."""
        return self._terms[_checked(index, self.size)]


class TemplateTable(IndexTable):
    """The terms of templates one after another; nothing is written out."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self.templates = tuple(templates)
        # Where each template begins, and the end of the last one.
        self.starts = (0, *accumulate(template.size for template in self.templates))
        self.size = self.starts[-1]
        self._by_shape: dict[Shape, list[int]] = {}
        for number, template in enumerate(self.templates):
            self._by_shape.setdefault(template.shape, []).append(number)

    def find(self, term: Term) -> int | None:
        """Return the index of a term; None where it has none."""
        for number in self._by_shape.get(shape_of(term), ()):
            index = self.templates[number].find(term)
            if index is not None:
                return self.starts[number] + index
        return None

    def similar(self, term: Term) -> list[Template]:
        """Return the templates of the shape of a term, whatever values it has."""
        return [self.templates[number] for number in self._by_shape.get(shape_of(term), ())]

    def term(self, index: int) -> Term:
        """Return the term of an index. Raises IndexError."""
        number = bisect_right(self.starts, _checked(index, self.size)) - 1
        return self.templates[number].term(index - self.starts[number])


def _checked(index: int, size: int) -> int:
    if not 0 <= index < size:
        raise IndexError(f'{index} is not between 0 and {size - 1}')
    return index
