"""Text of a rule file, and places in it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
import re
from typing import NamedTuple

from gdl_env.errors import SourceError

# Old files end their lines with a bare CR: all three conventions count as one line end.
_LINE_END = re.compile(r'\r\n|\r|\n')
# The name of a list: behind its parenthesis, blanks and comments.
_LIST_NAME = re.compile(r'\((?:[\s\uFEFF]|;[^\r\n]*)*([^\s();\uFEFF]+)')


class Span(NamedTuple):
    """The half-open range of characters [start, end) of a source.

    A tuple, because a large file has millions of them.
    """

    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """The text of one rule file; turns offsets into lines and columns."""

    text: str
    name: str = '<text>'
    path: Path | None = field(default=None, compare=False)

    @classmethod
    def from_file(cls, path: Path) -> Source:
        """Read a file as UTF-8, or as Latin-1 where it is not; a byte-order mark is dropped.

        Raises SourceError if the file cannot be read.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise SourceError(f'{path}: {error.strerror or error}') from error
        try:
            text = data.decode('utf-8-sig')
        except UnicodeDecodeError:
            text = data.decode('latin-1')
        return cls(text=text, name=str(path), path=path)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines without their ends."""
        return _LINE_END.split(self.text)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of a character offset."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column, both from 1; the nearest one there is."""
        if line < 1:
            return 0
        if line > len(self.lines):
            return len(self.text)
        return self._line_starts[line - 1] + min(max(column - 1, 0), len(self.lines[line - 1]))

    def name_span(self, span: Span) -> Span:
        """Return the span of the name of a list; that of anything else is the span itself."""
        match = _LIST_NAME.match(self.text, span.start, span.end)
        return Span(*match.span(1)) if match is not None else span

    def excerpt(self, span: Span) -> str:
        """Return the text a span covers."""
        return self.text[span.start : span.end]
