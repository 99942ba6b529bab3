"""Help with writing: completion, outline, layout and quick fixes."""

from __future__ import annotations

from pathlib import Path

from editor_client import Editor, Talk
from lsprotocol import types
import pytest

from gdl_env.language.formatter import format_text
from gdl_env.language.load import game_from_text
from gdl_env.language.source import Source

ROOT = Path(__file__).parents[2]
GAMES = ROOT / 'games'
TICTACTOE = (GAMES / 'tictactoe.gdl').read_text('utf-8')
HEX = (GAMES / 'hex.gdl').read_text('utf-8')

# Text before the cursor; what must be offered there, and what must not.
COMPLETIONS = {
    'a form': ('(', ['<=', 'role', 'init', 'type', 'marked'], ['true', 'does', '?row']),
    'a head': ('(<= (', ['legal', 'next', 'line'], ['true', '<=']),
    'a condition': ('(<= (line ?p) (', ['true', 'not', 'marked', 'opponent'], ['init', '<=']),
    'inside not': ('(<= (line ?p) (not (', ['true', 'marked'], ['next']),
    'a condition in a count': ('(<= (line ?p) (count 1 (', ['true', 'does'], ['init']),
    'a fact': ('(<= (line ?p) (true (', ['cell', 'control'], ['mark', 'true']),
    'a move': ('(<= (line ?p) (does ?p (', ['mark'], ['cell', 'true']),
    'a role': ('(<= (line ?p) (does ', ['x', 'o', '?p'], ['cell', 'b']),
    'a value': ('(<= (line ?p) (opponent ', ['x', 'o', '?p', 'player:'], ['b']),
    'a variable': ('(<= (line ?p) (opponent ?p ?', ['?p'], ['x', '?row']),
    'a type': ('(<= (line ?p) (type ', ['player', 'content', 'empty'], ['cell']),
    'in a comment': ('(<= (line ?p) ; (', [], ['true', '?p']),
}


@pytest.mark.parametrize('name', COMPLETIONS)
def test_completion(editor: Editor, talk: Talk, name: str) -> None:
    before, wanted, others = COMPLETIONS[name]
    # In the middle of writing: nothing is closed, and rules follow.
    mark = '; here'
    uri = editor.open(f'{TICTACTOE}\n{before}{mark}\n(next_rule 1)\n', f'untitled:{name}')
    params = types.CompletionParams(**editor.place(uri, before, mark))
    offered = [i.label for i in talk(editor.text_document_completion_async(params)).items]
    assert [label for label in wanted if label not in offered] == []
    assert [label for label in others if label in offered] == []
    assert len(offered) == len(set(offered))


def test_completion_tells_arity_and_replaces_the_word(editor: Editor, talk: Talk) -> None:
    uri = editor.open(f'{TICTACTOE}\n(<= (line ?p) (oppo', 'untitled:word')
    params = types.CompletionParams(**editor.place(uri, '(<= (line ?p) (oppo'))
    items = talk(editor.text_document_completion_async(params)).items
    (item,) = [item for item in items if item.label == 'opponent']
    assert 'opponent/2' in item.detail
    assert editor.apply(uri, [item.text_edit]).endswith('(opponent')
    uri = editor.open(f'{TICTACTOE}\n(<= (line ?p) oppo', 'untitled:bare-word')
    params = types.CompletionParams(**editor.place(uri, '(<= (line ?p) oppo'))
    items = talk(editor.text_document_completion_async(params)).items
    (item,) = [item for item in items if item.label == 'opponent']
    assert editor.apply(uri, [item.text_edit]).endswith('(opponent ')


def test_options_are_completed(editor: Editor, talk: Talk) -> None:
    uri = editor.open(f'{HEX}\n(<= (p ?n) (option ', 'untitled:option')
    params = types.CompletionParams(**editor.place(uri, '(<= (p ?n) (option '))
    offered = [i.label for i in talk(editor.text_document_completion_async(params)).items]
    assert 'size' in offered


def test_outline(editor: Editor, talk: Talk) -> None:
    uri = editor.open(TICTACTOE, str(GAMES / 'tictactoe.gdl'))
    params = types.DocumentSymbolParams(types.TextDocumentIdentifier(uri))
    found = talk(editor.text_document_document_symbol_async(params))
    names = {symbol.name: symbol for symbol in found}
    assert {'role', 'type player', 'init cell/3', 'legal mark/2', 'next cell/3'} <= names.keys()
    cells = names['init cell/3']
    assert (cells.detail, len(cells.children)) == ('9 facts', 9)
    assert editor.excerpt(uri, cells.children[0].range) == '(init (cell 1 1 b))'
    for symbol in found:
        assert symbol.range.start <= symbol.selection_range.start
        assert symbol.selection_range.end <= symbol.range.end


