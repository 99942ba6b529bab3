"""Where a name is defined."""

from __future__ import annotations

from gdl_env.editor.index import Index, Kind, Occurrence
from gdl_env.language.families.options import OPTION

# The heads that bring facts, moves, roles and values into the world.
_MAKERS = frozenset(
    {'init', 'next', 'base', 'legal', 'input', 'role', 'type', 'typemap', 'random'}
)
_DECLARING = frozenset({'type', 'typecombine', 'typemap'})


def find_definitions(index: Index, occurrence: Occurrence) -> list[Occurrence]:
    """Return the places that define what a name names; for want of these, its first place."""
    if (occurrence.kind, occurrence.name) == (Kind.RELATION, 'does'):
        # What roles may do is what the rules of `legal` say.
        heads = index.by_key.get((Kind.RELATION, 'legal', 2, -1), [])
        return [head for head in heads if head.is_head]
    same = index.same(occurrence)
    if occurrence.kind is Kind.RELATION:
        return [other for other in same if other.is_head] or _option_of(index, occurrence)
    if occurrence.kind is Kind.TYPE:
        found = [o for o in same if o.is_head and o.owner in _DECLARING and o.argument == 0]
    elif occurrence.kind is Kind.OPTION:
        found = [other for other in same if other.is_head and other.owner == OPTION]
    elif occurrence.kind is Kind.TERM:
        found = [other for other in same if other.is_head and _is_made(index, other)]
    else:
        found = []
    return found or same[:1]


def _is_made(index: Index, occurrence: Occurrence) -> bool:
    if occurrence.owner in _MAKERS:
        return True
    # `(next (sees role fact))` makes a fact, too.
    head = index.game.rules[occurrence.form].head
    return occurrence.owner == 'sees' and head.name in _MAKERS and occurrence.argument == 1


def _option_of(index: Index, occurrence: Occurrence) -> list[Occurrence]:
    """Return the option that gives a relation its facts."""
    if (occurrence.name, occurrence.arity) not in index.made_by_options:
        return []
    same = index.by_key.get((Kind.OPTION, occurrence.name, 0, -1), [])
    return [other for other in same if other.is_head]
