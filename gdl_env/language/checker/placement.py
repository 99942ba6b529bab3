"""Forms that are no rule, literals that are no condition, keywords in a wrong place."""

from __future__ import annotations

from dataclasses import dataclass

from gdl_env.language.checker.report import Report, arguments, short
from gdl_env.language.families.options import OPTION
from gdl_env.language.game import Game
from gdl_env.language.keywords import KEYWORDS, RANDOM, Keyword, RulePart
from gdl_env.language.parser import SyntaxTree
from gdl_env.language.source import Span
from gdl_env.language.terms import Compound, Number, Range, Symbol, Term, args_of, name_of

_RULE = '<='
_CONNECTIVES = frozenset({'not', 'or', 'and', 'distinct', _RULE})
_NESTING = frozenset({'not', 'or', 'and'})
_STATE = frozenset({'init', 'next', 'true'})
# The relations whose arguments may be a type.
_TYPE_RELATIONS = frozenset({'type', 'typecombine', 'typemap'})

# Relations like any other where a rule asks for them; what may depend on them follows from what
# they depend on. Real games with hidden information do so.
_ASKED_ANYWAY = frozenset({'next', 'sees'})
# Younger than the language: with another number of arguments, an older game means its own.
_OPTIONAL = frozenset({'base', 'input'})

_RULE_FORM = "a fact '(relation argument …)' or a rule '(<= head condition …)'"
_LITERAL_FORM = "a relation, or 'not', 'or', 'and', 'distinct', arithmetic or 'count' around one"

# What to write instead of a keyword that stands in a wrong place.
_INSTEAD = {
    'true': "'true' only in a body; 'init' sets a fact at the start, 'next' after each step",
    'does': "'does' only in a body; 'legal' says which moves a role has",
    'distinct': "'distinct' only in a body",
    'not': "'not' only in a body: a head says what holds, everything else does not",
    'or': "'or' only in a body; write one rule for each head",
    'and': "'and' only in a body; write one rule for each head",
    'init': "'init' only as a head; a body asks the current state with 'true'",
    'next': "'next' only as a head; a body asks the current state with 'true'",
    'sees': "'sees' only as a head or inside 'init', 'next' and 'true'",
    'random': "'(random name weight event)' only as a head; the draw shows in 'does'",
    'typecombine': "'typecombine' only as a head; a body asks for values with 'type'",
}


def check_placement(game: Game, tree: SyntaxTree, report: Report) -> None:
    """Check every top-level form from outside to inside."""
    placement = _Placement(game.redefined, report)
    for form in tree.forms:
        placement.check_form(form)
    _note_redefined(game, report)


def _note_redefined(game: Game, report: Report) -> None:
    for name in sorted(game.redefined):
        head = next(rule.head for rule in game.rules if name_of(rule.head) == name)
        report.note(
            'redefined-keyword',
            f"this game defines '{name}' itself, so '{KEYWORDS[name].form}' of the language is"
            ' not available in it',
            head.span,
            'any other name, to keep the keyword',
        )


