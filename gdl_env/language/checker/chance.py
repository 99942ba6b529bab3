"""Weighted chance: `(random name weight event)` (Kulick, Block, Rojas 2009)."""

from __future__ import annotations

from collections.abc import Iterator

from gdl_env.language.checker.report import Report
from gdl_env.language.formulas import Atom, terms_of
from gdl_env.language.game import Game, Rule
from gdl_env.language.terms import (
    Compound,
    Number,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    erase_types,
    signature,
    subterms,
)

_FORM = ('random', 3)
_LEGAL = ('legal', 2)
_ONLY = "the name of an experiment only in '(random name weight event)' and in a move of 'legal'"


def check_chance(game: Game, report: Report) -> None:
    """Check the definitions of experiments, and where their names stand."""
    if 'random' in game.redefined or all(signature(rule.head) != _FORM for rule in game.rules):
        return
    for rule in game.rules:
        if signature(rule.head) == _FORM and isinstance(rule.head, Compound):
            _check_definition(rule.head, report)
    used = _check_uses(game, report)
    _check_experiments(game, used, report)


def _check_definition(head: Compound, report: Report) -> None:
    name, weight = (erase_types(arg) for arg in head.args[:2])
    if not isinstance(name, Symbol):
        report.error(
            'random-name',
            f"'{name}' cannot name an experiment",
            head.args[0].span,
            'a plain name such as dice: (random dice 1 6)',
        )
    is_weight = isinstance(weight, Variable) or (isinstance(weight, Number) and weight.value >= 0)
    if not is_weight:
        report.error(
            'random-weight',
            f"'{weight}' is no weight of an event",
            head.args[1].span,
            'an integer from 0 on, or a variable that gets one in the body',
        )


def _check_uses(game: Game, report: Report) -> set[str]:
    """Report names of experiments in wrong places; return those that stand in a move."""
    used: set[str] = set()
    for rule in game.rules:
        for term in _outside_of_moves(rule):
            for inner in _constants(term):
                if inner.name in game.experiments:
                    report.error(
                        'random-place',
                        f"'{inner.name}' names an experiment: what was drawn stands in its place"
                        ' when a rule is asked, so it can never be found here',
                        inner.span,
                        _ONLY,
                    )
        for move in _moves(rule):
            used |= {inner.name for inner in _constants(move)}
    return used


def _outside_of_moves(rule: Rule) -> Iterator[Term]:
    """Yield the terms of a rule in which no experiment may be named."""
    if signature(rule.head) == _FORM:
        yield from args_of(rule.head)[1:]
    elif signature(rule.head) == _LEGAL:
        yield args_of(rule.head)[0]
    else:
        yield from args_of(rule.head)
    for formula in rule.formulas():
        if not isinstance(formula, Atom):
            yield from terms_of(formula)
        elif signature(formula.term) == _LEGAL:
            yield args_of(formula.term)[0]
        else:
            yield from args_of(formula.term)


def _moves(rule: Rule) -> Iterator[Term]:
    atoms = (f.term for f in rule.formulas() if isinstance(f, Atom))
    for term in (rule.head, *atoms):
        if signature(term) == _LEGAL:
            yield args_of(term)[1]


def _constants(term: Term) -> Iterator[Symbol]:
    for inner in subterms(term):
        value = inner.term if isinstance(inner, Typed) else inner
        if isinstance(value, Symbol):
            yield value


def _check_experiments(game: Game, used: set[str], report: Report) -> None:
    rules: dict[str, list[Rule]] = {}
    for rule in game.rules:
        symbol = erase_types(args_of(rule.head)[0]) if signature(rule.head) == _FORM else None
        if isinstance(symbol, Symbol):
            rules.setdefault(symbol.name, []).append(rule)
    for name, definitions in rules.items():
        first = definitions[0].head
        if name not in used:
            report.warning(
                'unused-experiment',
                f"no move names the experiment '{name}', so it is never drawn",
                first.span,
                f"a rule such as '(<= (legal role (roll {name})) condition …)'",
            )
        if all(args_of(rule.head)[1] == Number(0) for rule in definitions):
            report.error(
                'random-weight',
                f"all events of the experiment '{name}' have weight 0, so none can be drawn",
                first.span,
                'at least one event with a positive weight',
            )
