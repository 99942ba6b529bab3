"""The constants of a program and the numbers that stand for them in its code.

The numbers are those of `runtime/terms.hpp`: odd for integers of up to 31 bits, else twice the
place in a table that the library fills in the same order when it is opened.
"""

from __future__ import annotations

from gdl_env.errors import NumberRangeError
from gdl_env.language.terms import Compound, Number, Range, Symbol, Term

NONE = -2
_SMALL = 2**30
_LARGEST = 2**63

_SYMBOL, _INTEGER, _COMPOUND = range(3)


class ConstantNumbers:
    """Numbers every constant and every name with arguments."""

    def __init__(self) -> None:
        self._terms: dict[Term, int] = {}
        self._names: dict[tuple[str, int], int] = {}
        self._integers: list[int] = []
        # The constants in their order, as (kind, name or place, arguments).
        self._stream: list[int] = []

    def constant(self, term: Term) -> int:
        """Return the number of a ground term. Raises EngineLimitError for a huge integer."""
        if isinstance(term, Range):
            term = Compound('range', (Number(term.low), Number(term.high)))
        if isinstance(term, Number) and -_SMALL <= term.value < _SMALL:
            return term.value * 2 + 1
        if term not in self._terms:
            words = self._describe(term)
            self._terms[term] = 2 * len(self._terms)
            self._stream += words
        return self._terms[term]

    def functor(self, name: str, arity: int) -> int:
        """Return the number of a name with arguments."""
        return self._names.setdefault((name, arity), len(self._names))

    def tables(self) -> list[str]:
        """Return the C++ tables from which the library fills its own."""
        names = ', '.join(f'{{{quote(name)}, {arity}}}' for name, arity in self._names)
        integers = ', '.join(map(integer, self._integers))
        return [
            f'static const NameData NAMES[] = {{{names or "{0, 0}"}}};',
            f'static const int NAME_COUNT = {len(self._names)};',
            f'static const int64_t INTEGERS[] = {{{integers or "0"}}};',
            f'static const int CONSTANTS[] = {{{", ".join(map(str, self._stream)) or "0"}}};',
            f'static const int CONSTANT_WORDS = {len(self._stream)};',
        ]

    def _describe(self, term: Term) -> list[int]:
        if isinstance(term, Symbol):
            return [_SYMBOL, self.functor(term.name, -1)]
        if isinstance(term, Number):
            if not -_LARGEST <= term.value < _LARGEST:
                raise NumberRangeError(
                    f'{term.value} does not fit into 64 bits, the most the first-order engine has'
                )
            self._integers.append(term.value)
            return [_INTEGER, len(self._integers) - 1]
        assert isinstance(term, Compound), f'not a ground term: {term}'
        args = [self.constant(arg) for arg in term.args]
        return [_COMPOUND, self.functor(term.name, len(args)), *args]


def integer(value: int) -> str:
    """Return an integer of 64 bits as C++ writes it."""
    return f'{value}LL' if value > -_LARGEST else 'INT64_MIN'


def quote(text: str) -> str:
    """Return a text as a C++ string literal, whatever is in it."""
    plain = (
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f'\\{byte:03o}'
        for byte in text.encode()
    )
    return f'"{"".join(plain)}"'
