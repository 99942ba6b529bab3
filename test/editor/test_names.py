"""Names: what they are, where they are defined and used, and their change."""

from __future__ import annotations

from pathlib import Path
import re

from editor_client import Editor, Talk
from lsprotocol import types
from pygls.exceptions import JsonRpcException
import pytest

from gdl_env.language.load import game_from_text

GAMES = Path(__file__).parents[2] / 'games'
TICTACTOE = (GAMES / 'tictactoe.gdl').read_text('utf-8')
HEX = (GAMES / 'hex.gdl').read_text('utf-8')


@pytest.fixture(scope='module')
def board(editor: Editor, talk: Talk) -> str:
    uri = editor.open(TICTACTOE, str(GAMES / 'tictactoe.gdl'))
    # Sizes are known when the file has been checked.
    assert talk(editor.findings(uri)) == []
    return uri


def places(editor: Editor, uri: str, found: list[types.Location]) -> list[tuple[int, str]]:
    """Return line and text of each place."""
    return [(place.range.start.line + 1, editor.excerpt(uri, place.range)) for place in found]


def hover(editor: Editor, talk: Talk, uri: str, before: str, after: str) -> str:
    params = types.HoverParams(**editor.place(uri, before, after))
    return str(talk(editor.text_document_hover_async(params)).contents.value)


def definitions(
    editor: Editor, talk: Talk, uri: str, before: str, after: str
) -> list[tuple[int, str]]:
    params = types.DefinitionParams(**editor.place(uri, before, after))
    return places(editor, uri, talk(editor.text_document_definition_async(params)))


def references(
    editor: Editor, talk: Talk, uri: str, before: str, after: str, *, all_of_them: bool = True
) -> list[tuple[int, str]]:
    params = types.ReferenceParams(
        types.ReferenceContext(all_of_them), **editor.place(uri, before, after)
    )
    return places(editor, uri, talk(editor.text_document_references_async(params)))


def rename(editor: Editor, talk: Talk, uri: str, place: tuple[str, str], name: str) -> str:
    """Return the text after a change of a name."""
    params = types.RenameParams(new_name=name, **editor.place(uri, *place))
    answer = talk(editor.text_document_rename_async(params))
    return editor.apply(uri, list(answer.changes[uri]))


HOVERS = {
    'a fact and its size': ('(true (ce', 'll ?row', ['Fact of the state', '27 can occur']),
    'a move and its size': ('(does ?player (ma', 'rk', ['Move', '9 can occur', '(mark [1,3]']),
    'a role': ('(role ', 'x', ['role', 'value of the type `player`']),
    'a relation': ('(oppo', 'nent ?player', ['Relation with 2 arguments', '2 facts']),
    'a type': ('content', ':?content', ['typecombine', '3 values: `x`, `o`, `b`']),
    'a keyword': ('(d', 'oes ?player', ['(does role move)', 'makes the move in this step']),
    'an arrow': ('(<', '= terminal', ['The head holds when all conditions hold']),
    'a range': ('(legal ?player (mark [1,3]:?r', 'ow', ['[1,3]:?row', '3 values']),
}


@pytest.mark.parametrize('name', HOVERS)
def test_hover(editor: Editor, talk: Talk, board: str, name: str) -> None:
    before, after, wanted = HOVERS[name]
    text = hover(editor, talk, board, before, after)
    assert [part for part in wanted if part.lower() not in text.lower()] == [], text


def test_hover_shows_the_comment_above(editor: Editor, talk: Talk) -> None:
    text = '; Who comes next.\n(follows a b)\n(<= (p ?x) (follows ?x ?y))\n'
    uri = editor.open(text, 'untitled:comment')
    assert 'Who comes next.' in hover(editor, talk, uri, '(<= (p ?x) (fol', 'lows')


def test_options_are_known_in_ranges(editor: Editor, talk: Talk) -> None:
    uri = editor.open(HEX, str(GAMES / 'hex.gdl'))
    assert '(option size' in hover(editor, talk, uri, '[1,', 'size]')
    ((line, text),) = definitions(editor, talk, uri, '[1,', 'size]')
    assert text == 'size' and HEX.splitlines()[line - 1].startswith('(option size')


def test_nothing_is_known_of_blanks_and_comments(editor: Editor, talk: Talk, board: str) -> None:
    params = types.HoverParams(**editor.place(board, '; Two pla', 'yers'))
    assert talk(editor.text_document_hover_async(params)) is None


def line_of(text: str, nth: int = 1) -> int:
    offset = -1
    for _ in range(nth):
        offset = TICTACTOE.index(text, offset + 1)
    return TICTACTOE.count('\n', 0, offset) + 1


def test_definitions(editor: Editor, talk: Talk, board: str) -> None:
    assert definitions(editor, talk, board, '(not (mar', 'ked') == [
        (line_of('(<= (marked'), 'marked')
    ]
    # A fact is defined where `init` and `next` give it, a move where `legal` does.
    found = definitions(editor, talk, board, '(true (con', 'trol')
    assert found == [
        (line_of('(init (control'), 'control'),
        (line_of('(<= (next (control'), 'control'),
    ]
    found = definitions(editor, talk, board, '(does ?player (ma', 'rk')
    assert found == [(line_of('(<= (legal'), 'mark')]
    assert definitions(editor, talk, board, 'content', ':?content') == [
        (line_of('(typecombine content'), 'content')
    ]
    assert definitions(editor, talk, board, '(do', 'es ?player') == [
        (line_of('(<= (legal'), 'legal')
    ]


