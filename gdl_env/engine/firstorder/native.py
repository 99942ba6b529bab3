"""A compiled game in this process: ctypes around its library, terms as numbers.

The library guards itself: it counts its steps, memory and stack, and gives a status back instead
of running away. What crosses the border are numbers that it gave out itself.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p
from enum import IntEnum
from pathlib import Path

from gdl_env.engine.firstorder.values import NONE
from gdl_env.errors import EngineError, EngineLimitError, NumberRangeError, RuleError
from gdl_env.language.terms import Compound, Number, Symbol, Term

_MIB = 2**20
_LARGEST = 2**63
_OUT_OF_TIME, _OUT_OF_MEMORY, _OUT_OF_RANGE, _TOO_DEEP, _RULE = range(1, 6)


class NativeQuery(IntEnum):
    """What can be asked; as in `runtime/interface.hpp`."""

    ROLES = 0
    INITIAL = 1
    TERMINAL = 2
    LEGAL = 3
    GOALS = 4
    NEXT = 5
    PERCEPTS = 6
    CHANCE = 7


class NativeGame:
    """One opened game of a library; not for several threads at once."""

    def __init__(self, path: Path, time_limit: float, memory_limit: int) -> None:
        self.time_limit = time_limit
        self._memory_limit = memory_limit
        self._library = _load(path)
        self._handle: int | None = None
        self._loaded: bytes | None = None
        self._terms: dict[int, Term] = {}
        self._numbers: dict[Term, int] = {}
        self._out = POINTER(c_int)()
        self._length = c_int()
        # How often numbers of terms have lost their meaning.
        self.generation = 0
        self._open()

    # ---- questions

    def ask(self, question: NativeQuery, state: bytes, moves: bytes = b'') -> list[int]:
        """Ask about a packed state and packed pairs of role and move.

        Raises EngineLimitError or RuleError.
        """
        # Asking about the same state again is common, and what was derived from it is still there.
        is_same = state is self._loaded
        self._loaded = None
        status = self._library.gdl_ask(
            self._handle,
            question,
            None if is_same else state,
            len(state) // 4,
            moves,
            len(moves) // 8,
            self.time_limit,
            byref(self._out),
            byref(self._length),
        )
        answer = self._answer(status)
        self._loaded = state
        return answer

    def play(self, seed: int, first: int, count: int, max_steps: int, slice_: float) -> list[int]:
        """Play some of `count` random games, the first of them having the number `first`."""
        self._loaded = None
        status = self._library.gdl_play(
            self._handle,
            seed % 2**64,
            first,
            count,
            max_steps,
            self.time_limit,
            slice_,
            byref(self._out),
            byref(self._length),
        )
        return self._answer(status)

    def close(self) -> None:
        """Free everything the game holds."""
        self._library.gdl_close(self._handle)
        self._handle = None

    # ---- terms

    def term(self, number: int) -> Term:
        """Return the term a number stands for."""
        found = self._terms.get(number)
        return self._describe(number) if found is None else found

    def number(self, term: Term) -> int:
        """Return the number of a term. Raises EngineLimitError for a huge or deep one."""
        found = self._numbers.get(term)
        return self._enter(term) if found is None else found

    def tidy(self) -> None:
        """Start afresh if much memory is in use: numbers of terms lose their meaning."""
        if self._library.gdl_usage(self._handle) > 0.5:
            self._open()

    # ---- inside

    def _open(self) -> None:
        self._library.gdl_close(self._handle)
        self._handle = self._library.gdl_open(self._memory_limit * _MIB)
        self._loaded = None
        self._terms.clear()
        self._numbers.clear()
        self.generation += 1
        if not self._handle:
            raise EngineLimitError(f'the rules do not fit into {self._memory_limit} MiB')

    def _answer(self, status: int) -> list[int]:
        if status != 0:
            self._raise(status)
        length = self._length.value
        return self._out[:length] if length else []

    def _raise(self, status: int) -> None:
        if status == _RULE:
            raise RuleError(self._library.gdl_message(self._handle).decode(errors='replace'))
        if status == _OUT_OF_MEMORY:
            # What is left may be incomplete.
            self._open()
        reasons = {
            _OUT_OF_TIME: f'for more than {self.time_limit:g} s',
            _OUT_OF_MEMORY: f'out of memory ({self._memory_limit} MiB)',
            _OUT_OF_RANGE: 'into numbers beyond 64 bits, the most the first-order engine has',
            _TOO_DEEP: 'too deep: terms within terms, or relations that call themselves',
        }
        error = NumberRangeError if status == _OUT_OF_RANGE else EngineLimitError
        raise error(f'the rules ran {reasons[status]}')

    def _describe(self, number: int) -> Term:
        name, length, args, value = c_void_p(), c_int(), POINTER(c_int)(), c_int64()
        kind = self._library.gdl_term(
            self._handle, number, byref(name), byref(length), byref(args), byref(value)
        )
        term: Term
        if kind == -2:
            term = Number(value.value)
        else:
            text = ctypes.string_at(name.value or 0, length.value).decode()
            if kind == -1:
                term = Symbol(text)
            else:
                term = Compound(text, tuple(map(self.term, args[:kind])))
        self._terms[number] = term
        self._numbers[term] = number
        return term

    def _enter(self, term: Term) -> int:
        out = c_int(NONE)
        if isinstance(term, Number):
            if not -_LARGEST <= term.value < _LARGEST:
                self._raise(_OUT_OF_RANGE)
            status = self._library.gdl_number(self._handle, term.value, byref(out))
        elif isinstance(term, Symbol):
            name = term.name.encode()
            status = self._library.gdl_symbol(self._handle, name, len(name), byref(out))
        elif isinstance(term, Compound):
            name = term.name.encode()
            args = (c_int * len(term.args))(*map(self.number, term.args))
            status = self._library.gdl_compound(
                self._handle, name, len(name), args, len(args), byref(out)
            )
        else:
            raise EngineError(f'{term} cannot be part of a state or a move')
        if status != 0:
            self._raise(status)
        self._terms[out.value] = term
        self._numbers[term] = out.value
        return out.value


def _load(path: Path) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise EngineError(f'{path}: the compiled rules cannot be loaded: {error}') from error
    answer = (POINTER(POINTER(c_int)), POINTER(c_int))
    terms = (c_void_p, c_char_p, c_int)
    functions = {
        'gdl_open': (c_void_p, (c_uint64,)),
        'gdl_close': (None, (c_void_p,)),
        'gdl_ask': (
            c_int,
            (c_void_p, c_int, c_char_p, c_int, c_char_p, c_int, c_double, *answer),
        ),
        'gdl_play': (
            c_int,
            (c_void_p, c_uint64, c_uint64, c_int, c_int, c_double, c_double, *answer),
        ),
        'gdl_message': (c_char_p, (c_void_p,)),
        'gdl_usage': (c_double, (c_void_p,)),
        'gdl_number': (c_int, (c_void_p, c_int64, POINTER(c_int))),
        'gdl_symbol': (c_int, (*terms, POINTER(c_int))),
        'gdl_compound': (c_int, (*terms, POINTER(c_int), c_int, POINTER(c_int))),
        'gdl_term': (
            c_int,
            (c_void_p, c_int, POINTER(c_void_p), *answer[1:], answer[0], POINTER(c_int64)),
        ),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, list(arguments)
    return library
