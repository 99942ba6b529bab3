"""What the parser and the checker have to say about a rule file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from gdl_env.errors import GdlError
from gdl_env.language.controls import without_controls
from gdl_env.language.source import Source, Span

# Places of a text, and what to put there instead.
Edits: TypeAlias = tuple[tuple[Span, str], ...]

# Characters of a source line that a finding shows at most.
_WINDOW = 100


class Severity(Enum):
    """How bad a finding is: errors stop, warnings and notes do not."""

    ERROR = 'error'
    WARNING = 'warning'
    NOTE = 'note'


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: where, what is wrong, and what is allowed there."""

    severity: Severity
    code: str
    message: str
    span: Span
    allowed: str = ''
    # A second place that explains the first, such as the parenthesis that was never closed.
    related: tuple[tuple[Span, str], ...] = ()
    # Changes of the text that do what was probably meant: what to put in place of which span.
    edits: Edits = ()

    def render(self, source: Source) -> str:
        """Return the finding as text, with the source line and a caret."""
        head = f'{_place(source, self.span)}: {self.severity.value}[{self.code}]: {self.message}'
        parts = [head, _excerpt(source, self.span)]
        for span, remark in self.related:
            parts += [f'  {_place(source, span)}: {remark}', _excerpt(source, span)]
        if self.allowed:
            parts.append(f'  allowed: {self.allowed}')
        return '\n'.join(parts)

    def to_dict(self, source: Source) -> dict[str, object]:
        """Return the finding as plain data for editors."""
        return {
            'file': source.name,
            **_range(source, self.span),
            'severity': self.severity.value,
            'code': self.code,
            'message': self.message,
            'allowed': self.allowed,
            'related': [
                _range(source, span) | {'message': remark} for span, remark in self.related
            ],
            'edits': [_range(source, span) | {'text': text} for span, text in self.edits],
        }


class GameError(GdlError):
    """A rule file has errors; carries all of its findings."""

    def __init__(self, source: Source, diagnostics: Sequence[Diagnostic]) -> None:
        self.source = source
        self.diagnostics = tuple(diagnostics)
        errors = [d for d in self.diagnostics if d.severity is Severity.ERROR]
        text = '\n'.join(d.render(source) for d in errors[:5])
        if len(errors) > 5:
            text += f'\n… and {len(errors) - 5} more errors'
        super().__init__(text)


def has_errors(diagnostics: Sequence[Diagnostic]) -> bool:
    """Tell whether any finding is an error."""
    return any(d.severity is Severity.ERROR for d in diagnostics)


def _range(source: Source, span: Span) -> dict[str, object]:
    line, column = source.position(span.start)
    end_line, end_column = source.position(span.end)
    return {'line': line, 'column': column, 'end_line': end_line, 'end_column': end_column}


def _place(source: Source, span: Span) -> str:
    line, column = source.position(span.start)
    return f'{source.name}:{line}:{column}'


def _excerpt(source: Source, span: Span) -> str:
    line, column = source.position(span.start)
    text = without_controls(source.lines[line - 1])
    start = column - 1
    # Servers send whole games as one line: show the neighbourhood only.
    first = max(0, start - _WINDOW // 2) if len(text) > _WINDOW else 0
    shown = text[first : first + _WINDOW]
    width = max(1, min(span.end - span.start, len(shown) - (start - first)))
    # Tabs are copied so that the caret stays below its character however wide a tab is shown.
    pad = ''.join('\t' if c == '\t' else ' ' for c in shown[: start - first])
    return f'{line:5} | {shown}\n{" " * 5} | {pad}{"^" * width}'
