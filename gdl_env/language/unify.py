"""Whether two terms have a common instance."""

from __future__ import annotations

from gdl_env.language.terms import Compound, Term, Typed, Variable

# Variables are distinguished by the term they come from: the two terms share none.
_Side = tuple[Term, bool]


def unifiable(left: Term, right: Term) -> bool:
    """Tell whether two terms can be made equal; their variables are different ones."""
    bindings: dict[tuple[str, bool], _Side] = {}
    waiting: list[tuple[_Side, _Side]] = [((left, False), (right, True))]
    # There is no occurs check: a pair that comes again would come for ever.
    seen: set[tuple[_Side, _Side]] = set()
    while waiting:
        a, b = (_resolve(side, bindings) for side in waiting.pop())
        if (a, b) in seen:
            continue
        seen.add((a, b))
        if isinstance(a[0], Variable):
            if not (isinstance(b[0], Variable) and a == b):
                bindings[a[0].name, a[1]] = b
        elif isinstance(b[0], Variable):
            bindings[b[0].name, b[1]] = a
        elif isinstance(a[0], Compound) and isinstance(b[0], Compound):
            if a[0].name != b[0].name or len(a[0].args) != len(b[0].args):
                return False
            pairs = zip(a[0].args, b[0].args, strict=True)
            waiting += [((x, a[1]), (y, b[1])) for x, y in pairs]
        elif a[0] != b[0]:
            return False
    return True


def _resolve(side: _Side, bindings: dict[tuple[str, bool], _Side]) -> _Side:
    """Follow bindings to a term that is no bound variable, without its annotation."""
    term, origin = side
    while True:
        if isinstance(term, Typed):
            term = term.term
        if not isinstance(term, Variable) or (term.name, origin) not in bindings:
            return term, origin
        term, origin = bindings[term.name, origin]
