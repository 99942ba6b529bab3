"""Text to terms: what files look like in the wild, and that nothing makes the parser fail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from gdl_env.language.formulas import (
    And,
    Arithmetic,
    Atom,
    Count,
    Distinct,
    Formula,
    Not,
    Or,
)
from gdl_env.language.game import Game, Rule
from gdl_env.language.load import build_game, read_game
from gdl_env.language.parser import parse, parse_term
from gdl_env.language.source import Source, Span
from gdl_env.language.stretches import Stretches
from gdl_env.language.terms import (
    Compound,
    Number,
    Range,
    Symbol,
    Term,
    Typed,
    Variable,
    subterms,
)

_ROOT = Path(__file__).resolve().parents[2]

TICK = '(role r)\n(<= (legal r go)\n    (true (at 1)))\n'


def game(text: str) -> Game:
    return build_game(parse(Source(text)))


WRITINGS = {
    'CRLF': TICK.replace('\n', '\r\n'),
    'bare CR': TICK.replace('\n', '\r'),
    'tabs': TICK.replace('    ', '\t'),
    'byte-order mark': '\ufeff' + TICK,
    'byte-order mark inside': TICK.replace('(<=', '\ufeff(<='),
    'capitals': TICK.upper(),
    'comments': '; first\n' + TICK.replace('\n', ' ; (role s)\n'),
    'comment before bare CR': '; a comment\r' + TICK.replace('\n', '\r'),
    'one line': TICK.replace('\n', ' '),
    'no blanks': '(role r)(<=(legal r go)(true(at 1)))',
    'parentheses around a name': TICK.replace(' go)', ' (go))'),
}


@pytest.mark.parametrize('text', WRITINGS.values(), ids=WRITINGS.keys())
def test_writing_makes_no_difference(text: str) -> None:
    assert game(text) == game(TICK)
    assert parse(Source(text)).diagnostics == ()


@pytest.mark.parametrize('end', ['\n', '\r\n', '\r'])
def test_places_count_every_line_end_once(end: str) -> None:
    source = Source(TICK.replace('\n', end))
    rule = build_game(parse(source)).rules[1]
    assert source.position(rule.span.start) == (2, 1)
    (atom,) = rule.body
    assert atom.span is not None
    assert source.position(atom.span.start) == (3, 5)


TERMS = [
    ('42', Number(42)),
    ('-3', Number(-3)),
    ('007', Symbol('007')),
    ('-0', Symbol('-0')),
    ('+1', Symbol('+1')),
    ('White', Symbol('white')),
    ('?X', Variable('x')),
    ('(f)', Symbol('f')),
    ('(f ?x (g 1))', Compound('f', (Variable('x'), Compound('g', (Number(1),))))),
    ('(1 2)', Compound('1', (Number(2),))),
    ('mark:?p', Typed(Symbol('mark'), Variable('p'))),
    ('[1,3]:2', Typed(Range(1, 3), Number(2))),
    ('[ -1 , 3 ]:?x', Typed(Range(-1, 3), Variable('x'))),
    ('[1,3]', Range(1, 3)),
    ('bid:-2', Typed(Symbol('bid'), Number(-2))),
    ('valid?', Symbol('valid?')),
]


@pytest.mark.parametrize(('text', 'term'), TERMS)
def test_term(text: str, term: Term) -> None:
    assert parse_term(text) == term


@pytest.mark.parametrize('text', ['', '(', ')', '()', 'a b', '(?x 1)', 'a:b:c', '?', 'a:'])
def test_text_that_is_not_one_term(text: str) -> None:
    with pytest.raises(ValueError, match=r'.'):
        parse_term(text)


# Text, column of the colon, what is read instead.
COLONS = [
    ('(f [a,2.5]:?x)', 11, '(f ?x)'),
    ('(f :a)', 4, '(f a)'),
    ('(f a:)', 5, '(f a)'),
    ('(f pl :?x)', 7, '(f ?x)'),
    ('(f pl : 3)', 7, '(f 3)'),
    ('(f pl: ?x)', 6, '(f ?x)'),
    ('(f pl:(g a))', 6, '(f (g a))'),
    ('(f pl::4)', 6, '(f 4)'),
    ('(f ?x:pl)', 6, '(f ?x)'),
    ('(f [1,3] :?x)', 10, '(f ?x)'),
    ('(f a:-b)', 5, '(f -b)'),
    ('(f: a)', 3, '(f a)'),
    ('(f :a', 4, '(f a)'),
]


@pytest.mark.parametrize(('text', 'column', 'meant'), COLONS)
def test_colon_that_makes_no_type(text: str, column: int, meant: str) -> None:
    source = Source(text)
    tree = parse(source)
    finding = next(found for found in tree.diagnostics if found.code == 'bad-annotation')
    assert source.position(finding.span.start) == (1, column)
    assert 'type:?variable' in finding.allowed
    assert 'type:value' in finding.allowed
    assert tree.forms == (parse_term(meant),)


def test_rule_without_body_is_a_fact() -> None:
    (rule,) = game('(<= (goal r 100))').rules
    assert rule == Rule(Compound('goal', (Symbol('r'), Number(100))))
    assert rule.is_arrow


# Text, place of the finding, a part of its message.
UNBALANCED = [
    ('(role r', (1, 1), "1 ')' missing"),
    ('(role r)\n(init (at 1)\n(init (at 2))', (2, 1), "1 ')' missing before the next form"),
    ('(role r)\n\n(<= (p ?x)\n  (q (r ?x)\n(<= (q ?x) (r ?x))', (3, 1), "2 ')' missing"),
    ('(role r))\n(init (at 1))', (1, 9), 'closes nothing'),
    (')(role r)', (1, 1), 'closes nothing'),
]


@pytest.mark.parametrize(('text', 'place', 'message'), UNBALANCED)
def test_unbalanced_parentheses(text: str, place: tuple[int, int], message: str) -> None:
    source = Source(text)
    tree = parse(source)
    (finding,) = tree.diagnostics
    assert finding.code == 'unbalanced'
    assert source.position(finding.span.start) == place
    assert message in finding.message
    assert tree.forms[0] == parse_term('(role r)') or place == (3, 1)


def test_forms_after_an_unclosed_one_are_read() -> None:
    tree = parse(Source('(role r\n(init (at 1))\n(<= terminal (true (at 1))\n(role s)'))
    assert len(tree.forms) == 4
    assert [finding.code for finding in tree.diagnostics] == ['unbalanced', 'unbalanced']


FLUSH = '(role r)\n(init (at 1))\n(<= (p ?x) (true (at ?x)))\n'
BODY_FLUSH = '(role r)\n(init (at 1))\n(<= (p ?x)\n(q ?x))\n'
# Text, forms that are read, a part of the first message.
UNCLOSED = {
    'fact': (FLUSH + '(init (at 2)\n(num 1)\n(num 2)\n(<= p q)', 7, 'on line 5'),
    'fact between two lines': (FLUSH + '(init\n  (at 2)\n(num 1)', 5, 'on line 6'),
    'condition': (FLUSH + '(<= (p ?y)\n(true (at ?y))\n(init (at 2))', 5, 'on line 6'),
    'bodies at the margin': (BODY_FLUSH + '(<= (p ?y)\n(q ?y)\n(init (at 2))', 5, 'on line 7'),
    'indented forms': (FLUSH.replace('(', ' (') + ' (init (at 2)\n(num 1)', 4, "1 ')' missing"),
    'bare CR': ((FLUSH + '(init (at 2)\n(num 1)').replace('\n', '\r'), 5, 'on line 5'),
}


@pytest.mark.parametrize(('text', 'count', 'message'), UNCLOSED.values(), ids=UNCLOSED.keys())
def test_unclosed_form_ends_where_the_layout_says(text: str, count: int, message: str) -> None:
    tree = parse(Source(text))
    assert len(tree.forms) == count
    assert message in tree.diagnostics[0].message


def test_deep_nesting_is_reported() -> None:
    tree = parse(Source('(role r)' + '(f ' * 5000 + 'x' + ')' * 5000))
    assert [finding.code for finding in tree.diagnostics][:1] == ['too-deep']
    assert tree.forms[0] == parse_term('(role r)')


def test_number_without_end_is_reported() -> None:
    tree = parse(Source('(at ' + '9' * 5000 + ')(at [1,' + '9' * 5000 + ']:?x)'))
    assert [finding.code for finding in tree.diagnostics] == ['number-size', 'number-size']


NAMES = st.sampled_from(['a', 'b', 'cell', 'f', 'g1', 'x-y', 'p+', '007', 'noop', 'role', 'go'])
SYMBOLS = st.builds(Symbol, NAMES)
NUMBERS = st.builds(Number, st.integers(-(10**20), 10**20))
VARIABLES = st.builds(Variable, st.sampled_from(['x', 'y', 'long_name', 'x1']))
RANGES = st.builds(lambda low, size: Range(low, low + size), st.integers(-9, 9), st.integers(0, 9))
TYPED = st.builds(Typed, SYMBOLS | RANGES, SYMBOLS | NUMBERS | VARIABLES)


def compounds(arguments: st.SearchStrategy[Term]) -> st.SearchStrategy[Compound]:
    return st.builds(
        lambda name, args: Compound(name, tuple(args)),
        NAMES,
        st.lists(arguments, min_size=1, max_size=4),
    )


TERM = st.recursive(SYMBOLS | NUMBERS | VARIABLES | TYPED, compounds, max_leaves=8)
RELATIONS = SYMBOLS | compounds(TERM)


def formulas(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    parts = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return (
        st.builds(Not, inner)
        | st.builds(And, parts)
        | st.builds(Or, parts)
        | st.builds(Count, TERM, parts)
    )


LITERALS = (
    st.builds(Atom, RELATIONS)
    | st.builds(Distinct, TERM, TERM)
    | st.builds(lambda a, b, c: Arithmetic('add', (a, b, c)), TERM, TERM, TERM)
    | st.builds(lambda a, b: Arithmetic('less', (a, b)), TERM, TERM)
)
BODIES = st.lists(st.recursive(LITERALS, formulas, max_leaves=5), max_size=4).map(tuple)
GAMES = st.lists(st.builds(Rule, RELATIONS, BODIES), max_size=6).map(lambda r: Game(tuple(r)))


@settings(max_examples=50, deadline=None)
@given(GAMES)
def test_text_of_a_game_parses_to_the_same_game(random_game: Game) -> None:
    text = str(random_game)
    assert parse(Source(text)).diagnostics == ()
    assert game(text) == random_game
    assert str(game(text)) == text


SOUP = st.lists(
    st.sampled_from(
        [
            *'()()()',
            *' \n\r\t;?:',
            '<=',
            '(<= ',
            '?x',
            'a',
            'mark:',
            '[1,3]',
            '[1,3]:',
            '[3,1]:?y',
            '12',
            '-',
            '\ufeff',
            *('role', 'init', 'true', 'next', 'legal', 'does', 'goal', 'terminal', 'sees'),
            *('not', 'or', 'and', 'distinct', 'count', 'add', 'less', 'random'),
            *('(type ', '(typecombine ', '(typemap '),
        ]
    ),
    max_size=60,
)


@settings(max_examples=300, deadline=None)
@given(SOUP, st.sampled_from(['', ' ']))
def test_check_never_raises_on_token_soup(words: list[str], glue: str) -> None:
    source = Source(glue.join(words))
    _, found = read_game(source)
    for finding in found:
        assert finding.render(source)
        assert finding.to_dict(source)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_check_never_raises_on_any_text(text: str) -> None:
    source = Source(text)
    for finding in read_game(source)[1]:
        assert finding.render(source)


@settings(max_examples=60, deadline=None)
@given(GAMES)
def test_check_never_raises_on_random_rules(random_game: Game) -> None:
    read_game(Source(str(random_game)))


@pytest.mark.parametrize(
    'path',
    sorted((*_ROOT.glob('games/*.gdl'), *_ROOT.glob('test/language/broken/*.gdl'))),
    ids=lambda path: path.stem,
)
def test_the_quick_way_agrees_with_the_grammar(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source.from_file(path)
    quick = parse(source)
    _leave_all_to_the_grammar(monkeypatch)
    by_grammar = parse(source)
    assert quick == by_grammar
    assert _spans(quick.forms) == _spans(by_grammar.forms)


def _leave_all_to_the_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('gdl_env.language.parser.parse_plain', lambda *_: None)
    cut = Stretches.of
    monkeypatch.setattr(
        Stretches, 'of', lambda source: replace(cut(source), places=[0], unbalanced=frozenset())
    )


def _spans(terms: Iterable[Term]) -> list[Span | None]:
    found = [inner for term in terms for inner in subterms(term)]
    return [inner.span for inner in found] + [
        inner.type.span for inner in found if isinstance(inner, Typed)
    ]


@pytest.mark.parametrize(
    'text',
    [
        '(a ?x) ; b\r(c -1 0 -0 007 +1 1\u0663)',
        '\ufeff(A\ufeffB)',
        'x (p) ()',
        '(a ?) (b',
        ') a',
        '',
        '(1 a) (-2)',
        '((a) b)',
        '(?x a)',
        '(a ;)\n)',
        f'(n {"9" * 1001})',
        '(' * 120 + 'a' + ')' * 120,
        '(a T:?X num:-3 num:0 t:007 t:1b a-b:C_d [1,3]:?y [-2,Size2]:?n [_a,05]:x [1,3]:-1)',
        '(type [1,3] ?x) [a,b] (p [-7,-7] [0,00])',
        *(f'(a {word} b)' for word in ('t:-b', 't:-0', 't:?', '[3,1]:?x', '[3,1]', '[1,3]x')),
        *(f'(a {word} b)' for word in ('[1,3]:[1,2]', 't:[1,2]', 'a:b:c', '3:?x', 't:?x:y', 't:')),
        *(f'(a {word} b)' for word in ('[1, 3]:?x', 't :?x', '[1,3]\ufeff', 't:x\ufeff', '[1,٣]')),
        *(f'(a {word} b)' for word in (':b', 't:a,b', 't,u:a', '[1,3]:', 't:?a]', '-:?x', 't:٣')),
        f'(a [1,{"9" * 1001}] t:{"9" * 999})',
        '(t:a b)',
        '([1,2] b)',
    ],
)
def test_the_quick_way_gives_up_where_it_must(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source(text)
    quick = parse(source)
    _leave_all_to_the_grammar(monkeypatch)
    by_grammar = parse(source)
    assert quick == by_grammar
    assert _spans(quick.forms) == _spans(by_grammar.forms)