@dataclass(frozen=True)
class _Placement:
    redefined: frozenset[str]
    report: Report

    def check_form(self, form: Term) -> None:
        if isinstance(form, Number):
            self.report.warning(
                'stray-value', f"'{form}' says nothing here and is ignored", form.span, _RULE_FORM
            )
        elif not isinstance(form, Symbol | Compound):
            self.report.error('no-rule', f"'{form}' is no rule", form.span, _RULE_FORM)
        elif form.name != _RULE:
            self._check_head(form)
        elif not args_of(form):
            self.report.error('no-rule', "this '<=' has no head", form.span, _RULE_FORM)
        else:
            head, *body = args_of(form)
            self._check_head(head)
            for before, literal in zip([head, *body], body, strict=False):
                self._check_literal(literal, before)

    def _check_head(self, head: Term) -> None:
        if not isinstance(head, Symbol | Compound):
            self.report.error(
                'bad-head',
                f"'{head}' cannot be the head of a rule",
                head.span,
                'a relation: (<= (relation argument …) condition …)',
            )
            return
        if head.name == _RULE:
            self._report_nested_rule(head)
            return
        keyword = self._keyword(head)
        if keyword is None or self._check_keyword(keyword, head, RulePart.HEAD):
            self._check_declared_type(head)
            self._check_arguments(head)

    def _check_declared_type(self, head: Symbol | Compound) -> None:
        type_ = next(iter(args_of(head)), None)
        if head.name in _TYPE_RELATIONS - self.redefined and isinstance(type_, Range):
            self.report.error(
                'range-place',
                f"'{type_}' needs no declaration: its values are the integers from {type_.low} to"
                f' {type_.high}, and no others',
                type_.span,
                f"the name of a type first: '{KEYWORDS[head.name].form}'",
            )

    def _check_literal(self, literal: Term, before: Term | None = None) -> None:
        """Check a condition; `before` is what stands before it in its rule."""
        if not isinstance(literal, Symbol | Compound):
            self.report.error(
                'no-condition', f"'{literal}' is no condition", literal.span, _LITERAL_FORM
            )
            return
        if literal.name == _RULE:
            self._report_nested_rule(literal, before)
            return
        keyword = self._keyword(literal)
        if keyword is None:
            self._check_arguments(literal)
            return
        if not self._check_keyword(keyword, literal, RulePart.BODY):
            return
        if keyword.name in _NESTING:
            inner = literal.args if isinstance(literal, Compound) else ()
            self._check_nested_not(literal, inner)
            for part in inner:
                self._check_literal(part)
        elif keyword.name == 'count':
            number, *parts = args_of(literal)
            self._check_term(number)
            for part in parts:
                self._check_literal(part)
        else:
            self._check_arguments(literal)

    def _check_nested_not(self, literal: Term, inner: tuple[Term, ...]) -> None:
        if name_of(literal) != 'not' or name_of(inner[0]) not in _CONNECTIVES:
            return
        what = name_of(inner[0])
        better = {
            'distinct': 'the same variable in both places instead of a test that they are equal',
            'not': 'the literal itself, without the two negations',
            'or': "one 'not' for each part",
        }
        self.report.warning(
            'nested-not',
            f"'not' around '{what}' works here, but standard GDL has no such thing",
            literal.span,
            better.get(what, 'a relation of its own for what is negated'),
        )

    def _keyword(self, term: Symbol | Compound) -> Keyword | None:
        return None if term.name in self.redefined else KEYWORDS.get(term.name)

    def _check_keyword(self, keyword: Keyword, term: Term, place: RulePart) -> bool:
        """Report a keyword in a wrong place or with a wrong number of arguments."""
        count = len(args_of(term))
        if keyword.name in _ASKED_ANYWAY and place is RulePart.BODY:
            self.report.warning(
                'keyword-place',
                f"'{keyword.name}' as a condition works here, but standard GDL has it only as a"
                ' head',
                term.span,
                _INSTEAD[keyword.name],
            )
        elif place not in keyword.places:
            where = 'the head of a rule or a fact' if place is RulePart.HEAD else 'a condition'
            self.report.error(
                'keyword-place',
                f"'{keyword.name}' cannot be {where}",
                term.span,
                _INSTEAD.get(keyword.name, keyword.form),
            )
            return False
        least = 2 if keyword.name == 'count' else 1
        if count in keyword.arities if keyword.arities is not None else count >= least:
            return True
        if keyword.name in _OPTIONAL:
            self.report.warning(
                'keyword-arity',
                f"'{keyword.name}' has {arguments(count)} here and is read as a relation of the"
                ' game, not as the keyword',
                term.span,
                keyword.form,
            )
            return True
        self.report.error(
            'keyword-arity',
            f"'{keyword.name}' has {arguments(count)} here",
            term.span,
            keyword.form,
        )
        return False

    def _check_arguments(self, term: Symbol | Compound) -> None:
        if term.name == OPTION and all(isinstance(arg, Symbol) for arg in args_of(term)):
            # `true` is a value like any other there.
            return
        for arg in args_of(term):
            if isinstance(arg, Range) and term.name in _TYPE_RELATIONS:
                continue
            if name_of(arg) == 'sees' and term.name in _STATE and len(args_of(arg)) == 2:
                self._check_arguments(arg)  # type: ignore[arg-type]
            elif name_of(arg) == 'sees' and term.name in _STATE:
                self.report.error(
                    'keyword-arity',
                    f"'sees' has {arguments(len(args_of(arg)))} here",
                    arg.span,
                    f'({term.name} (sees role fact))',
                )
            else:
                self._check_term(arg, KEYWORDS.get(term.name))

    def _check_term(self, term: Term, around: Keyword | None = None) -> None:
        if isinstance(term, Range):
            self.report.error(
                'range-place',
                f"'{term}' is a type and no value",
                term.span,
                f"a variable or number after it, '{term}:?x', or '(type {term} ?x)' in a body",
            )
        if not isinstance(term, Symbol | Compound):
            return
        if term.name == _RULE:
            self._report_nested_rule(term)
            return
        keyword = KEYWORDS.get(term.name)
        if keyword is not None and not keyword.can_be_redefined and term.name != RANDOM:
            self._report_keyword_inside(term, around)
        self._check_arguments(term)

    def _report_keyword_inside(self, term: Symbol | Compound, around: Keyword | None) -> None:
        code, role = 'keyword-as-constant', 'a constant'
        if isinstance(term, Compound):
            code, role = 'keyword-as-function', 'a function'
        message = f"'{term.name}' is a keyword, but stands here as {role}"
        if term.name in _CONNECTIVES and around is not None and not around.can_be_redefined:
            self.report.error(
                code,
                message,
                term.span,
                f"'{term.name}' around '{around.name}', not inside of it",
            )
        else:
            self.report.warning(
                code,
                f'{message}; it has no special meaning there',
                term.span,
                'any name that is no keyword',
            )

    def _report_nested_rule(self, term: Term, before: Term | None = None) -> None:
        end = before.span.end if before is not None and before.span is not None else None
        self.report.error(
            'nested-rule',
            f"a rule stands inside another form: '{short(term)}'",
            term.span,
            "rules only at the top level; is a ')' missing before this one?",
            edits=((Span(end, end), ')'),) if end is not None else (),
        )
