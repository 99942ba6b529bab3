"""Relations that are asked for but not defined, defined but not used, or missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdl_env.language.checker.graph import DependencyGraph
from gdl_env.language.checker.report import Report, arguments, did_you_mean
from gdl_env.language.dependencies import Relation
from gdl_env.language.families.options import OPTION
from gdl_env.language.game import ROLE_NAMES, Game, Rule, is_goal_value, is_role_name
from gdl_env.language.keywords import KEYWORDS, RulePart
from gdl_env.language.terms import (
    Compound,
    Range,
    Symbol,
    Term,
    Variable,
    args_of,
    erase_types,
    name_of,
    signature,
    subterms,
)

_REQUIRED = {
    'role': "'(role name)' for each player",
    'legal': "'(legal role move)' for each role",
    'goal': "'(goal role value)' with a value from 0 to 100",
    'terminal': "'(<= terminal condition …)'",
}
_USUAL = {
    'init': ('the game starts with an empty state', "'(init fact)' for each fact at the start"),
    'next': ('the state is empty after the first step', "'(<= (next fact) condition …)'"),
}


def check_relations(
    game: Game, graph: DependencyGraph, misplaced: Sequence[Rule], report: Report
) -> None:
    """Compare what is defined with what is asked for."""
    _check_required(game, report)
    _check_undefined(game, misplaced, report)
    _check_unused(game, graph, report)
    _check_roles(game, report)
    _check_goals(game, report)


def _check_required(game: Game, report: Report) -> None:
    for name, form in _REQUIRED.items():
        if name not in game.defined:
            similar = report.similar_name(name, game.defined - KEYWORDS.keys())
            hint = f"; is it '{similar}'?" if similar else ''
            heads = [rule.head for rule in game.rules if name_of(rule.head) == similar]
            edits = report.renaming(heads, name)
            message = f"the game has no '{name}'{hint}"
            report.error('missing-relation', message, None, form, edits=edits)
    for name, (effect, form) in _USUAL.items():
        if name not in game.defined:
            report.warning('missing-relation', f"the game has no '{name}': {effect}", None, form)


def _check_undefined(game: Game, misplaced: Sequence[Rule], report: Report) -> None:
    heads = game.occurrences.heads
    defined: dict[str, set[int]] = {}
    for name, count in heads:
        defined.setdefault(name, set()).add(count)
    words = (KEYWORDS.keys() - game.redefined) | defined.keys()
    places = {
        relation: asked
        for relation, terms in game.occurrences.asked.items()
        if relation not in heads
        and (asked := [term for term in terms if not _is_given(game, term)])
    }
    swallowed = {signature(t) for rule in misplaced for term in rule.terms() for t in _inner(term)}
    for (name, count), terms in places.items():
        if (name, count) in swallowed:
            # Perhaps its facts stand in a form that is never closed.
            continue
        if name in defined:
            known = ' or '.join(str(n or 'no') for n in sorted(defined[name]))
            what = f"'{name}' has {arguments(count)} here, but every rule gives it {known}"
        else:
            what = f"no rule defines '{name}'"
        similar = report.similar_name(name, words)
        times = f' (it is asked for in {len(terms)} places)' if len(terms) > 1 else ''
        report.warning(
            'undefined',
            f'{what}, so it never holds{times}{did_you_mean(similar)}',
            terms[0].span,
            f"a fact or rule for '{name}' with {arguments(count)}",
            edits=report.renaming(terms, similar),
        )


def _inner(term: Term) -> Iterator[Term]:
    for arg in args_of(term):
        yield from subterms(arg)


def _is_given(game: Game, term: Symbol | Compound) -> bool:
    """Tell whether the language itself says when an atom holds, or a finding of another kind."""
    name = term.name
    if name in _REQUIRED or name == '<=':
        return True
    if name in {'base', 'input'}:
        return False
    if name in {'type', 'typemap'}:
        is_range = isinstance(next(iter(args_of(term)), None), Range)
        return (game.is_typed or is_range) and name not in game.redefined
    return name in KEYWORDS and name not in game.redefined


def _check_unused(game: Game, graph: DependencyGraph, report: Report) -> None:
    heads = game.occurrences.heads
    roots = {relation for relation in heads if _is_root(game, relation)}
    if not roots:
        # A collection of rules and no game: nothing is asked from outside.
        return
    used = graph.reachable(roots)
    asked = {edge.target for edge in graph.edges if edge.source != edge.target}
    meant = {
        name
        for (name, _), terms in game.occurrences.asked.items()
        if not all(_is_given(game, term) for term in terms)
    }
    meant |= {word.name for word in KEYWORDS.values() if RulePart.HEAD in word.places}
    meant -= game.defined - KEYWORDS.keys()
    for relation, places in heads.items():
        if relation in used or (game.options and relation == (OPTION, 2)):
            continue
        name = relation[0]
        similar = report.similar_name(name, meant)
        why = 'only rules that are unused themselves ask for it'
        report.warning(
            'unused',
            f"'{name}' is never used: {why if relation in asked else 'no rule asks for it'}"
            f'{did_you_mean(similar)}',
            places[0].span,
            f"'{name}' in the body of a rule that matters for the game, or no '{name}' at all",
            edits=report.renaming(places, similar),
        )


def _is_root(game: Game, relation: Relation) -> bool:
    return relation[0] in KEYWORDS and relation[0] not in game.redefined


def _check_roles(game: Game, report: Report) -> None:
    names = {str(role) for role in game.roles}
    is_complete = True
    for head in game.occurrences.heads.get(('role', 1), ()):
        role = erase_types(args_of(head)[0])
        if is_role_name(role):
            names.add(str(role))
        elif isinstance(role, Variable):
            # Any name may come of it.
            is_complete = False
        else:
            report.error('role-name', f"'{role}' cannot be a role", role.span, ROLE_NAMES)
    if game.roles and is_complete:
        _check_role_names(game, names, report)


def _check_role_names(game: Game, names: set[str], report: Report) -> None:
    for relation, terms in game.occurrences.relations():
        if relation not in _WITH_ROLE and relation not in _WITH_FACT:
            continue
        for term in terms:
            role = _role_in(term)
            if role is not None and is_role_name(role) and str(role) not in names:
                similar = report.similar_name(str(role), names)
                report.warning(
                    'unknown-role',
                    f"'{role}' is no role{did_you_mean(similar)}",
                    role.span,
                    f'a role of the game: {", ".join(sorted(names))}',
                    edits=report.renaming([role], similar),
                )


def _role_in(term: Term) -> Term | None:
    if signature(term) in _WITH_FACT and signature(args_of(term)[0]) == ('sees', 2):
        term = args_of(term)[0]
    return erase_types(args_of(term)[0]) if signature(term) in _WITH_ROLE else None


_WITH_ROLE = {('legal', 2), ('does', 2), ('goal', 2), ('sees', 2), ('input', 2)}
# Their fact may be `(sees role fact)`.
_WITH_FACT = {('init', 1), ('next', 1), ('true', 1), ('base', 1)}


def _check_goals(game: Game, report: Report) -> None:
    for head in game.occurrences.heads.get(('goal', 2), ()):
        value = args_of(head)[1]
        if not isinstance(value, Variable) and not is_goal_value(value):
            report.warning(
                'goal-value', f"'{value}' is no goal value", value.span, 'an integer from 0 to 100'
            )
