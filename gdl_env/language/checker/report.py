"""Where the families of conditions put what they find, and how they word it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
import difflib

from gdl_env.language.diagnostics import Diagnostic, Severity
from gdl_env.language.source import Span
from gdl_env.language.terms import Term, Variable

Related = tuple[tuple[Span, str], ...]

_TEXT_WIDTH = 60
_START = Span(0, 0)


@dataclass
class Report:
    """Collects findings; the same finding at the same place counts once."""

    _found: dict[Diagnostic, None] = field(default_factory=dict)

    def error(
        self, code: str, message: str, span: Span | None, allowed: str = '', related: Related = ()
    ) -> None:
        """Report what stops the game."""
        self.add(Severity.ERROR, code, message, span, allowed, related)

    def warning(
        self, code: str, message: str, span: Span | None, allowed: str = '', related: Related = ()
    ) -> None:
        """Report what can be played but is probably not meant, or not portable."""
        self.add(Severity.WARNING, code, message, span, allowed, related)

    def note(
        self, code: str, message: str, span: Span | None, allowed: str = '', related: Related = ()
    ) -> None:
        """Report what an author may want to know."""
        self.add(Severity.NOTE, code, message, span, allowed, related)

    def add(
        self,
        severity: Severity,
        code: str,
        message: str,
        span: Span | None,
        allowed: str = '',
        related: Related = (),
    ) -> None:
        """Report a finding; without a place it is put at the start of the file."""
        found = Diagnostic(severity, code, message, span or _START, allowed, related)
        self._found.setdefault(found)

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


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` where a known name is close, else nothing."""
    close = difflib.get_close_matches(name, set(known) - {name}, n=1, cutoff=0.75)
    return f"; did you mean '{close[0]}'?" if close else ''


def see(term: Term, remark: str) -> Related:
    """Return a second place for a finding (none where the term has no place)."""
    return () if term.span is None else ((term.span, remark),)
