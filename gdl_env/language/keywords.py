"""The words with a meaning of their own, and what each may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag, auto


class RulePart(Flag):
    """Where in a rule a relation may stand."""

    HEAD = auto()
    BODY = auto()


@dataclass(frozen=True)
class Keyword:
    """A relation the language defines."""

    name: str
    # The numbers of arguments it may have; None: one or more.
    arities: tuple[int, ...] | None
    places: RulePart
    form: str
    # A game that defines a relation of this name itself keeps its own meaning.
    can_be_redefined: bool = False


def _table(*keywords: Keyword) -> dict[str, Keyword]:
    return {keyword.name: keyword for keyword in keywords}


_HEAD, _BODY, _BOTH = RulePart.HEAD, RulePart.BODY, RulePart.HEAD | RulePart.BODY

KEYWORDS = _table(
    Keyword('role', (1,), _BOTH, '(role r)'),
    Keyword('init', (1,), _HEAD, '(init fact)'),
    Keyword('true', (1,), _BODY, '(true fact)'),
    Keyword('next', (1,), _HEAD, '(next fact)'),
    Keyword('legal', (2,), _BOTH, '(legal role move)'),
    Keyword('does', (2,), _BODY, '(does role move)'),
    Keyword('goal', (2,), _BOTH, '(goal role value)'),
    Keyword('terminal', (0,), _BOTH, 'terminal'),
    Keyword('sees', (2,), _HEAD, '(sees role percept)'),
    Keyword('base', (1,), _BOTH, '(base fact)'),
    Keyword('input', (2,), _BOTH, '(input role move)'),
    Keyword('distinct', (2,), _BODY, '(distinct a b)'),
    Keyword('not', (1,), _BODY, '(not literal)'),
    Keyword('or', None, _BODY, '(or literal …)'),
    Keyword('and', None, _BODY, '(and literal …)'),
    Keyword('random', (3,), _HEAD, '(random name weight event)', True),
    Keyword('add', (3,), _BODY, '(add a b sum)', True),
    Keyword('sub', (3,), _BODY, '(sub a b difference)', True),
    Keyword('mult', (3,), _BODY, '(mult a b product)', True),
    Keyword('div', (3,), _BODY, '(div a b quotient)', True),
    Keyword('mod', (3,), _BODY, '(mod a b remainder)', True),
    Keyword('less', (2,), _BODY, '(less a b)', True),
    Keyword('greater', (2,), _BODY, '(greater a b)', True),
    Keyword('count', None, _BODY, '(count n literal …)', True),
    Keyword('type', (2,), _BOTH, '(type name value)', True),
    Keyword('typecombine', (3,), _HEAD, '(typecombine name part part)', True),
    Keyword('typemap', (3,), _BOTH, '(typemap name value number)', True),
)

ARITHMETIC = frozenset({'add', 'sub', 'mult', 'div', 'mod', 'less', 'greater'})
COMPARISONS = frozenset({'less', 'greater'})
# Arguments that may have infinitely many values for given others: (mod ?n 3 1), (mult 0 ?n 0).
ENDLESS = frozenset({('mult', 0), ('mult', 1), ('div', 1), ('mod', 0), ('mod', 1)})

# The role that nature plays, and the move that never alters the state.
RANDOM = 'random'
NOOP = 'noop'
