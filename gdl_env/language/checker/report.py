"""Where the families of conditions put what they find, and how they word it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
import difflib

from gdl_env.language.diagnostics import Diagnostic, Edits, Severity
from gdl_env.language.game import Rule
from gdl_env.language.source import Source, Span
from gdl_env.language.terms import Term, Variable

Related = tuple[tuple[Span, str], ...]

_TEXT_WIDTH = 60
_START = Span(0, 0)
# Programs write files with thousands of names that are unknown or unused: nothing was misspelled.
_MOST_COMPARISONS = 300_000


@dataclass
class Report:
    """Collects findings; the same finding at the same place counts once."""

    source: Source
    _found: dict[Diagnostic, None] = field(default_factory=dict)
    # Names that may still be compared to find the one that was meant.
    _comparisons: int = _MOST_COMPARISONS

    def error(
        self,
        code: str,
        message: str,
        span: Span | None,
        allowed: str = '',
        related: Related = (),
        edits: Edits = (),
    ) -> None:
        """Report what stops the game."""
        self.add(Severity.ERROR, code, message, span, allowed, related, edits)

    def warning(
        self,
        code: str,
        message: str,
        span: Span | None,
        allowed: str = '',
        related: Related = (),
        edits: Edits = (),
    ) -> None:
        """Report what can be played but is probably not meant, or not portable."""
        self.add(Severity.WARNING, code, message, span, allowed, related, edits)

    def note(
        self,
        code: str,
        message: str,
        span: Span | None,
        allowed: str = '',
        related: Related = (),
        edits: Edits = (),
    ) -> None:
        """Report what an author may want to know."""
        self.add(Severity.NOTE, code, message, span, allowed, related, edits)

    def add(
        self,
        severity: Severity,
        code: str,
        message: str,
        span: Span | None,
        allowed: str = '',
        related: Related = (),
        edits: Edits = (),
    ) -> None:
        """Report a finding; without a place it is put at the start of the file."""
        found = Diagnostic(severity, code, message, span or _START, allowed, related, edits)
        self._found.setdefault(found)

    def renaming(self, terms: Iterable[Term], name: str) -> Edits:
        """Return the changes that give terms another name; none where there is no name."""
        spans = [term.span for term in terms if term.span is not None] if name else []
        return tuple((self.source.name_span(span), name) for span in spans)

    def similar_name(self, name: str, known: Collection[str]) -> str:
        """Return the known name that was probably meant, or nothing."""
        if self._comparisons < len(known):
            return ''
        self._comparisons -= len(known)
        return _most_similar(name, known)

    def in_error(self, rules: Iterable[Rule]) -> list[Rule]:
        """Return the rules in which an error was found so far."""
        errors = (found for found in self._found if found.severity is Severity.ERROR)
        starts = sorted(found.span.start for found in errors if found.span != _START)
        counts = (
            (r, bisect_left(starts, r.span.start), bisect_left(starts, r.span.end)) for r in rules
        )
        return [rule for rule, before, until in counts if before < until]

    def soften(self, rules: Iterable[Rule], codes: Collection[str]) -> None:
        """Make warnings of errors with some codes in rules that do not matter in play."""
        spans = [rule.span for rule in rules]
        found = list(self._found)
        self._found.clear()
        for finding in found:
            if (
                finding.severity is Severity.ERROR
                and finding.code in codes
                and any(span.start <= finding.span.start < span.end for span in spans)
            ):
                message = f'{finding.message}; the rule is left out: it describes the game only'
                finding = replace(finding, severity=Severity.WARNING, message=message)
            self._found.setdefault(finding)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Return the findings in the order of the text, worse ones first at the same place."""
        rank = list(Severity)
        return tuple(
            sorted(self._found, key=lambda d: (d.span.start, rank.index(d.severity), d.code))
        )


def short(thing: object) -> str:
    """Return the text of a term or formula, cut where it would flood a message."""
    text = str(thing)
    return text if len(text) <= _TEXT_WIDTH else f'{text[: _TEXT_WIDTH - 2]} …'


def listing(items: Iterable[object]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    texts = [str(item) for item in items]
    return ' and '.join(filter(None, (', '.join(texts[:-1]), *texts[-1:])))


def distinct_names(variables: Iterable[Variable]) -> list[str]:
    """Return the variables as text, each once, in order."""
    return list(dict.fromkeys(str(variable) for variable in variables))


def arguments(count: int) -> str:
    """Return `no arguments`, `1 argument`, `2 arguments`."""
    return f'{count or "no"} argument{"" if count == 1 else "s"}'


def _most_similar(name: str, known: Collection[str]) -> str:
    others = sorted(set(known) - {name})
    close = difflib.get_close_matches(name, others, n=1, cutoff=0.75)
    # A slip weighs more in a short name than the measure above allows.
    close += [other for other in others if min(len(name), len(other)) > 2 and _slip(name, other)]
    return close[0] if close else ''


def did_you_mean(name: str) -> str:
    """Return `; did you mean 'x'?`, or nothing without a name."""
    return f"; did you mean '{name}'?" if name else ''


def _slip(left: str, right: str) -> bool:
    """Tell whether one letter is missing or another one, or two neighbours changed places."""
    start = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )
    a, b = left[start:], right[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[1::-1] + a[2:] == b and len(a) > 1)


def see(term: Term, remark: str) -> Related:
    """Return a second place for a finding (none where the term has no place)."""
    return () if term.span is None else ((term.span, remark),)
