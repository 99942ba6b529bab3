"""Conditions on numbers: what stands in them and never is one."""

from __future__ import annotations

from gdl_env.language.checker.report import Report, see, short
from gdl_env.language.families.options import Option, OptionKind
from gdl_env.language.formulas import Arithmetic, walk
from gdl_env.language.game import Game
from gdl_env.language.terms import Compound, Symbol, Term


def check_numbers(game: Game, report: Report) -> None:
    """Report arithmetic and comparisons that can never hold, because a name is no number."""
    options = {option.name: option for option in game.options}
    for rule in game.rules:
        for condition in rule.body:
            for formula in walk(condition):
                if isinstance(formula, Arithmetic):
                    for term in formula.args:
                        if isinstance(term, Symbol | Compound):
                            _report_term(formula, term, options.get(str(term)), report)


def _report_term(formula: Arithmetic, term: Term, option: Option | None, report: Report) -> None:
    message = f"'{short(term)}' is not a number, so this '{formula.relation}' never holds"
    allowed = 'a number, or a variable that has a number as its value'
    if option is None or option.kind is not OptionKind.VALUE:
        report.warning('no-number', message, term.span, allowed)
        return
    report.warning(
        'no-number',
        message,
        term.span,
        f"'(option {option.name} ?{option.name})' as a condition, and '?{option.name}' here",
        see(option.facts[0], 'the option'),
    )
