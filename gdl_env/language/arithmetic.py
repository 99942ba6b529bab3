"""Arithmetic relations on plain integers: the same answers as the Prolog runtime gives."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from gdl_env.errors import RuleError


def holds(relation: str, args: tuple[int, ...]) -> bool:
    """Tell whether a relation holds of known numbers."""
    if relation == 'less':
        return args[0] < args[1]
    if relation == 'greater':
        return args[0] > args[1]
    a, b, c = args
    return c in _THIRD[relation](a, b)


def solve(relation: str, a: int | None, b: int | None, c: int | None) -> list[int]:
    """Return all values of the one argument that is None.

    Raises RuleError if there are infinitely many.
    """
    if c is None:
        assert a is not None and b is not None
        return _THIRD[relation](a, b)
    if a is None:
        assert b is not None
        return _FIRST[relation](b, c)
    assert b is None
    return _SECOND[relation](a, c)


def truncated_quotient(a: int, b: int) -> int:
    """Divide and round toward zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _infinite(question: str) -> RuleError:
    return RuleError(f'{question} has infinitely many answers')


def _factor(known: int, product: int) -> list[int]:
    if known == 0:
        if product == 0:
            raise _infinite('(mult ? 0 0)')
        return []
    return [product // known] if product % known == 0 else []


def _dividends(b: int, c: int) -> list[int]:
    if b == 0:
        return []
    edge, near = abs(b) - 1, b * c
    if c == 0:
        return list(range(-edge, edge + 1))
    return list(range(near, near + edge + 1) if near > 0 else range(near - edge, near + 1))


def _divisors_of_quotient(a: int, c: int) -> list[int]:
    if c == 0:
        raise _infinite(f'(div {a} ? 0)')
    if abs(a) < abs(c):
        return []
    sign = 1 if (a < 0) == (c < 0) else -1
    low, high = abs(a) // (abs(c) + 1) + 1, abs(a) // abs(c)
    return [sign * size for size in range(low, high + 1)]


def _multiples(b: int, c: int) -> list[int]:
    if b != 0 and c % b == c:
        raise _infinite(f'(mod ? {b} {c})')
    return []


def _moduli(a: int, c: int) -> list[int]:
    difference = abs(a - c)
    if difference == 0:
        raise _infinite(f'(mod {a} ? {c})')
    sizes = {
        size
        for low in range(1, isqrt(difference) + 1)
        if difference % low == 0
        for size in (low, difference // low)
        if size > abs(c)
    }
    signs = (1, -1) if c == 0 else (1,) if c > 0 else (-1,)
    return sorted(sign * size for size in sizes for sign in signs)


_Solver = Callable[[int, int], list[int]]

_THIRD: dict[str, _Solver] = {
    'add': lambda a, b: [a + b],
    'sub': lambda a, b: [a - b],
    'mult': lambda a, b: [a * b],
    'div': lambda a, b: [truncated_quotient(a, b)] if b else [],
    'mod': lambda a, b: [a % b] if b else [],
}
_FIRST: dict[str, _Solver] = {
    'add': lambda b, c: [c - b],
    'sub': lambda b, c: [c + b],
    'mult': _factor,
    'div': _dividends,
    'mod': _multiples,
}
_SECOND: dict[str, _Solver] = {
    'add': lambda a, c: [c - a],
    'sub': lambda a, c: [a - c],
    'mult': _factor,
    'div': _divisors_of_quotient,
    'mod': _moduli,
}
