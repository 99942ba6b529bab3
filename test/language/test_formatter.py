"""Canonical layout: what it looks like, and that it alters nothing else."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import pytest

from gdl_env.language.diagnostics import GameError
from gdl_env.language.formatter import WIDTH, format_source, format_text
from gdl_env.language.game import build_rules
from gdl_env.language.library import rule_files
from gdl_env.language.parser import parse
from gdl_env.language.source import Source

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / 'shared' / 'gdl-corpus' / 'games'

LAYOUTS = [
    ('a fact', '( role   x )', '(role x)\n'),
    ('facts on one line', '(role x) (role o)', '(role x)\n(role o)\n'),
    ('a bare symbol', 'terminal', 'terminal\n'),
    ('zero arity keeps its parentheses', '( open )', '(open)\n'),
    ('an arrow without a body', '(<=\n terminal )', '(<= terminal)\n'),
    ('spelling is kept', '(ROLE White)', '(ROLE White)\n'),
    ('blanks in a range', '(p [1, 3]:?x [ 1 , 2 ])', '(p [1,3]:?x [1,2])\n'),
    ('a rule', '(<= (a ?x) (b ?x) (not (c ?x)))', '(<= (a ?x)\n    (b ?x)\n    (not (c ?x)))\n'),
    ('line ends', '(a)\r(b)\r\n(c)\n', '(a)\n(b)\n(c)\n'),
    ('blank lines', '\n\n(a)\n\n\n\n(b)\n(c)\n\n\n', '(a)\n\n(b)\n(c)\n'),
    ('blank lines in a rule', '(<= a\n\n b\n\n c)', '(<= a\n    b\n    c)\n'),
    ('comments', '; one\n;two  \n\n(a)   ;three', '; one\n;two\n\n(a)  ;three\n'),
    (
        'comments in a rule',
        '(<= a ; head\n b ; first\n; own\n c)',
        '(<= a  ; head\n    b  ; first\n    ; own\n    c)\n',
    ),
    (
        'a comment behind the last literal',
        '(<= a\n  b ; last\n)\n\n(c)',
        '(<= a\n    b)  ; last\n\n(c)\n',
    ),
    (
        'comments before and behind a parenthesis',
        '(<= a\n  b ; last\n) ; end',
        '(<= a\n    b  ; last\n    )  ; end\n',
    ),
    ('an own line before a parenthesis', '(<= a b\n; own\n)', '(<= a\n    b\n    ; own\n    )\n'),
    ('a comment in a fact', '(a ; why\n 1)', '(a  ; why\n    1)\n'),
    ('a comment before a name', '(; why\n a 1)', '(  ; why\n    a\n    1)\n'),
    ('nothing', '', ''),
    ('only a comment', '; alone', '; alone\n'),
]


@pytest.mark.parametrize(
    ('text', 'expected'), [row[1:] for row in LAYOUTS], ids=[row[0] for row in LAYOUTS]
)
def test_layout(text: str, expected: str) -> None:
    assert format_text(text) == expected
    assert format_text(expected) == expected


def test_long_literal_is_broken_and_fits() -> None:
    parts = ' '.join(f'(true (cell ?row ?column piece{i}))' for i in range(5))
    text = format_text(f'(<= (next (cell ?row ?column b)) (or {parts}) (open))')
    lines = text.splitlines()
    assert lines[:3] == [
        '(<= (next (cell ?row ?column b))',
        '    (or',
        '        (true (cell ?row ?column piece0))',
    ]
    assert lines[-2:] == ['        (true (cell ?row ?column piece4)))', '    (open))']
    assert format_text(text) == text


@pytest.mark.parametrize('length', range(WIDTH - 8, WIDTH + 2))
def test_closing_parentheses_count(length: int) -> None:
    name = 'n' * length
    text = format_text(f'(<= a (or (p {name}) (q {name})))')
    assert all(len(line) <= WIDTH for line in text.splitlines() if name not in line)
    assert format_text(text) == text
    fitting = format_text(f'(<= (p {name[:-7]} x))')
    assert (len(fitting.splitlines()) == 1) == (len(f'(<= (p {name[:-7]} x))') <= WIDTH)


@pytest.mark.parametrize('text', ['(a (b)', '(a))', '()', '(?x a)'])
def test_text_that_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(GameError):
        format_text(text)


def assert_only_layout_changed(source: Source) -> None:
    before = parse(source)
    text = format_source(source)
    after = parse(Source(text))
    assert format_text(text) == text
    assert build_rules(after.forms) == build_rules(before.forms)
    assert [c.text for c in after.comments] == [c.text.rstrip() for c in before.comments]
    assert all(line == line.rstrip() for line in text.split('\n'))
    assert '\n\n\n' not in text
    assert not text.startswith('\n') and not text.endswith('\n\n')


NAMES = st.sampled_from(['a', 'Cell', '?x', '12', '-3', 'mark:?p', '[1, 3]:?y', '<=', 'long' * 9])
GAPS = st.sampled_from(
    [' ', '\n', '\r\n', '\r', '\n\n', '\t', ' ; note\n', '\n;; own  \n', '\n\n;\n']
)


@st.composite
def forms(draw: st.DrawFn) -> str:
    """A form with blanks and comments in every gap."""

    def gap() -> str:
        return draw(GAPS)

    def node(depth: int) -> str:
        if depth == 0 or draw(st.booleans()):
            return draw(NAMES)
        parts = [node(depth - 1) for _ in range(draw(st.integers(0, 4)))]
        name = draw(st.sampled_from(['p', 'OR', 'not', '<=']))
        return f'({gap()}{name}{"".join(gap() + part for part in parts)}{gap()})'

    return node(4)


@given(st.lists(st.tuples(forms(), GAPS)))
def test_any_text_keeps_rules_and_comments(pieces: list[tuple[str, str]]) -> None:
    assert_only_layout_changed(Source(''.join(form + gap for form, gap in pieces)))


@given(st.text(alphabet='()ab?:;[],1 \t\r\n\ufeff\x0b\x85', max_size=40))
def test_any_characters_are_laid_out_or_refused(text: str) -> None:
    try:
        format_text(text)
    except GameError:
        return
    assert_only_layout_changed(Source(text))


@pytest.mark.parametrize('path', rule_files(ROOT / 'games'), ids=lambda path: path.stem)
def test_our_games_are_in_canonical_layout(path: Path) -> None:
    source = Source.from_file(path)
    assert format_source(source) == source.text


@pytest.mark.skipif(
    not CORPUS.is_dir(), reason='the corpus of public games is not on this machine'
)
def test_public_games_keep_rules_and_comments() -> None:
    paths = sorted(CORPUS.iterdir())[::20]
    sources = [Source.from_file(path) for path in paths]
    readable = [source for source in sources if not parse(source).diagnostics]
    assert len(readable) > 20
    for source in readable:
        assert_only_layout_changed(source)
