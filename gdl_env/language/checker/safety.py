"""Variables that never get a value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass

from gdl_env.language.checker.report import Report, distinct_names, listing, short
from gdl_env.language.dependencies import Relation
from gdl_env.language.diagnostics import Severity
from gdl_env.language.formulas import (
    Arithmetic,
    Atom,
    Count,
    Distinct,
    Formula,
    Not,
    Or,
    formula_variables,
)
from gdl_env.language.game import Game, Rule
from gdl_env.language.keywords import COMPARISONS, KEYWORDS
from gdl_env.language.ordering import Names, Unbound, names, order
from gdl_env.language.terms import Variable, args_of, name_of, signature, variables

# Relations that describe a game for other tools; no move or state is computed from them.
_DESCRIPTIVE = frozenset({'base', 'input'})
_BIND = 'the variable also in a condition that is not negated, such as (role ?x) or (true …)'


def check_safety(game: Game, report: Report) -> None:
    """Check every rule and fact."""
    asked, defined = game.occurrences.asked.keys(), game.occurrences.heads.keys()
    has_free_description = _DESCRIPTIVE.isdisjoint(name for name, _ in asked)
    safety = _Safety(game, defined, asked, has_free_description, report)
    for rule in game.rules:
        safety.check(rule)


@dataclass(frozen=True)
class _Safety:
    game: Game
    defined: Set[Relation]
    asked: Set[Relation]
    # No rule asks for `base` or `input`: whatever they say, it does not matter in play.
    has_free_description: bool
    report: Report

    def check(self, rule: Rule) -> None:
        in_head = names(variables(rule.head))
        if not rule.body:
            self._check_fact(rule)
            return
        if _is_plainly_safe(rule, in_head):
            return
        found = order(rule.body, self._given(rule), in_head)
        for literal in found.unbound:
            self._report_literal(rule, literal)
        reported = names(v for literal in found.unbound for v in literal.variables)
        free = [v for v in variables(rule.head) if v.name not in found.bound | reported]
        if free:
            self._report_head(rule, free)
        self._check_open_negation(rule)

    def _given(self, rule: Rule) -> Names:
        """Return the variables that have a value beforehand: a typemap is asked about a value."""
        if signature(rule.head) == ('typemap', 3) and 'typemap' not in self.game.redefined:
            return names(variables(args_of(rule.head)[2]))
        return frozenset()

    def _check_fact(self, rule: Rule) -> None:
        free = list(variables(rule.head))
        if not free:
            return
        is_unused = name_of(rule.head) not in KEYWORDS and signature(rule.head) not in self.asked
        self.report.add(
            Severity.WARNING if is_unused or self._is_description(rule) else Severity.ERROR,
            'variable-in-fact',
            f'{listing(distinct_names(free))} in a fact can be anything, so the fact would hold'
            ' for infinitely many values',
            free[0].span,
            f"constants, or a rule that says which values: '(<= {short(rule.head)} condition …)'",
        )

    def _is_description(self, rule: Rule) -> bool:
        return name_of(rule.head) in _DESCRIPTIVE and self.has_free_description

    def _report_head(self, rule: Rule, free: list[Variable]) -> None:
        name = name_of(rule.head)
        shown = listing(distinct_names(free))
        get = 'gets' if len(names(free)) == 1 else 'get'
        if name == 'sees' and names(free) == self._role_variable(rule):
            self.report.warning(
                'every-role',
                f"{shown} {get} no value in this rule; as the role of 'sees' it is read as every"
                ' role',
                free[0].span,
                f"'(role {free[0]})' in the body, to say so",
            )
            return
        message = f'{shown} {get} no value in this rule, but the head needs one'
        somewhere = names(v for f in rule.formulas() for v in formula_variables(f))
        if names(free) & somewhere and any(isinstance(f, Or) for f in rule.formulas()):
            message = f"{shown} {get} a value only in some parts of 'or', but the head needs one"
        is_harmless = self._is_description(rule) or self._never_holds(rule)
        self.report.add(
            Severity.WARNING if is_harmless else Severity.ERROR,
            'unsafe-head',
            message,
            free[0].span,
            _BIND,
        )

    def _role_variable(self, rule: Rule) -> Names:
        """Return the variable that is the role of the head, unless it occurs anywhere else."""
        role, *rest = args_of(rule.head) or (rule.head,)
        if not isinstance(role, Variable):
            return frozenset()
        elsewhere = names(v for arg in rest for v in variables(arg))
        elsewhere |= names(v for f in rule.formulas() for v in formula_variables(f))
        return frozenset({role.name}) - elsewhere

    def _never_holds(self, rule: Rule) -> bool:
        """Tell whether the body asks for a relation that no rule defines, so nothing follows."""
        return any(
            isinstance(formula, Atom)
            and signature(formula.term) not in self.defined
            and name_of(formula.term) not in KEYWORDS
            for formula in rule.body
        )

    def _report_literal(self, rule: Rule, literal: Unbound) -> None:
        formula = literal.formula
        shown = listing(distinct_names(literal.variables))
        get = 'get' if len(names(literal.variables)) > 1 else 'gets'
        code, need, allowed = _explain(formula)
        place = literal.variables[0].span if literal.variables else formula.span
        self.report.error(
            code,
            f"{shown} {get} no value in this rule, but {need}: '{short(formula)}'",
            place,
            allowed,
        )

    def _check_open_negation(self, rule: Rule) -> None:
        """Warn of `(not (control ?x))` with ?x nowhere else: read as 'no such fact'."""
        everywhere = Counter(v.name for term in rule.terms() for v in variables(term))
        for formula in rule.formulas():
            if not (isinstance(formula, Not) and isinstance(formula.part, Atom)):
                continue
            inside = list(formula_variables(formula))
            own = [v for v in inside if everywhere[v.name] == _times(v, inside)]
            if own:
                self.report.warning(
                    'open-negation',
                    f'{listing(distinct_names(own))} stands only in this negation, which is read'
                    ' as: there is no such fact at all',
                    own[0].span,
                    'a relation of its own for what there must not be, and its negation here',
                )


def _is_plainly_safe(rule: Rule, in_head: Names) -> bool:
    """Tell whether the conditions that are not negated bind every variable: most rules are so."""
    bound = {
        variable.name
        for formula in rule.body
        if isinstance(formula, Atom) and name_of(formula.term) != 'typemap'
        for variable in variables(formula.term)
    }
    return in_head <= bound and all(
        variable.name in bound
        for formula in rule.body
        if not isinstance(formula, Atom) or name_of(formula.term) == 'typemap'
        for variable in formula_variables(formula)
    )


def _times(variable: Variable, occurrences: list[Variable]) -> int:
    return sum(other.name == variable.name for other in occurrences)


def _explain(formula: Formula) -> tuple[str, str, str]:
    """Return the code, who needs the value, and what is allowed."""
    if isinstance(formula, Not):
        return 'unsafe-not', "'not' can only test what is known", _BIND
    if isinstance(formula, Distinct):
        return 'unsafe-distinct', "'distinct' can only compare what is known", _BIND
    if isinstance(formula, Arithmetic) and formula.relation in COMPARISONS:
        need = f"'{formula.relation}' can only compare what is known"
        return 'unsafe-arithmetic', need, _BIND
    if isinstance(formula, Arithmetic):
        need = f"'{formula.relation}' can compute an unknown in one place only"
        return (
            'unsafe-arithmetic',
            need,
            f'{KEYWORDS[formula.relation].form} with an unknown in one place at most',
        )
    if isinstance(formula, Count):
        allowed = 'a variable that stands outside of the count, too, needs its value from outside'
        return 'unsafe-count', "'count' needs it", allowed
    if isinstance(formula, Or):
        return 'unsafe-or', "a part of this 'or' needs it", _BIND
    return 'unsafe-condition', 'this condition needs it', _BIND
