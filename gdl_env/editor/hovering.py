"""What a name is, in a few lines of Markdown."""

from __future__ import annotations

from collections.abc import Mapping

from gdl_env.editor.index import Index, Kind, Occurrence
from gdl_env.editor.keyword_help import keyword_form, keyword_meaning
from gdl_env.editor.navigation import find_definitions
from gdl_env.language.checker.report import arguments
from gdl_env.language.dependencies import Relation
from gdl_env.language.families.options import OPTION
from gdl_env.language.game import Rule
from gdl_env.language.terms import Range, Symbol, Term, args_of, name_of
from gdl_env.language.types import UnknownTypeError, variable_types

# Which facts and moves a relation of the state or a move can have, as far as types tell.
Sizes = Mapping[Relation, int]
_SHOWN = 12
_IN_STATE = frozenset({'init', 'next', 'true', 'base'})
_IN_MOVES = frozenset({'legal', 'does', 'input'})


def describe(index: Index, occurrence: Occurrence, sizes: Sizes) -> str:
    """Return what a name names; `sizes` are those of facts and moves that are known."""
    if index.is_keyword(occurrence):
        form = keyword_form(occurrence.name)
        return '\n\n'.join(
            (_code(form), keyword_meaning(occurrence.name), _count(index, occurrence))
        )
    describers = {
        Kind.RELATION: _describe_relation,
        Kind.VARIABLE: _describe_variable,
        Kind.TYPE: _describe_type,
        Kind.OPTION: _describe_option,
    }
    if occurrence.kind is Kind.TERM:
        lines = _describe_term(index, occurrence, sizes)
    else:
        lines = describers[occurrence.kind](index, occurrence)
    return '\n\n'.join(line for line in lines if line)


def _describe_relation(index: Index, occurrence: Occurrence) -> list[str]:
    heads = [other for other in index.same(occurrence) if other.is_head]
    rules = [index.game.rules[head.form] for head in heads]
    lines = [_code(_shape(rules[0]) if rules else occurrence.name)]
    lines.append(f'Relation with {arguments(occurrence.arity)}. {_defined_by(rules)}')
    if not heads and (occurrence.name, occurrence.arity) in index.made_by_options:
        lines[-1] = f'Relation with {arguments(occurrence.arity)}: the values of an option.'
    return [*lines, _comment(index, rules), _count(index, occurrence)]


def _describe_term(index: Index, occurrence: Occurrence, sizes: Sizes) -> list[str]:
    uses = [(other.owner, other.argument) for other in index.same(occurrence)]
    signature = occurrence.name, occurrence.arity
    definitions = find_definitions(index, occurrence)
    rules = [index.game.rules[found.form] for found in definitions]
    is_fact = any(owner in _IN_STATE for owner, _ in uses)
    is_move = any(owner in _IN_MOVES and argument == 1 for owner, argument in uses)
    is_role = any(owner == 'role' for owner, _ in uses)
    value = index.types.type_of(Symbol(occurrence.name))
    kinds = {
        'fact of the state': is_fact,
        'move': is_move,
        'role': is_role,
        f'value of the type `{value}`': value is not None and occurrence.arity == 0,
    }
    what = ', '.join(kind for kind, holds in kinds.items() if holds)
    plain = 'function' if occurrence.arity else 'constant'
    shape = _find_shape(rules, signature) if occurrence.arity else occurrence.name
    lines = [_code(shape), f'{(what or plain).capitalize()}, {arguments(occurrence.arity)}.']
    if signature in sizes and (is_fact or is_move):
        lines.append(f'{sizes[signature]:,} can occur, by the types of the rules.')
    return [*lines, _comment(index, rules), _count(index, occurrence)]


def _describe_variable(index: Index, occurrence: Occurrence) -> list[str]:
    rule = index.game.rules[occurrence.form]
    type_ = variable_types(rule).get(occurrence.name)
    shown = f'?{occurrence.name}' if type_ is None else f'{type_}:?{occurrence.name}'
    lines = [_code(shown), 'Variable of this rule.']
    if type_ is not None:
        lines.append(_members(index, type_))
    return [*lines, _count(index, occurrence)]


def _describe_type(index: Index, occurrence: Occurrence) -> list[str]:
    types = index.types
    kind = types.kinds.get(occurrence.name)
    made = f'Type, made by `{kind.value}`.' if kind is not None else 'Type that nothing declares.'
    members = _members(index, Symbol(occurrence.name))
    return [_code(occurrence.name), made, members, _count(index, occurrence)]


def _describe_option(index: Index, occurrence: Occurrence) -> list[str]:
    found = find_definitions(index, occurrence)
    rule = index.game.rules[found[0].form]
    if name_of(rule.head) != OPTION:
        return [_code(occurrence.name), 'Option.']
    declared = index.source.excerpt(rule.span)
    return [_code(declared), 'Option of the game.', _count(index, occurrence)]


def _members(index: Index, type_: Symbol | Range) -> str:
    if isinstance(type_, Range):
        if type_.bounds is not None:
            return f'The integers of {type_}.'
        return f'{type_.high - type_.low + 1} values: the integers of {type_}.'
    try:
        members = index.types.members(type_)
    except UnknownTypeError:
        return ''
    shown = ', '.join(f'`{member}`' for member in members[:_SHOWN])
    return f'{len(members)} values: {shown}{", …" if len(members) > _SHOWN else ""}.'


def _defined_by(rules: list[Rule]) -> str:
    facts = sum(not rule.body for rule in rules)
    parts = [(facts, 'fact'), (len(rules) - facts, 'rule')]
    counted = [f'{n:,} {word}{"" if n == 1 else "s"}' for n, word in parts if n]
    return f'Defined by {" and ".join(counted)}.' if counted else 'No rule defines it.'


def _count(index: Index, occurrence: Occurrence) -> str:
    count = len(index.same(occurrence))
    return f'{count:,} place{"" if count == 1 else "s"} in this file.'


def _shape(rule: Rule) -> str:
    return str(rule.head)


def _find_shape(rules: list[Rule], signature: Relation) -> str:
    """Return the term as its first definition writes it."""
    waiting: list[Term] = [rule.head for rule in rules[:1]]
    while waiting:
        term = waiting.pop(0)
        if (name_of(term), len(args_of(term))) == signature and term is not rules[0].head:
            return str(term)
        waiting += args_of(term)
    return f'({signature[0]} …)'


def _comment(index: Index, rules: list[Rule]) -> str:
    """Return the comment right above the first definition."""
    if not rules:
        return ''
    line = index.source.position(rules[0].span.start)[0] - 1
    found: list[str] = []
    while line > 0 and index.source.lines[line - 1].lstrip().startswith(';'):
        found.insert(0, index.source.lines[line - 1].strip().lstrip('; '))
        line -= 1
    return '\n'.join(found)


def _code(text: str) -> str:
    return f'```gdl\n{text}\n```'
