"""The outline of a file: runs of forms about the same relation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from gdl_env.editor.index import Index
from gdl_env.language.checker.report import short
from gdl_env.language.families.options import OPTION
from gdl_env.language.game import Rule
from gdl_env.language.source import Span
from gdl_env.language.terms import args_of, name_of, signature

# Beyond so many forms a run is shown as a whole: nobody reads an outline of 400,000 facts.
_MOST = 500
_AROUND = frozenset({'init', 'next', 'legal', 'sees', 'type', 'typecombine', 'typemap', OPTION})


@dataclass(frozen=True)
class OutlineEntry:
    """A line of the outline."""

    name: str
    detail: str
    relation: str
    # All of it, and the part to jump to.
    span: Span
    focus: Span
    parts: tuple[OutlineEntry, ...] = ()


def outline(index: Index) -> list[OutlineEntry]:
    """Return the entries in the order of the file."""
    return [
        _entry(index, title, list(rules)) for title, rules in groupby(index.game.rules, key=_title)
    ]


def _title(rule: Rule) -> str:
    """Return what a form is about: `next cell/3`, `legal mark/2`, `row/2`, `type mark`."""
    name, count = signature(rule.head)
    if name not in _AROUND or not args_of(rule.head):
        return f'{name}/{count}' if count and name not in {'role', 'goal'} else name
    place = 1 if name in {'legal', 'sees'} and count > 1 else 0
    inner, inner_count = signature(args_of(rule.head)[place])
    return f'{name} {inner}/{inner_count}' if inner_count else f'{name} {inner}'


def _entry(index: Index, title: str, rules: list[Rule]) -> OutlineEntry:
    parts: list[OutlineEntry] = []
    if 1 < len(rules) <= _MOST:
        parts = [_part(index, rule) for rule in rules]
    span = Span(rules[0].span.start, max(rule.span.end for rule in rules))
    facts = sum(not rule.body for rule in rules)
    counts = [(facts, 'fact'), (len(rules) - facts, 'rule')]
    detail = ', '.join(f'{n} {word}{"" if n == 1 else "s"}' for n, word in counts if n)
    focus = _focus(index, rules[0])
    return OutlineEntry(title, detail, name_of(rules[0].head), span, focus, tuple(parts))


def _part(index: Index, rule: Rule) -> OutlineEntry:
    detail = f'{len(rule.body)} conditions' if rule.body else 'fact'
    name = name_of(rule.head)
    return OutlineEntry(short(rule.head), detail, name, rule.span, _focus(index, rule))


def _focus(index: Index, rule: Rule) -> Span:
    span = rule.head.span or rule.span
    return index.source.name_span(span)
