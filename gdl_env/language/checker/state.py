"""Facts and moves that a rule asks for although none of that name can ever be there."""

from __future__ import annotations

from gdl_env.language.checker.report import Report, arguments, did_you_mean
from gdl_env.language.dependencies import Relation
from gdl_env.language.game import Game
from gdl_env.language.terms import Compound, Symbol, Term, args_of, name_of

_CONNECTIVES = {'not', 'or', 'and', 'distinct', '<='}
_WRITERS = {'init', 'next'}


def check_state(game: Game, report: Report) -> None:
    """Compare what `true` and `does` ask for with what `init`, `next` and `legal` give."""
    # A head with too many arguments is an error of its own; what it means to give is known.
    heads = game.occurrences.heads
    writers = [head for (name, _), found in heads.items() if name in _WRITERS for head in found]
    facts = [arg for head in writers for arg in args_of(head)]
    movers = [head for (name, _), found in heads.items() if name == 'legal' for head in found]
    moves = [arg for head in movers for arg in args_of(head)[1:]]
    # What comes of an experiment as a whole move is known only by its events.
    if not any(name_of(move) in game.experiments for move in moves):
        asked = _asked(game, ('does', 2))
        _compare(moves, asked, 'unknown-move', 'move', "'legal'", report)
    _compare(facts, _asked(game, ('true', 1)), 'unknown-fact', 'fact', "'init' or 'next'", report)


def _asked(game: Game, relation: Relation) -> list[Term]:
    return [args_of(term)[-1] for term in game.occurrences.asked.get(relation, ())]


def _compare(
    given: list[Term], asked: list[Term], code: str, what: str, makers: str, report: Report
) -> None:
    if not given or any(not isinstance(term, Symbol | Compound) for term in given):
        # Nothing to compare with, or a variable that stands for anything.
        return
    names = {name_of(term) for term in given}
    known = names | _CONNECTIVES
    unknown: dict[str, list[Symbol | Compound]] = {}
    for term in asked:
        # Another number of arguments is a finding of its own, and so is a connective inside.
        if isinstance(term, Symbol | Compound) and term.name not in known:
            unknown.setdefault(term.name, []).append(term)
    for name, places in unknown.items():
        similar = report.similar_name(name, names)
        report.warning(
            code,
            f"no {makers} gives a {what} '{name}' with {arguments(len(args_of(places[0])))}, so"
            f' this never holds{did_you_mean(similar)}',
            places[0].span,
            f'a {what} that {makers} can give',
            edits=report.renaming(places, similar),
        )
