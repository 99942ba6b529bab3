"""The type system: annotations that fit the declarations, and rules that have all they need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from gdl_env.language.checker.report import Report, did_you_mean, see, short
from gdl_env.language.checker.type_declarations import check_declarations, report_unknown_type
from gdl_env.language.diagnostics import Edits
from gdl_env.language.formulas import Atom
from gdl_env.language.game import Game, Rule
from gdl_env.language.source import Span
from gdl_env.language.terms import (
    Compound,
    Number,
    Symbol,
    Term,
    Typed,
    Variable,
    args_of,
    name_of,
    signature,
    subterms,
)
from gdl_env.language.types import Type, TypeKind, TypeSystem, annotated_terms, variable_types

# By the name of a fact or move, its number of arguments and the place: types as they are written.
_UsualTypes: TypeAlias = dict[tuple[str, int, int], dict[str, None]]

_STATE = {('init', 1), ('next', 1)}
_LEGAL = ('legal', 2)


def check_types(game: Game, report: Report) -> None:
    """Check a game that annotates at least one term; types mean nothing in others."""
    if not game.is_typed:
        return
    types = TypeSystem.from_game(game)
    check_declarations(game, types, report)
    uses = _Uses(types, report, _usual_types(game))
    for rule in game.rules:
        uses.check(rule)


@dataclass(frozen=True)
class _Uses:
    types: TypeSystem
    report: Report
    # The types that other rules write at each place of a fact or move.
    usual: _UsualTypes

    def check(self, rule: Rule) -> None:
        self._check_annotations(rule)
        self._check_literals(rule)
        if signature(rule.head) in _STATE:
            self._check_variables(rule, args_of(rule.head)[0], 'state')
        elif signature(rule.head) == _LEGAL:
            self._check_variables(rule, args_of(rule.head)[1], 'action')
            self._check_action(rule)

    def _check_annotations(self, rule: Rule) -> None:
        first: dict[str, Typed] = {}
        for typed in annotated_terms(rule):
            if not self.types.is_known(typed.type):
                report_unknown_type(typed.type, self.types, self.report)
            elif not isinstance(typed.term, Variable):
                self._check_member(typed.type, typed.term)
            if isinstance(typed.term, Variable):
                known = first.setdefault(typed.term.name, typed)
                if known.type != typed.type:
                    self.report.error(
                        'variable-typed-twice',
                        f"'{typed.term}' is '{known.type}' in this rule already, and cannot be"
                        f" '{typed.type}', too",
                        typed.span,
                        'one type for a variable in a rule; writing it once is enough',
                        see(known, f"'{known.type}' here"),
                    )

    def _check_member(self, type_: Type, value: Symbol | Number) -> None:
        if self._has_unknown_part(type_) or self.types.contains(type_, value):
            return
        own = self.types.type_of(value)
        hint = f"; it is a value of '{own}'" if own is not None else ''
        members = [str(n) for n in self.types.members(type_)] if isinstance(type_, Symbol) else []
        similar = self.report.similar_name(str(value), members)
        self.report.error(
            'value-outside-type',
            f"'{value}' is no value of the type '{type_}'{hint}{did_you_mean(similar)}",
            value.span,
            short(', '.join(members)) if members else f'an integer of {type_}',
            edits=self.report.renaming([value], similar),
        )

    def _has_unknown_part(self, type_: Type) -> bool:
        """Tell whether a type is made from one that does not exist, which is reported there."""
        waiting, seen = [type_], set()
        while waiting:
            part = waiting.pop()
            if not self.types.is_known(part):
                return True
            if isinstance(part, Symbol) and part.name not in seen:
                seen.add(part.name)
                waiting += self.types.combined.get(part.name, ())
        return False

    def _check_literals(self, rule: Rule) -> None:
        """Check the types that `(type t ?x)` and `(typemap t ?x n)` ask for."""
        for name, term in _asked_types(rule):
            if isinstance(term, Symbol) and not self.types.is_known(term):
                report_unknown_type(term, self.types, self.report)
            elif name == 'typemap' and not self._is_made_by_typemap(term):
                self.report.error(
                    'no-typemap',
                    f"'{term}' is no type that 'typemap' makes",
                    term.span,
                    f"'(<= (typemap {term} value ?number) condition …)' for each value",
                )

    def _is_made_by_typemap(self, term: Term) -> bool:
        if isinstance(term, Symbol):
            return self.types.kinds[term.name] is TypeKind.MAPPED
        return isinstance(term, Variable)

    def _check_variables(self, rule: Rule, term: Term, kind: str) -> None:
        types = variable_types(rule)
        reported: set[str] = set()
        for variable in _to_be_typed(term):
            if variable.name in types or variable.name in reported:
                continue
            reported.add(variable.name)
            self.report.error(
                'untyped-variable',
                f"'{variable}' has no type, but stands in the head of {_ARTICLE[kind]} rule of a"
                ' typed game',
                variable.span,
                f"a type before one '{variable}' of this rule, such as '[1,8]:{variable}' or"
                f" '{next(iter(self.types.names), 'name')}:{variable}'",
                edits=self._typing(term, variable),
            )

    def _typing(self, term: Term, variable: Variable) -> Edits:
        """Return the change that gives a variable the one type of its place elsewhere."""
        name, count = signature(term)
        for place, arg in enumerate(args_of(term)):
            types = self.usual.get((name, count, place), {})
            if arg is variable and variable.span is not None and len(types) == 1:
                start = Span(variable.span.start, variable.span.start)
                return ((start, f'{next(iter(types))}:'),)
        return ()

    def _check_action(self, rule: Rule) -> None:
        types = variable_types(rule)
        for variable in _to_be_typed(args_of(rule.head)[1]):
            type_ = types.get(variable.name)
            if type_ is None or self._has_unknown_part(type_) or not self.types.is_mapped(type_):
                continue
            self._report_typemap(f"'{variable}' of type '{type_}' in a move", variable)
        for typed in subterms(args_of(rule.head)[1]):
            if not isinstance(typed, Typed) or isinstance(typed.term, Variable):
                continue
            if not self._has_unknown_part(typed.type) and self.types.is_mapped(typed.type):
                what = f"'{typed.term}' of type '{typed.type}' in a move"
                self._report_typemap(what, typed.term)
        for formula in rule.formulas():
            if isinstance(formula, Atom) and signature(formula.term) == ('typemap', 3):
                self._report_typemap("'typemap' in the rule of a move", formula.term)

    def _report_typemap(self, what: str, term: Term) -> None:
        self.report.error(
            'typemap-in-action',
            f'{what}: a typemap turns many values into one, but moves must stay different',
            term.span,
            "types made by 'type' and 'typecombine', and ranges, in rules for 'legal'",
        )


def _usual_types(game: Game) -> _UsualTypes:
    found: _UsualTypes = {}
    for rule in game.rules:
        if signature(rule.head) not in {*_STATE, _LEGAL}:
            continue
        term = args_of(rule.head)[-1]
        name, count = signature(term)
        for place, arg in enumerate(args_of(term)):
            if isinstance(arg, Typed) and arg.type.span is not None:
                # As it is written: the bounds of a range may be options.
                text = game.source.excerpt(arg.type.span).removesuffix(':')
                found.setdefault((name, count, place), {}).setdefault(text)
    return found


_ARTICLE = {'state': 'a state', 'action': 'an action'}


def _asked_types(rule: Rule) -> Iterator[tuple[str, Term]]:
    for formula in rule.formulas():
        if isinstance(formula, Atom) and signature(formula.term) in _TYPE_LITERALS:
            yield name_of(formula.term), args_of(formula.term)[0]


_TYPE_LITERALS = {('type', 2), ('typemap', 3)}


def _to_be_typed(term: Term) -> Iterator[Variable]:
    """Yield the variables of a fact or move that need a type; the role of `sees` needs none."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Typed) and isinstance(term.term, Variable):
        yield term.term
    elif isinstance(term, Compound):
        args = term.args[1:] if signature(term) == ('sees', 2) else term.args
        for arg in args:
            yield from _to_be_typed(arg)
