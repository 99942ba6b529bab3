"""From what is known of a file to what the protocol calls it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lsprotocol import types

from gdl_env.editor.completing import Context, NameProposal, propose
from gdl_env.editor.document import Places
from gdl_env.editor.hovering import Sizes, describe
from gdl_env.editor.index import Index, Kind, Occurrence
from gdl_env.editor.outline import OutlineEntry, outline
from gdl_env.language.diagnostics import Edits

_SEVERITIES = {
    'error': types.DiagnosticSeverity.Error,
    'warning': types.DiagnosticSeverity.Warning,
    'note': types.DiagnosticSeverity.Information,
}
_UNUSED = frozenset({'unused', 'unused-option', 'unused-experiment', 'duplicate-rule'})
_COMPLETIONS = {
    None: types.CompletionItemKind.Keyword,
    Kind.RELATION: types.CompletionItemKind.Function,
    Kind.TERM: types.CompletionItemKind.Value,
    Kind.VARIABLE: types.CompletionItemKind.Variable,
    Kind.TYPE: types.CompletionItemKind.Enum,
    Kind.OPTION: types.CompletionItemKind.Property,
}
_SYMBOLS = {
    'role': types.SymbolKind.Object,
    'init': types.SymbolKind.Field,
    'next': types.SymbolKind.Field,
    'legal': types.SymbolKind.Method,
    'goal': types.SymbolKind.Number,
    'terminal': types.SymbolKind.Boolean,
    'type': types.SymbolKind.Enum,
    'typecombine': types.SymbolKind.Enum,
    'typemap': types.SymbolKind.Enum,
    'option': types.SymbolKind.Property,
}
# Characters of a name in the title of a quick fix.
_TITLE = 30


def to_diagnostic(item: dict[str, Any], uri: str, places: Places) -> types.Diagnostic:
    """Return a finding as an editor shows it."""
    allowed = f'\nallowed: {item["allowed"]}' if item['allowed'] else ''
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(uri, _range(other, places)), other['message']
        )
        for other in item['related']
    ]
    return types.Diagnostic(
        range=_range(item, places),
        message=f'{item["message"]}{allowed}',
        severity=_SEVERITIES[item['severity']],
        code=item['code'],
        source='gdl',
        tags=[types.DiagnosticTag.Unnecessary] if item['code'] in _UNUSED else None,
        related_information=related or None,
    )


def to_actions(
    findings: Iterable[dict[str, Any]], uri: str, places: Places, wanted: types.Range
) -> list[types.CodeAction]:
    """Return the quick fixes of the findings that touch a range."""
    actions = []
    for item in findings:
        if not item['edits'] or not _touch(_range(item, places), wanted):
            continue
        edits = [types.TextEdit(_range(edit, places), edit['text']) for edit in item['edits']]
        actions.append(
            types.CodeAction(
                title=_title(item, places),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[to_diagnostic(item, uri, places)],
                is_preferred=True,
                edit=types.WorkspaceEdit({uri: edits}),
            )
        )
    return actions


def to_edits(edits: Edits, places: Places) -> list[types.TextEdit]:
    """Return changes of a text."""
    return [types.TextEdit(places.range(span), text) for span, text in edits]


def to_hover(index: Index, places: Places, name: Occurrence, sizes: Sizes) -> types.Hover:
    """Return what a name is."""
    text = types.MarkupContent(types.MarkupKind.Markdown, describe(index, name, sizes))
    return types.Hover(text, places.range(name.span))


def to_symbols(index: Index, places: Places) -> list[types.DocumentSymbol]:
    """Return the outline."""
    return list(_symbols(outline(index), places))


def to_completions(index: Index, places: Places, position: types.Position) -> types.CompletionList:
    """Return what can stand at a position."""
    context, proposals = propose(index, places.source.text, places.offset(position))
    place = types.Range(places.position(context.start), position)
    items = [_completion(proposal, context, place) for proposal in proposals]
    return types.CompletionList(is_incomplete=False, items=items)


def _completion(
    proposal: NameProposal, context: Context, place: types.Range
) -> types.CompletionItem:
    # Without a parenthesis a name with arguments gets its own.
    needs_list = proposal.arity > 0 and not context.is_opened
    text = f'({proposal.text} ' if needs_list else proposal.text
    documentation = types.MarkupContent(types.MarkupKind.Markdown, proposal.documentation)
    return types.CompletionItem(
        label=proposal.text,
        kind=_COMPLETIONS[proposal.kind],
        detail=proposal.detail,
        documentation=documentation if proposal.documentation else None,
        filter_text=proposal.text,
        text_edit=types.TextEdit(place, text),
    )


def _symbols(entries: Sequence[OutlineEntry], places: Places) -> Iterator[types.DocumentSymbol]:
    for entry in entries:
        yield types.DocumentSymbol(
            name=entry.name,
            detail=entry.detail,
            kind=_SYMBOLS.get(entry.relation, types.SymbolKind.Function),
            range=places.range(entry.span),
            selection_range=places.range(entry.focus),
            children=list(_symbols(entry.parts, places)),
        )


def _title(item: dict[str, Any], places: Places) -> str:
    edit = item['edits'][0]
    source = places.source
    start = source.offset(edit['line'], edit['column'])
    old = source.text[start : source.offset(edit['end_line'], edit['end_column'])]
    times = f' ({len(item["edits"])} places)' if len(item['edits']) > 1 else ''
    if item['code'] == 'empty-body':
        return "Make it a fact, without '<='"
    if not old:
        return f"Insert '{edit['text']}'{times}"
    if not edit['text']:
        return f"Remove '{_short(old)}'{times}"
    return f"Change '{_short(old)}' to '{edit['text']}'{times}"


def _short(text: str) -> str:
    text = ' '.join(text.split())
    return text if len(text) <= _TITLE else f'{text[: _TITLE - 2]} …'


def _range(item: dict[str, Any], places: Places) -> types.Range:
    return types.Range(
        places.at(item['line'], item['column']), places.at(item['end_line'], item['end_column'])
    )


def _touch(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end
