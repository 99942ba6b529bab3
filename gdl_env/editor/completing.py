"""What can stand at a place of a rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
import re

from gdl_env.editor.index import RULE, Index, Kind, Occurrence
from gdl_env.editor.keyword_help import keyword_form, keyword_meaning
from gdl_env.language.families.options import OPTION
from gdl_env.language.keywords import KEYWORDS, RulePart

_TOKEN = re.compile(r';[^\r\n]*|[()]|[^\s();\uFEFF]+')
_IN_STATE = frozenset({'init', 'next', 'true', 'base'})
_IN_MOVES = frozenset({'legal', 'does', 'input'})
_WITH_ROLE = frozenset({'legal', 'does', 'goal', 'sees', 'input', 'role'})
_NESTING = frozenset({'not', 'or', 'and'})
_TYPE_PLACES = {'type': 1, 'typemap': 1, 'typecombine': 3}
# How far back a form is looked for where the text cannot be read.
_WINDOW = 5000


@dataclass(frozen=True)
class NameProposal:
    """One name to choose from."""

    kind: Kind | None
    # What is inserted in place of the word at the cursor.
    text: str
    # A few words beside it, and more below.
    detail: str
    documentation: str = ''
    arity: int = 0


@dataclass(frozen=True)
class Context:
    """The lists around a cursor, outermost first: each with its name and the arguments before."""

    lists: tuple[tuple[str, int], ...]
    # The word that is being written.
    word: str
    start: int
    is_comment: bool = False
    # A parenthesis is right before the word.
    is_opened: bool = False


def read_context(text: str, start: int, offset: int) -> Context:
    """Read a form from its start to the cursor."""
    lists: list[tuple[str, int]] = []
    tokens = list(_TOKEN.finditer(text, start, offset))
    word, word_start = '', offset
    if tokens and tokens[-1].end() == offset and tokens[-1].group() not in '()':
        last = tokens.pop()
        word, word_start = last.group(), last.start()
        if word.startswith(';'):
            return Context((), '', offset, is_comment=True)
    is_opened = False
    for token in tokens:
        found = token.group()
        is_opened = found == '('
        if found == '(':
            if lists:
                lists[-1] = (lists[-1][0], lists[-1][1] + 1)
            lists.append(('', -1))
        elif found == ')':
            lists = lists[:-1]
        elif not found.startswith(';') and lists:
            name, count = lists[-1]
            lists[-1] = (found.lower(), 0) if count < 0 else (name, count + 1)
    return Context(tuple(lists), word, word_start, is_opened=is_opened)


def propose(index: Index, text: str, offset: int) -> tuple[Context, list[NameProposal]]:
    """Return where a cursor stands, and all that can stand there."""
    rule = index.rule_at(offset)
    if rule is not None:
        start = index.game.rules[rule].span.start
    else:
        start = max(text.rfind('\n(', 0, offset) + 1, offset - _WINDOW, 0)
    context = read_context(text, start, offset)
    if context.is_comment:
        return context, []
    found = list(_proposals(index, context, rule))
    seen: dict[str, NameProposal] = {}
    for proposal in found:
        seen.setdefault(proposal.text, proposal)
    return context, list(seen.values())


def _proposals(index: Index, context: Context, rule: int | None) -> Iterator[NameProposal]:
    variables = list(_variables(index, context, rule))
    if context.word.startswith('?'):
        yield from variables
        return
    lists = context.lists
    # Right behind a parenthesis the name of a list is written, else an argument.
    outer = lists[:-1] if context.is_opened else lists
    place = _place(outer, context.is_opened)
    if place is not None:
        yield from _relations(index, place, is_top=not outer)
        return
    owner, argument = outer[-1]
    argument -= int(context.is_opened)
    if owner in _WITH_ROLE and argument == 0 and not context.is_opened:
        yield from _roles(index)
    elif owner in _IN_STATE and argument == 0:
        yield from _terms(index, _IN_STATE, 0, 'fact')
    elif owner in _IN_MOVES and argument == 1:
        yield from _terms(index, _IN_MOVES, 1, 'move')
    elif argument < _TYPE_PLACES.get(owner, 0):
        yield from _types(index)
    elif owner == OPTION and argument == 0:
        yield from _named(index, Kind.OPTION, 'option')
    else:
        yield from _terms(index, {owner}, argument, 'value')
    if not context.is_opened:
        yield from variables
        yield from _types(index, ':')


def _place(outer: tuple[tuple[str, int], ...], is_opened: bool) -> RulePart | None:
    """Return where a relation is written, or None for a term."""
    if not outer:
        return RulePart.HEAD
    owner, argument = outer[-1]
    argument -= int(is_opened)
    if owner == RULE:
        return RulePart.HEAD if argument == 0 else RulePart.BODY
    if owner in _NESTING or (owner == 'count' and argument > 0):
        return RulePart.BODY
    return None


def _relations(index: Index, place: RulePart, *, is_top: bool) -> Iterator[NameProposal]:
    own: dict[tuple[str, int], None] = {}
    for occurrence in index.occurrences:
        # A head may be written for what bodies ask for already.
        is_meant = occurrence.is_head or place is RulePart.HEAD
        if occurrence.kind is Kind.RELATION and is_meant and not index.is_keyword(occurrence):
            own.setdefault((occurrence.name, occurrence.arity))
    own.update(dict.fromkeys(index.made_by_options))
    for name, arity in own:
        yield NameProposal(Kind.RELATION, name, f'relation, {name}/{arity}', arity=arity)
    words = [word.name for word in KEYWORDS.values() if place in word.places]
    words += [RULE] if is_top else []
    words += [OPTION] if is_top or place is RulePart.BODY else []
    for name in words:
        if name not in index.game.redefined:
            arities = KEYWORDS[name].arities if name in KEYWORDS else None
            arity = arities[0] if arities else 1
            meaning = keyword_meaning(name)
            yield NameProposal(None, name, keyword_form(name), meaning, arity)


def _terms(
    index: Index, owners: Iterable[str], argument: int, what: str
) -> Iterator[NameProposal]:
    """Yield what stands at this argument of these lists anywhere in the file."""
    for occurrence in index.occurrences:
        is_here = occurrence.owner in owners and occurrence.argument == argument
        if is_here and occurrence.kind is Kind.TERM:
            detail = f'{what}, {occurrence.name}/{occurrence.arity}'
            yield NameProposal(Kind.TERM, occurrence.name, detail, arity=occurrence.arity)


def _roles(index: Index) -> Iterator[NameProposal]:
    for role in index.game.roles:
        yield NameProposal(Kind.TERM, str(role), 'role')


def _types(index: Index, suffix: str = '') -> Iterator[NameProposal]:
    for proposal in _named(index, Kind.TYPE, 'type'):
        yield NameProposal(Kind.TYPE, f'{proposal.text}{suffix}', 'type')


def _named(index: Index, kind: Kind, what: str) -> Iterator[NameProposal]:
    names = dict.fromkeys(o.name for o in index.occurrences if o.kind is kind)
    for name in names:
        yield NameProposal(kind, name, what)


def _variables(index: Index, context: Context, rule: int | None) -> Iterator[NameProposal]:
    if rule is None:
        return
    names: dict[str, Occurrence] = {}
    for occurrence in index.occurrences_of_form(rule):
        # Not the one that is being written.
        if occurrence.kind is Kind.VARIABLE and occurrence.span.start != context.start:
            names.setdefault(occurrence.name, occurrence)
    for name in names:
        yield NameProposal(Kind.VARIABLE, f'?{name}', 'variable of this rule')
