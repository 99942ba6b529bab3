"""What roles see: the two dialects of `sees`."""

from __future__ import annotations

from gdl_env.language.checker.report import Report, see
from gdl_env.language.game import Game
from gdl_env.language.source import Span
from gdl_env.language.terms import Term, args_of, signature

_STATE = frozenset({('init', 1), ('next', 1), ('true', 1)})
_START = Span(0, 0)
_FORM = ('sees', 2)


def check_information(game: Game, report: Report) -> None:
    """Report a game that uses both dialects; one of them then has no meaning."""
    head = next(iter(game.occurrences.heads.get(_FORM, ())), None)
    fact = None if head is None else _first_fact(game)
    if head is None or fact is None:
        return
    report.warning(
        'two-dialects',
        "this game also has 'sees' as a head and is read as GDL-II: 'sees' in the state is a fact"
        ' like any other there, and no role receives it',
        fact.span,
        "'sees' either as a head or inside 'init', 'next' and 'true'",
        see(head, "'sees' as a head"),
    )


def _first_fact(game: Game) -> Term | None:
    facts = (
        args_of(term)[0]
        for relation, terms in game.occurrences.relations()
        if relation in _STATE
        for term in terms
    )
    found = [fact for fact in facts if signature(fact) == _FORM]
    return min(found, key=lambda fact: fact.span or _START, default=None)