def test_references(editor: Editor, talk: Talk, board: str) -> None:
    found = references(editor, talk, board, '(<= (mar', 'ked')
    assert len(found) == TICTACTOE.count('(marked ')
    apart = references(editor, talk, board, '(<= (mar', 'ked', all_of_them=False)
    assert apart == [place for place in found if place[0] != line_of('(<= (marked')]
    # A variable lives in its rule.
    found = references(editor, talk, board, '(opponent ?pl', 'ayer ?other')
    assert [text for _, text in found] == ['?player', '?player']


def test_highlights(editor: Editor, talk: Talk, board: str) -> None:
    params = types.DocumentHighlightParams(**editor.place(board, '(opponent ?pl', 'ayer ?oth'))
    found = talk(editor.text_document_document_highlight_async(params))
    assert [editor.excerpt(board, one.range) for one in found] == ['?player', '?player']


RENAMES = {
    'a relation': (('(<= (mar', 'ked'), 'taken', 'marked ', 'taken '),
    'a fact': (('(true (ce', 'll'), 'square', '(cell ', '(square '),
    'a type': (('content', ':?content'), 'thing', None, None),
    'a variable with its mark': (('(legal ?pla', 'yer'), '?who', None, None),
    'a role': (('(role ', 'x'), 'cross', None, None),
}


def rules_of(text: str) -> str:
    return ''.join(line for line in text.splitlines(True) if not line.startswith(';'))


@pytest.mark.parametrize('name', RENAMES)
def test_rename(editor: Editor, talk: Talk, board: str, name: str) -> None:
    place, new, old_text, new_text = RENAMES[name]
    text = rename(editor, talk, board, place, new)
    if old_text is not None:
        assert rules_of(text) == rules_of(TICTACTOE).replace(old_text, str(new_text))
    game = game_from_text(text)
    assert len(game.rules) == len(game_from_text(TICTACTOE).rules)
    assert text.count(new.removeprefix('?')) > 1


def test_a_variable_is_renamed_in_its_rule_alone(editor: Editor, talk: Talk, board: str) -> None:
    text = rename(editor, talk, board, ('(legal ?pla', 'yer'), 'who')
    start = TICTACTOE.index('(<= (legal ?player')
    end = TICTACTOE.index('(<= (next')
    rule = TICTACTOE[start:end].replace('?player', '?who')
    assert text == TICTACTOE[:start] + rule + TICTACTOE[end:]


REFUSED = {
    'a keyword': (('(<= (leg', 'al'), 'may', "'legal' is a keyword"),
    'to a keyword': (('(<= (mar', 'ked'), 'next', "'next' has a meaning of its own"),
    'to a relation there is': (
        ('(<= (mar', 'ked'),
        'Opponent',
        "there is a relation 'opponent' with 2 arguments already, on line 18",
    ),
    'to a variable there is': (
        ('(legal ?pla', 'yer'),
        'row',
        "this rule has a variable '?row' already",
    ),
    'to a number': (('(role ', 'x'), '12', "'12' is a number"),
    'to two words': (('(<= (mar', 'ked'), 'is taken', 'cannot be a name'),
    'to a constant there is': (('(role ', 'x'), 'o', "there is a term 'o' already"),
}


@pytest.mark.parametrize('name', REFUSED)
def test_refused_names(editor: Editor, talk: Talk, board: str, name: str) -> None:
    place, new, message = REFUSED[name]
    with pytest.raises(JsonRpcException, match=re.escape(message)):
        rename(editor, talk, board, place, new)


def test_what_can_be_renamed_is_marked(editor: Editor, talk: Talk, board: str) -> None:
    params = types.PrepareRenameParams(**editor.place(board, '(legal ?pla', 'yer'))
    found = talk(editor.text_document_prepare_rename_async(params))
    assert editor.excerpt(board, found) == 'player'
    params = types.PrepareRenameParams(**editor.place(board, '(<= (leg', 'al'))
    with pytest.raises(JsonRpcException, match='keyword'):
        talk(editor.text_document_prepare_rename_async(params))


def test_lists_of_options_keep_their_names(editor: Editor, talk: Talk) -> None:
    nim = (GAMES / 'nim.gdl').read_text('utf-8')
    uri = editor.open(nim, str(GAMES / 'nim.gdl'))
    assert '(option heaps (list' in nim
    with pytest.raises(JsonRpcException, match='an option that makes facts'):
        rename(editor, talk, uri, ('(option hea', 'ps (list'), 'piles')


def test_capitals_and_brackets_do_not_hide_a_name(editor: Editor, talk: Talk) -> None:
    text = '(LIGHT Red)\n(<= (p ?X) (light ?x) (light (red)) (distinct ?x RED))\n'
    uri = editor.open(text, 'untitled:capitals')
    assert rename(editor, talk, uri, ('(LIGHT R', 'ed'), 'green') == (
        '(LIGHT green)\n(<= (p ?X) (light ?x) (light (green)) (distinct ?x green))\n'
    )


def test_broken_files_have_names_too(editor: Editor, talk: Talk) -> None:
    uri = editor.open(
        '(step 1 2)\n(<= (p ?x) (step ?x ?y)\n(<= (q ?x) (step ?x ?z', 'untitled:cut'
    )
    found = references(editor, talk, uri, '(st', 'ep 1')
    assert [line for line, _ in found] == [1, 2, 3]
