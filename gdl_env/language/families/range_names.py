"""Names of options as bounds of ranges: `[1,size]` becomes `[1,9]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gdl_env.language.diagnostics import Diagnostic, Severity
from gdl_env.language.families.options import Value
from gdl_env.language.source import Span
from gdl_env.language.terms import Compound, Number, Range, Term, Typed

_NOWHERE = Span(0, 0)


def resolve_ranges(term: Term, values: Mapping[str, Value], found: list[Diagnostic]) -> Term:
    """Return the term with numbers in place of names in its ranges."""
    if isinstance(term, Range):
        return _bounded(term, values, found)
    if isinstance(term, Typed) and isinstance(term.type, Range):
        kind = _bounded(term.type, values, found)
        return replace(term, type=kind) if kind is not term.type else term
    if isinstance(term, Compound):
        args = tuple(resolve_ranges(arg, values, found) for arg in term.args)
        if any(new is not old for new, old in zip(args, term.args, strict=True)):
            return Compound(term.name, args, term.span)
    return term


def _bounded(term: Range, values: Mapping[str, Value], found: list[Diagnostic]) -> Range:
    if term.bounds is None:
        return term
    numbers = []
    for bound in term.bounds:
        value = Number(int(bound)) if _is_integer(bound) else values.get(bound)
        if isinstance(value, Number):
            numbers.append(value.value)
            continue
        known = [name for name, v in values.items() if isinstance(v, Number)]
        found.append(
            Diagnostic(
                Severity.ERROR,
                'unknown-option',
                f"'{bound}' in '{term}' is no option with a number",
                term.span or _NOWHERE,
                f'integers, and options: {", ".join(known) or "there are none"}',
            )
        )
        return Range(0, 0, term.span)
    low, high = numbers
    if low > high:
        found.append(
            Diagnostic(
                Severity.ERROR,
                'empty-range',
                f'the range {term} is [{low},{high}] and holds no number',
                term.span or _NOWHERE,
                'the smaller bound first',
            )
        )
    return Range(low, high, term.span)


def _is_integer(bound: str) -> bool:
    return bound.removeprefix('-').isdecimal()
