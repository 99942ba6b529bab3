"""Facts that form no board as text: few as they are written, many as a table by relation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import textwrap

from gdl_env.language.terms import Term, args_of, name_of

_WIDTH = 96
# More facts than these are easier to find by relation.
_FEW = 20
_HARD_BLANK = '\N{NO-BREAK SPACE}'


def draw_facts(facts: Sequence[Term]) -> str:
    """Return sorted facts as lines of text."""
    if not facts:
        return '  (nothing)'
    if len(facts) <= _FEW:
        return _fill('   '.join(map(_hard, map(str, facts))))
    return '\n'.join(_groups(facts))


def _groups(facts: Sequence[Term]) -> Iterable[str]:
    """Yield the facts by relation; those of many facts by their first argument, too."""
    by_name: dict[str, list[Term]] = {}
    for fact in facts:
        by_name.setdefault(name_of(fact), []).append(fact)
    lonely = [group[0] for group in by_name.values() if len(group) == 1]
    if lonely:
        yield _fill('   '.join(map(_hard, map(str, lonely))))
    rows = [row for name, group in by_name.items() if len(group) > 1 for row in _rows(name, group)]
    margin = max((len(label) for label, _ in rows), default=0) + 4
    for label, values in rows:
        text = ', '.join(map(_hard, values))
        yield _fill(text, f'  {label:{margin - 2}}', ' ' * margin)


def _rows(name: str, group: Sequence[Term]) -> Iterable[tuple[str, list[str]]]:
    firsts = dict.fromkeys(args_of(fact)[0] for fact in group if args_of(fact))
    if any(len(args_of(fact)) < 3 for fact in group) or len(firsts) == len(group):
        yield name, [_words(args_of(fact)) for fact in group]
        return
    for first in firsts:
        chosen = [args_of(fact)[1:] for fact in group if args_of(fact)[0] == first]
        yield f'{name} {first}', [_words(args) for args in chosen]


def _words(args: Sequence[Term]) -> str:
    return ' '.join(map(str, args))


def _hard(text: str) -> str:
    """Return text that is not broken while it is filled."""
    return text.replace(' ', _HARD_BLANK)


def _fill(text: str, first: str = '  ', others: str = '  ') -> str:
    filled = textwrap.fill(
        text, _WIDTH, initial_indent=first, subsequent_indent=others, break_on_hyphens=False
    )
    return filled.replace(_HARD_BLANK, ' ')
