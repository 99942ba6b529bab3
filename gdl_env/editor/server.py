"""The language server: from the questions of an editor to the files that answer them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
import os
import sys
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from gdl_env.editor import answers
from gdl_env.editor.checking import CheckedText, Checker
from gdl_env.editor.document import Document, Documents, Places
from gdl_env.editor.formatting import format_edits
from gdl_env.editor.index import Index, Occurrence
from gdl_env.editor.navigation import find_definitions
from gdl_env.editor.renaming import RenameError, rename, renamed_span
from gdl_env.errors import GdlError
from gdl_env.language.source import Source

_Result = TypeVar('_Result')
# Seconds a thread works before others have their turn: answers wait while a large file is read.
_SWITCH = 0.001


class _Protocol(LanguageServerProtocol):
    """Keeps documents as this server wants them."""

    @property
    def workspace(self) -> Documents:
        """Return the open files."""
        current = super().workspace
        if not isinstance(current, Documents):
            current = self._workspace = Documents.like(current)
        return current


@dataclass
class _Reading:
    """The index of a file, made once for each version."""

    version: int | None
    index: asyncio.Future[Index]


class GdlServer(LanguageServer):
    """Knows the open files, what is in them, and what is wrong with them."""

    def __init__(self, version: str) -> None:
        super().__init__('gdl', version, protocol_cls=_Protocol)
        self.checker = Checker(self._publish)
        # With the places of the version that was checked.
        self.findings: dict[str, tuple[CheckedText, Places]] = {}
        self._readings: dict[str, _Reading] = {}

    def document(self, uri: str) -> Document:
        """Return an open file."""
        document = self.workspace.get_text_document(uri)
        assert isinstance(document, Document)
        return document

    async def read(self, uri: str) -> tuple[Index, Places]:
        """Return the index of the current text of a file; a thread makes it."""
        document = self.document(uri)
        reading = self._readings.get(uri)
        if reading is None or reading.version != document.version or reading.index.cancelled():
            source = Source(document.source, uri, document.file)
            index = asyncio.get_running_loop().run_in_executor(None, Index.of, source)
            reading = self._readings[uri] = _Reading(document.version, index)
        # Several questions wait for one index; one that is called off must not end it.
        index_found = await asyncio.shield(reading.index)
        return index_found, Places(index_found.source, document.position_codec)

    async def name_at(self, place: Any) -> tuple[Index, Places, Occurrence | None]:
        """Return the name at a position."""
        index, places = await self.read(place.text_document.uri)
        return index, places, index.at(places.offset(place.position))

    def forget(self, uri: str) -> None:
        """Drop what is known of a file that was closed."""
        self.checker.close(uri)
        self._readings.pop(uri, None)
        self.findings.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    async def _publish(self, document: Document, findings: CheckedText) -> None:
        places = Places(Source(findings.text), document.position_codec)

        def convert() -> list[types.Diagnostic]:
            return [answers.to_diagnostic(item, document.uri, places) for item in findings.found]

        found = await asyncio.to_thread(convert)
        if document.version != findings.version:
            return
        self.findings[document.uri] = findings, places
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, found, findings.version)
        )


def make_server(version: str) -> GdlServer:
    """Return a server that has not been started."""
    server = GdlServer(version)
    _add_documents(server)
    _add_questions(server)
    _add_changes(server)
    return server


def run_server(version: str) -> None:
    """Serve on standard input and output until the editor ends it."""
    sys.setswitchinterval(_SWITCH)
    # The server closes its output at the end; and whatever prints must not come between answers.
    with os.fdopen(os.dup(sys.stdout.fileno()), 'wb') as answers_to, redirect_stdout(sys.stderr):
        make_server(version).start_io(stdout=answers_to)


def _add_documents(server: GdlServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        server.checker.open(server.document(params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.checker.change(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        # Beside it, files of options may have changed, too.
        server.checker.change(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.checker.end()


def _add_questions(server: GdlServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        index, places, name = await server.name_at(params)
        known = server.findings.get(params.text_document.uri)
        sizes = known[0].sizes if known is not None else {}
        return None if name is None else answers.to_hover(index, places, name, sizes)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location]:
        index, places, name = await server.name_at(params)
        found = [] if name is None else find_definitions(index, name)
        return [types.Location(params.text_document.uri, places.range(o.span)) for o in found]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location]:
        index, places, name = await server.name_at(params)
        if name is None:
            return []
        defined = find_definitions(index, name)
        left_out = [] if params.context.include_declaration else defined
        found = [other for other in index.same(name) if other not in left_out]
        return [types.Location(params.text_document.uri, places.range(o.span)) for o in found]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        index, places, name = await server.name_at(params)
        same = [] if name is None else index.same(name)
        return [types.DocumentHighlight(places.range(other.span)) for other in same]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        index, places = await server.read(params.text_document.uri)
        return await asyncio.to_thread(answers.to_symbols, index, places)

    triggers = types.CompletionOptions(trigger_characters=['(', '?', ':'])

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, triggers)
    async def completion(params: types.CompletionParams) -> types.CompletionList:
        index, places = await server.read(params.text_document.uri)
        return await asyncio.to_thread(answers.to_completions, index, places, params.position)


def _add_changes(server: GdlServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.Range | None:
        index, places, name = await server.name_at(params)
        return None if name is None else places.range(_refuse(lambda: renamed_span(index, name)))

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def change_name(params: types.RenameParams) -> types.WorkspaceEdit | None:
        index, places, name = await server.name_at(params)
        if name is None:
            return None
        edits = _refuse(lambda: rename(index, name, params.new_name))
        return types.WorkspaceEdit({params.text_document.uri: answers.to_edits(edits, places)})

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        document = server.document(params.text_document.uri)
        source = Source(document.source, document.uri, document.file)
        try:
            edits = await asyncio.to_thread(format_edits, source)
        except GdlError:
            # The findings show where.
            return None
        return answers.to_edits(edits, Places(source, document.position_codec))

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.document(params.text_document.uri)
        if document.uri not in server.findings:
            return []
        known, places = server.findings[document.uri]
        if known.version != document.version:
            return []
        return answers.to_actions(known.found, document.uri, places, params.range)


def _refuse(work: Callable[[], _Result]) -> _Result:
    """Answer with an error that an editor shows where a name cannot be changed."""
    try:
        return work()
    except RenameError as error:
        raise JsonRpcInvalidParams(str(error)) from error
