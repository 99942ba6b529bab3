"""A text that an editor changes bit by bit, and places in it as editors count them.

Lines end with CR, LF or CRLF, and nothing else: a form feed or U+2028 in a comment ends no line
for an editor. Columns count UTF-16 code units, or what else was agreed upon.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
import re
from typing import Any

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec, TextDocument, Workspace

from gdl_env.language.source import Source, Span

_LINE = re.compile(r'[^\r\n]*(?:\r\n|\r|\n)')


class Document(TextDocument):
    """An open file as its author sees it, saved or not.

    It is a list of lines, because a change in one of 400,000 should not touch the others.
    """

    def __init__(self, uri: str, source: str | None = None, **options: Any) -> None:
        super().__init__(uri, source or '', **options)
        self._lines = _split(source or '')
        self._joined: str | None = source or ''

    @property
    def source(self) -> str:
        """Return the whole text."""
        if self._joined is None:
            self._joined = ''.join(self._lines)
        return self._joined

    @property
    def file(self) -> Path | None:
        """Return the path of the file; None where the text has never been saved."""
        path = to_fs_path(self.uri) if self.uri.startswith('file:') else None
        return Path(path) if path else None

    @property
    def lines(self) -> list[str]:
        """Return the lines with their ends."""
        return self._lines

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Replace a range, or everything."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            self._splice(change.range, change.text)
        else:
            self._lines = _split(change.text)
        self._joined = None

    def _splice(self, place: types.Range, text: str) -> None:
        first, start = self._find(place.start)
        last, end = self._find(place.end)
        if (last, end) < (first, start):
            last, end = first, start
        # One line more on each side: CR and LF may come together, or apart.
        before, after = max(first - 1, 0), min(last + 2, len(self._lines))
        changed = (
            ''.join(self._lines[before:first])
            + self._lines[first][:start]
            + text
            + self._lines[last][end:]
            + ''.join(self._lines[last + 1 : after])
        )
        is_end = after == len(self._lines)
        pieces = _split(changed)
        # Only the last line of a text has no end.
        self._lines[before:after] = pieces if is_end or pieces[-1] else pieces[:-1]

    def _find(self, position: types.Position) -> tuple[int, int]:
        """Return the index of a line and a column in characters; the nearest ones there are."""
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self._lines[position.line]
        length = len(line.rstrip('\r\n'))
        return position.line, min(
            from_units(line, position.character, self.position_codec), length
        )


class Documents(Workspace):
    """The open files."""

    @classmethod
    def like(cls, other: Workspace) -> Documents:
        """Return a workspace that counts as another one does."""
        return cls(other.root_uri, position_encoding=other.position_encoding)

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> Document:
        return Document(
            doc_uri,
            source,
            version=version,
            language_id=language_id,
            position_codec=self.position_codec,
        )


class Places:
    """One version of a text: offsets ↔ the positions of an editor."""

    def __init__(self, source: Source, codec: PositionCodec) -> None:
        self.source = source
        self._codec = codec

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset."""
        line, column = self.source.position(offset)
        return self.at(line, column)

    def at(self, line: int, column: int) -> types.Position:
        """Return the position of a line and a column, both from 1, in characters."""
        text = self.source.lines[line - 1]
        return types.Position(line - 1, to_units(text, column - 1, self._codec))

    def range(self, span: Span) -> types.Range:
        """Return the range of a span."""
        return types.Range(self.position(span.start), self.position(span.end))

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; the nearest one there is."""
        lines = self.source.lines
        text = lines[position.line] if position.line < len(lines) else ''
        column = from_units(text, position.character, self._codec)
        return self.source.offset(position.line + 1, column + 1)

    @cached_property
    def everything(self) -> types.Range:
        """Return the range of the whole text."""
        return self.range(Span(0, len(self.source.text)))


def to_units(line: str, column: int, codec: PositionCodec) -> int:
    """Return how many code units stand before a column in characters."""
    return column if line.isascii() else int(codec.client_num_units(line[:column]))


def from_units(line: str, units: int, codec: PositionCodec) -> int:
    """Return the column in characters behind a number of code units, within the line."""
    if line.isascii():
        return min(units, len(line))
    for column, character in enumerate(line):
        if units <= 0:
            return column
        units -= int(codec.client_num_units(character))
    return len(line)


def _split(text: str) -> list[str]:
    """Return the lines with their ends; the last one has none and may be empty."""
    lines = _LINE.findall(text)
    return [*lines, text[sum(map(len, lines)) :]]
