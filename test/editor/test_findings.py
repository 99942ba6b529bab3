"""Findings as one types: those of `gdl check`, at the same places, in the units of the editor."""

from __future__ import annotations

from pathlib import Path

from editor_client import Editor, Talk, end, position
from lsprotocol import types
import pytest

from gdl_env.language.load import read_game
from gdl_env.language.source import Source

ROOT = Path(__file__).parents[2]
BROKEN = sorted((ROOT / 'test' / 'language' / 'broken').glob('*.gdl'))
GAMES = sorted((ROOT / 'games').glob('*.gdl'))

MATCHES = """\
(role first)
(role second)
(other first second)
(other second first)
(init (heap 7))
(init (control first))
(<= (legal ?player (take 1))
    (true (control ?player)))
(<= (next (heap ?left))
    (true (heap ?matches))
    (does ?player (take ?taken))
    (sub ?matches ?taken ?left))
(<= (next (control ?other))
    (true (control ?player))
    (other ?player ?other))
(<= terminal
    (true (heap 0)))
(<= (goal ?player 100)
    (true (control ?other))
    (other ?player ?other))
"""


def expected(text: str, path: Path | None = None) -> list[tuple[str, types.Range]]:
    findings = read_game(Source(text, 'game', path))[1]
    return [
        (f.code, types.Range(position(text, f.span.start), position(text, f.span.end)))
        for f in findings
    ]


def shown(findings: list[types.Diagnostic]) -> list[tuple[str, types.Range]]:
    return [(str(finding.code), finding.range) for finding in findings]


@pytest.mark.parametrize('path', [*BROKEN, *GAMES], ids=lambda path: path.stem)
def test_an_open_file_shows_its_findings(editor: Editor, talk: Talk, path: Path) -> None:
    text = Source.from_file(path).text
    uri = editor.open(text, str(path))
    assert shown(talk(editor.findings(uri))) == expected(text, path)
    editor.close(uri)


def test_a_finding_comes_and_goes_while_one_types(editor: Editor, talk: Talk) -> None:
    uri = editor.open(MATCHES, 'untitled:typing')
    assert talk(editor.findings(uri)) == []
    editor.change(uri, '(true (heap 0))', '(true (heap 0)')
    (found,) = talk(editor.findings(uri))
    assert (found.code, found.severity) == ('unbalanced', types.DiagnosticSeverity.Error)
    assert editor.excerpt(uri, found.range) == '('
    assert "allowed: a ')' for each '('" in found.message
    editor.change(uri, '(true (heap 0)', '(true (heap 0))')
    assert talk(editor.findings(uri)) == []


def test_second_places_lead_there(editor: Editor, talk: Talk) -> None:
    uri = editor.open(MATCHES + '(other first second)\n', 'untitled:twice')
    (found,) = talk(editor.findings(uri))
    (related,) = found.related_information
    assert (found.code, related.location.range.start.line) == ('duplicate-rule', 2)
    assert list(found.tags) == [types.DiagnosticTag.Unnecessary]


@pytest.mark.parametrize('end_of_line', ['\n', '\r\n', '\r'])
def test_places_are_counted_as_editors_do(editor: Editor, talk: Talk, end_of_line: str) -> None:
    # Beyond the basic plane two units each; and characters that end no line for an editor.
    text = f'; 🂡🂱 \x0c \u2028 \x85 end\n(wins 🂡 🂱 ö)\n{MATCHES}'.replace('\n', end_of_line)
    uri = editor.open(text, f'untitled:units{len(end_of_line)}{ord(end_of_line[0])}')
    (found,) = talk(editor.findings(uri))
    assert (found.code, editor.excerpt(uri, found.range)) == ('unused', '(wins 🂡 🂱 ö)')
    editor.change(uri, '🂱 ö)', '🂱🂱 ö ?x)')
    found = shown(talk(editor.findings(uri)))
    assert found == expected(editor.texts[uri])
    assert len(found) > 1
    editor.change(uri, ' ?x)', f'){end_of_line}(wins 🂱 1 2){end_of_line}')
    assert shown(talk(editor.findings(uri))) == expected(editor.texts[uri])


@pytest.mark.parametrize('encoding', ['utf-8', 'utf-32'])
def test_other_units_are_agreed_upon(talk: Talk, encoding: str) -> None:
    async def converse() -> tuple[str | None, types.Range]:
        editor = Editor()
        await editor.start([types.PositionEncodingKind(encoding)])
        uri = editor.open(f'{MATCHES}; \n(wins 🂡 ?x)\n', 'untitled:other-units')
        found = [f for f in await editor.findings(uri) if f.code == 'variable-in-fact']
        await end(editor)
        return editor.answer.capabilities.position_encoding, found[0].range

    agreed, place = talk(converse())
    assert agreed == encoding
    before = '(wins 🂡 '
    units = len(before.encode()) if encoding == 'utf-8' else len(before)
    assert place.start.character == units


def test_closed_files_show_nothing_and_others_stay(editor: Editor, talk: Talk) -> None:
    first = editor.open('(role a', 'untitled:first')
    second = editor.open('(role b', 'untitled:second')
    assert talk(editor.findings(first)) and talk(editor.findings(second))
    editor.close(first)
    talk(editor.cleared(first))
    assert editor.published[second].diagnostics
    editor.change(second, 'b', 'c')
    assert talk(editor.findings(second))


def test_a_huge_file_leaves_others_alone(editor: Editor, talk: Talk) -> None:
    facts = ''.join(f'(edge n{i} n{i * 7 % 400_000})\n' for i in range(400_000))
    huge = editor.open(MATCHES + facts, 'untitled:huge')
    editor.change(huge, '(role first)', '(role first) ')

    async def work() -> list[types.Diagnostic]:
        small = editor.open(MATCHES, 'untitled:small')
        assert await editor.findings(small) == []
        hover = types.HoverParams(**editor.place(small, '(true (he', 'ap 0'))
        assert await editor.text_document_hover_async(hover) is not None
        editor.change(small, '(true (heap 0))', '(true (haep 0))')
        return await editor.findings(small)

    assert [found.code for found in talk(work())] == ['unknown-fact']
    # All of that while the huge one was still being checked.
    assert huge not in editor.published
    editor.close(huge)
    talk(editor.cleared(huge))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_huge_file_is_checked_in_the_end(editor: Editor, talk: Talk) -> None:
    facts = ''.join(f'(edge n{i} n{i * 7 % 400_000})\n' for i in range(400_000))
    huge = editor.open(MATCHES + facts, 'untitled:huge-in-the-end')
    editor.change(huge, '(role first)', '(role first) ')
    assert [found.code for found in talk(editor.findings(huge), 600)] == ['unused']
    hover = types.HoverParams(**editor.place(huge, '(ed', 'ge n399999'))
    text = talk(editor.text_document_hover_async(hover), 200).contents.value
    assert 'Defined by 400,000 facts' in text
    editor.close(huge)
