"""Writing that works, but that other systems read in another way or not at all."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
import re

from gdl_env.language.checker.report import Report, see, short
from gdl_env.language.diagnostics import Edits
from gdl_env.language.game import Game, Rule
from gdl_env.language.keywords import KEYWORDS
from gdl_env.language.parser import SyntaxTree
from gdl_env.language.source import Span
from gdl_env.language.terms import Symbol, Term, args_of, name_of, subterms

# A comment, or a name (a type before a colon counts as a name of its own).
_WORD = re.compile(r';[^\r\n]*|[^\s();:\uFEFF]+')
# A list of one name; there may be comments in it.
_ONE_NAME = re.compile(r'\((?:\s|;[^\r\n]*)*[^\s();]+(?:\s|;[^\r\n]*)*\)')


def check_style(game: Game, tree: SyntaxTree, report: Report) -> None:
    """Check layout and spelling."""
    _check_empty_bodies(tree, report)
    _check_parentheses(tree, report)
    _check_capitals(tree, report)
    _check_duplicates(game, report)


def _check_empty_bodies(tree: SyntaxTree, report: Report) -> None:
    for form in tree.forms:
        if name_of(form) == '<=' and len(args_of(form)) == 1:
            report.warning(
                'empty-body',
                'this rule has no condition, so its head always holds',
                form.span,
                f"the fact '{short(args_of(form)[0])}' without '<='",
                edits=_unwrapping(tree, form, args_of(form)[0]),
            )


def _check_parentheses(tree: SyntaxTree, report: Report) -> None:
    if _ONE_NAME.search(tree.source.text) is None:
        return
    for form in tree.forms:
        for term in subterms(form):
            if isinstance(term, Symbol) and _is_bracketed(tree, term) and _may_be_bare(term):
                report.note(
                    'bare-parentheses',
                    f"'({term})' is read as '{term}'; some systems tell the two apart",
                    term.span,
                    f"'{term}' without parentheses",
                    edits=_without_parentheses(tree, term),
                )


def _unwrapping(tree: SyntaxTree, outer: Term, inner: Term) -> Edits:
    """Return the changes that leave the inner term alone; none where a comment would be lost."""
    if outer.span is None or inner.span is None:
        return ()
    before = Span(outer.span.start, inner.span.start)
    after = Span(inner.span.end, outer.span.end)
    if ';' in tree.source.excerpt(before) or ';' in tree.source.excerpt(after):
        return ()
    return ((before, ''), (after, ''))


def _without_parentheses(tree: SyntaxTree, term: Symbol) -> Edits:
    if term.span is None or ';' in tree.source.excerpt(term.span):
        return ()
    return ((term.span, tree.source.excerpt(tree.source.name_span(term.span))),)


def _may_be_bare(term: Symbol) -> bool:
    """Tell whether the name needs no arguments; that it lacks them is another finding."""
    return term.name == 'terminal' or (term.name != '<=' and term.name not in KEYWORDS)


def _is_bracketed(tree: SyntaxTree, term: Term) -> bool:
    return term.span is not None and tree.source.text.startswith('(', term.span.start)


def _check_capitals(tree: SyntaxTree, report: Report) -> None:
    """Report names that are written in two ways; a variable within one form only."""
    if tree.source.text == tree.source.text.lower():
        return
    starts = [form.span.start for form in tree.forms if form.span is not None]
    writings: dict[tuple[str, int], Counter[str]] = {}
    places: dict[tuple[str, int, str], list[Span]] = {}
    for text, span in _words(tree.source.text):
        folded = text.lower()
        # A variable lives within its form, a constant within the file.
        home = bisect_right(starts, span.start) if text.startswith('?') else 0
        writings.setdefault((folded, home), Counter())[text] += 1
        places.setdefault((folded, home, text), []).append(span)
    for (folded, home), counts in writings.items():
        if len(counts) < 2:
            continue
        (usual, _), *others = counts.most_common()
        for other, _ in others:
            here = places[folded, home, other]
            report.warning(
                'capitals',
                f"'{other}' and '{usual}' are the same name here: capitals make no difference",
                here[0],
                'one way of writing it',
                ((places[folded, home, usual][0], f"'{usual}'"),),
                tuple((span, usual) for span in here),
            )


def _words(text: str) -> Iterator[tuple[str, Span]]:
    for match in _WORD.finditer(text):
        word = match.group()
        if not word.startswith(';') and not word.isdigit():
            yield word, Span(*match.span())


def _check_duplicates(game: Game, report: Report) -> None:
    first: dict[Rule, Rule] = {}
    for rule in game.rules:
        known = first.setdefault(rule, rule)
        if known is not rule:
            report.note(
                'duplicate-rule',
                'the same rule stands in this file twice',
                rule.span,
                'one of them',
                see(known.head, 'here, too'),
                ((rule.span, ''),),
            )