@pytest.mark.parametrize('end_of_line', ['\n', '\r\n'])
def test_layout(editor: Editor, talk: Talk, end_of_line: str) -> None:
    messy = '(role   a)\n(<= (p ?x) (q ?x)\n(r [1, 3]:?x)) ; why 🂡\n\n\n\n(role b)\n(role c)\n'
    uri = editor.open(messy.replace('\n', end_of_line), f'untitled:layout{len(end_of_line)}')
    options = types.FormattingOptions(4, insert_spaces=True)
    params = types.DocumentFormattingParams(types.TextDocumentIdentifier(uri), options)
    edits = talk(editor.text_document_formatting_async(params))
    assert editor.apply(uri, edits) == format_text(messy).replace('\n', end_of_line)
    # Lines that are fine are left alone.
    assert edits[0].range.end.line < messy.count('\n')


@pytest.mark.parametrize('path', sorted(GAMES.glob('*.gdl')), ids=lambda path: path.stem)
def test_files_in_order_are_left_alone(editor: Editor, talk: Talk, path: Path) -> None:
    uri = editor.open(Source.from_file(path).text, str(path))
    options = types.FormattingOptions(4, insert_spaces=True)
    params = types.DocumentFormattingParams(types.TextDocumentIdentifier(uri), options)
    assert not talk(editor.text_document_formatting_async(params))
    editor.close(uri)


def test_unbalanced_files_are_left_alone(editor: Editor, talk: Talk) -> None:
    uri = editor.open('(role   a)\n(p', 'untitled:no-layout')
    options = types.FormattingOptions(4, insert_spaces=True)
    params = types.DocumentFormattingParams(types.TextDocumentIdentifier(uri), options)
    assert not talk(editor.text_document_formatting_async(params))


FIRST_EVENING = """\
; Seven Matches, as one writes it on a first evening.
(role first)
(role second)
(other first second)
(other second first)
(init (heap 7))
(init (control first))
(<= (legal ?player (take 1))
    (true (control ?player)))
(<= (legal frist (take 2))
    (true (control first))
    (true (haep ?n))
    (greater ?n 1))
(<= (next (heap ?left))
    (true (heap ?matches))
    (does ?player (take ?taken))
    (sub ?matches ?taken ?left)
(<= (next (control ?other))
    (tru (control ?Player))
    (other ?player ?other))
(<= terminal
    (true (heap 0))))
(<= (goal ?player 0)
    (true (control ?player)))
(<= (gaol ?player 100)
    (true (control ?other))
    (other ?player ?other))
(<= (other first second))
"""
NESTED = FIRST_EVENING[FIRST_EVENING.index('(<= (next (control') : FIRST_EVENING.index('(<= term')]
# Code, what is underlined, and the quick fix.
WANTED = [
    ('unknown-role', 'frist', "Change 'frist' to 'first'"),
    ('unknown-fact', '(haep ?n)', "Change 'haep' to 'heap'"),
    # The two parentheses make up for each other; the second shows when the first is mended.
    ('nested-rule', NESTED.strip(), "Insert ')'"),
    ('capitals', '?Player', "Change '?Player' to '?player'"),
    ('unused', '(gaol ?player 100)', "Change 'gaol' to 'goal'"),
    ('empty-body', '(<= (other first second))', "Make it a fact, without '<='"),
]


def test_an_evening_of_mistakes_is_mended_by_quick_fixes(editor: Editor, talk: Talk) -> None:
    uri = editor.open(FIRST_EVENING, 'untitled:evening')
    found = talk(editor.findings(uri))
    shown = [
        (f.code, editor.excerpt(uri, f.range), fix_title(editor, talk, uri, f)) for f in found
    ]
    assert [wanted for wanted in WANTED if wanted not in shown] == [], shown
    # One after the other, until nothing is left to mend.
    titles = set()
    for _ in range(20):
        actions = [a for f in talk(editor.findings(uri)) for a in fixes(editor, talk, uri, f)]
        if not actions:
            break
        titles.add(actions[0].title)
        text = editor.apply(uri, list(actions[0].edit.changes[uri]))
        editor.close(uri)
        uri = editor.open(text, f'{uri}+')
    assert talk(editor.findings(uri)) == []
    assert titles >= {"Remove ')'", "Change 'tru' to 'true'"}
    assert len(game_from_text(editor.texts[uri]).roles) == 2


def fixes(
    editor: Editor, talk: Talk, uri: str, finding: types.Diagnostic
) -> list[types.CodeAction]:
    context = types.CodeActionContext([finding])
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), finding.range, context)
    actions = talk(editor.text_document_code_action_async(params))
    return [a for a in actions if a.diagnostics[0].message == finding.message]


def fix_title(editor: Editor, talk: Talk, uri: str, finding: types.Diagnostic) -> str | None:
    return next((action.title for action in fixes(editor, talk, uri, finding)), None)
