"""A real client: `gdl lsp` as a process of its own, asked over its standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
import re
import sys
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

# Generous: a loaded machine, and a process that has to be started first.
LIMIT = 120
# Runs a conversation to its end.
Talk = Callable[..., Any]
GDL = Path(sys.executable).with_name('gdl')


class Editor(LanguageClient):
    """What an editor does: open texts, change them, ask about places in them."""

    def __init__(self) -> None:
        super().__init__('test-editor', '1')
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.news = asyncio.Event()
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def on_diagnostics(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params
            self.news.set()

    async def start(self, encodings: list[types.PositionEncodingKind] | None = None) -> None:
        await self.start_io(str(GDL), 'lsp')
        general = types.GeneralClientCapabilities(position_encodings=encodings)
        capabilities = types.ClientCapabilities(general=general)
        self.answer = await self.initialize_async(types.InitializeParams(capabilities))
        self.initialized(types.InitializedParams())

    def open(self, text: str, name: str = 'untitled:game') -> str:
        uri = Path(name).resolve().as_uri() if ':' not in name else name
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri, 'gdl', 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def change(self, uri: str, old: str, new: str) -> None:
        """Replace the first place of a text by another one, as typing does."""
        text = self.texts[uri]
        start = text.index(old)
        change = types.TextDocumentContentChangePartial(
            types.Range(position(text, start), position(text, start + len(old))), new
        )
        self.texts[uri] = text[:start] + new + text[start + len(old) :]
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, uri: str) -> None:
        document = types.TextDocumentIdentifier(uri)
        self.text_document_did_close(types.DidCloseTextDocumentParams(document))

    async def cleared(self, uri: str) -> None:
        """Wait until nothing is shown of a file that was closed."""
        while uri not in self.published or self.published[uri].diagnostics:
            self.news.clear()
            await self.news.wait()

    async def findings(self, uri: str) -> list[types.Diagnostic]:
        """Return the findings of the current version of a text."""
        while True:
            known = self.published.get(uri)
            if known is not None and known.version == self.versions[uri]:
                return list(known.diagnostics)
            self.news.clear()
            await self.news.wait()

    def place(self, uri: str, before: str, after: str = '') -> dict[str, Any]:
        """Return the place between two texts that follow each other."""
        text = self.texts[uri]
        offset = text.index(before + after) + len(before)
        document = types.TextDocumentIdentifier(uri)
        return {'text_document': document, 'position': position(text, offset)}

    def excerpt(self, uri: str, place: types.Range) -> str:
        text = self.texts[uri]
        return text[offset(text, place.start) : offset(text, place.end)]

    def apply(self, uri: str, edits: list[types.TextEdit] | None) -> str:
        """Return the text after changes, as an editor would make them."""
        text = self.texts[uri]
        for edit in sorted(edits or [], key=lambda e: offset(text, e.range.start), reverse=True):
            start, end = offset(text, edit.range.start), offset(text, edit.range.end)
            text = text[:start] + edit.new_text + text[end:]
        return text


def position(text: str, offset: int) -> types.Position:
    """Count as the protocol says: lines by CR, LF, CRLF; columns in UTF-16 code units."""
    before = text[:offset].replace('\r\n', '\n').replace('\r', '\n')
    line = before.rpartition('\n')[2]
    return types.Position(before.count('\n'), len(line.encode('utf-16-le')) // 2)


def offset(text: str, place: types.Position) -> int:
    start = 0
    for _ in range(place.line):
        start = re.compile(r'\r\n|\r|\n').search(text, start).end()  # type: ignore[union-attr]
    units = 0
    while units < place.character:
        units += len(text[start].encode('utf-16-le')) // 2
        start += 1
    assert units == place.character, 'a place within a character'
    return start


async def end(editor: Editor) -> None:
    """End a server as editors do."""
    process = editor._server
    assert process is not None
    await editor.shutdown_async(None)
    editor.exit(None)
    assert await asyncio.wait_for(process.wait(), 30) == 0
    await editor.stop()
