"""One tiny rule file per language rule: `broken/*.gdl` says what must be found, and where."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from gdl_env.language.diagnostics import Diagnostic, Severity, has_errors
from gdl_env.language.load import build_game, read_game
from gdl_env.language.parser import parse
from gdl_env.language.source import Source

_BROKEN = Path(__file__).parent / 'broken'
_EXPECT = re.compile(r'^; expect: (\w+)\[([\w-]+)\] (\d+):(\d+)$', re.MULTILINE)

GAME = """
(role r)
(init (at 1))
(<= (legal r go) (true (at 1)))
(<= (next (at 2)) (does r go))
(<= terminal (true (at 2)))
(goal r 100)
"""

TYPED = """
(role x)
(role o)
(type player x)
(type player o)
(type empty b)
(typecombine content player empty)
(init (cell 1 b))
(init (control player:x))
"""


def find(text: str) -> tuple[Diagnostic, ...]:
    return read_game(Source(text))[1]


def codes(text: str) -> list[str]:
    return [finding.code for finding in find(text)]


@pytest.mark.parametrize('path', sorted(_BROKEN.glob('*.gdl')), ids=lambda path: path.stem)
def test_broken_file_gives_exactly_the_expected_findings(path: Path) -> None:
    source = Source.from_file(path)
    expected = [
        (severity, code, int(line), int(column))
        for severity, code, line, column in _EXPECT.findall(source.text)
    ]
    assert expected, 'the file says nothing of what is expected'
    found = [
        (finding.severity.value, finding.code, *source.position(finding.span.start))
        for finding in read_game(source)[1]
    ]
    assert found == expected


@pytest.mark.parametrize('path', sorted(_BROKEN.glob('*.gdl')), ids=lambda path: path.stem)
def test_every_finding_says_what_is_allowed(path: Path) -> None:
    source = Source.from_file(path)
    for finding in read_game(source)[1]:
        assert finding.allowed
        assert finding.message
        assert finding.code in finding.render(source)
        assert finding.to_dict(source)['line'] == source.position(finding.span.start)[0]


def test_well_formed_game_gives_no_finding() -> None:
    assert find(GAME) == ()


# Rules that look wrong at first sight.
FINE = {
    'goal negates goal': '(<= (goal r 0) (not (goal r 100)))',
    'negation by another constant': """
        (<= (p a) (true (at 1)))
        (<= (p b) (not (p a)))
        (<= (p c) (not (p b)))
        (<= terminal (p c))""",
    'recursion over finite terms': """
        (step 1 2) (step 2 3)
        (<= (path ?x ?y) (step ?x ?y))
        (<= (path ?x ?z) (path ?x ?y) (step ?y ?z))
        (<= terminal (path 1 3))""",
    'recursion with functions that GDL allows': """
        (p 0 0) (q 0)
        (<= (p ?a (f ?a)) (p ?b ?a) (q ?b))
        (<= terminal (p 0 (f 0)))""",
    'recursion with a bound on the number': """
        (n 0)
        (<= (n ?y) (n ?x) (less ?x 9) (add ?x 1 ?y))
        (<= terminal (n 9))""",
    'recursion with a bound on the new number': """
        (n 0)
        (<= (n ?y) (n ?x) (add ?x 1 ?y) (less ?y 9))
        (<= terminal (n 9))""",
    'recursion with a negated bound': """
        (n 0)
        (<= (n ?z) (n ?x) (add ?x 1 ?y) (add ?y 1 ?z) (not (greater ?z 9)))
        (<= terminal (n 9))""",
    'negated count of local variables': '(p 1) (<= (next (at 3)) (not (count 0 (p ?x))))',
    'negated count of a known number': '(<= terminal (true (at ?x)) (not (count ?x (role ?y))))',
    'the same unknown twice, known by another': '(p 1) (<= terminal (add ?x ?x 2) (p ?x))',
    'literals in any order': '(<= (next (at ?y)) (less ?x ?y) (add ?x 1 ?y) (true (at ?x)))',
    'arithmetic backwards': '(<= (next (at ?x)) (true (at ?y)) (add ?x 1 ?y))',
    'count of local variables': '(<= (next (at ?n)) (count ?n (true (at ?x)) (distinct ?x 2)))',
    'both parts of or bind': '(<= (next (at ?x)) (or (true (at ?x)) (and (p ?x) terminal))) (p 1)',
    'a range as a type in a game without annotations': '(<= (next (at ?n)) (type [1,3] ?n))',
    'noop': '(<= (legal r noop) (true (at 1)))',
    'random role': '(role random) (<= (legal random (roll 1)) (true (at 1)))',
    'weighted chance': """
        (random dice 1 1) (random dice 2 6)
        (<= (legal r (roll dice)) (true (at 1)))
        (<= (next (at ?n)) (does r (roll ?n)))""",
    'weights by state': """
        (<= (random card 0 ?c) (true (at ?c)))
        (<= (random card 1 3) (not (true (at 3))))
        (<= (legal r (draw card)) (true (at 1)))""",
    'keyword as constant that may be redefined': '(init (at add)) (init (at type))',
    'sees as a head': '(<= (sees r ?x) (true (at ?x)) (does r go))',
    'sees in the state': '(init (sees r (at 1))) (<= (next (sees r ?f)) (true (sees r ?f)))',
    'base and input': '(base (at 1)) (<= (input ?r go) (role ?r))',
    'plain facts named type': '(type a b) (<= (next (at ?x)) (type a ?x))',
}


@pytest.mark.parametrize('rules', FINE.values(), ids=FINE.keys())
def test_fine_rules_give_no_finding(rules: str) -> None:
    assert find(GAME + rules) == ()


FAULTY_ADVICE = {
    'base depends on the state': '(<= (base (at ?x)) (true (at ?x)))',
    'input depends on the state': '(<= (input ?r ?m) (legal ?r ?m))',
    'variable under a negation only': '(p 1) (<= (base (at ?x)) (not (p ?x)))',
    'endless': '(base (at 1)) (<= (base (at (s ?x))) (base (at ?x)))',
    'asks for itself under a negation': '(<= (base (at ?x)) (p ?x) (not (base (at ?x)))) (p 1)',
    'holds for anything': '(base ?x)',
}


@pytest.mark.parametrize('rules', FAULTY_ADVICE.values(), ids=FAULTY_ADVICE.keys())
def test_descriptions_that_nobody_asks_for_do_not_stop_a_game(rules: str) -> None:
    """Public games carry rules for `base` and `input` that nobody ever evaluated."""
    game, findings = read_game(Source(GAME + rules, 'a game'))
    assert {finding.severity for finding in findings} == {Severity.WARNING}
    assert len(game.rules) < len(build_game(parse(Source(GAME + rules, 'a game'))).rules)
    # Asked for in play, they are relations like any other.
    asked = GAME + rules + '(<= (legal r go) (base (at 1)) (input r go))'
    _, findings = read_game(Source(asked, 'a game'))
    assert Severity.ERROR in {finding.severity for finding in findings}


FINE_TYPED = {
    'annotation in the body': '(<= (next (control ?p)) (true (control player:?p)))',
    'annotated values': '(init (cell [1,3]:2 content:b)) (init (cell 3 content:x))',
    'combined type': '(<= (next (cell [1,3]:?n content:?c)) (true (cell ?n ?c)))',
    'combined before its parts': '(typecombine all few more) (type few 1) (type more 2)',
    'combined with a range': '(typecombine size [1,3] empty) (init (cell size:2 b))',
    'number in type and range': '(type bid 2) (init (cell [1,3]:2 b)) (init (cell bid:2 b))',
    'negative numbers': '(type bid -2) (init (cell [-3,1]:-2 b)) (init (cell bid:-2 b))',
    'role of legal': '(<= (legal ?p (put [1,3]:?n)) (role ?p) (true (cell ?n b)))',
    'role of sees': '(<= (init (sees ?p (cell 1 b))) (role ?p))',
    'typemap in the state': """
        (<= (typemap size small ?n) (less ?n 5))
        (<= (typemap size large ?n) (greater ?n 4))
        (<= (next (cell size:?m b)) (true (cell ?n b)) (add ?n 1 ?m))""",
    'typemap of several rules': """
        (<= (typemap size odd 1))
        (<= (typemap size odd 3))
        (init (cell size:1 b))""",
    'values of a type': '(<= (next (cell [1,3]:?n b)) (type [1,3] ?n) (type player ?p))',
}


@pytest.mark.parametrize('rules', FINE_TYPED.values(), ids=FINE_TYPED.keys())
def test_fine_types_give_no_error(rules: str) -> None:
    errors = [d for d in find(TYPED + rules) if d.severity is Severity.ERROR]
    assert {d.code for d in errors} <= {'missing-relation'}


def test_all_problems_come_in_one_run_in_the_order_of_the_text() -> None:
    found = find(
        GAME + '(<= (next (at ?x)) (distinct ?y 1) (p 1))\n(true (at 1))\n(p 1))\n(init (q))\n'
    )
    assert [d.code for d in found] == [
        'unbalanced',
        'unsafe-head',
        'unsafe-distinct',
        'keyword-place',
        'bare-parentheses',
    ]


def test_negation_of_a_fact_is_read_as_no_such_fact() -> None:
    assert codes(GAME + '(<= (next (at 9)) (not (true (at ?x))))') == ['open-negation']
    assert codes(GAME + '(p 1) (<= (next (at 9)) (not (p ?x)))') == ['open-negation']
    # The same variable in the head has to get a value.
    assert codes(GAME + '(<= (next (at ?x)) (not (true (at ?x))))') == ['unsafe-not']
    assert codes(GAME + '(<= (next (at 9)) (not (true (at ?x))) (not (does r ?x)))') == [
        'unsafe-not',
        'unsafe-not',
    ]


def test_rule_that_never_holds_is_only_warned_of() -> None:
    found = find(GAME + '(<= (next (at ?x)) fail)')
    assert {d.code for d in found} == {'unsafe-head', 'undefined'}
    assert not has_errors(found)


# Rules, the code of the finding, the name that is suggested.
SUGGESTED = [
    ('(<= (next (at 3)) (terminel r))', 'undefined', 'terminal'),
    ('(num 1) (<= (next (at 3)) (num 1) (nun 1))', 'undefined', 'num'),
    ('(num 1) (<= (next (at 3)) (num 1) (nmu 1))', 'undefined', 'num'),
    ('(num 1) (<= (next (at 3)) (num 1) (numb 1))', 'undefined', 'num'),
    ('(<= trminal (true (at 1)))', 'unused', 'terminal'),
    ('(<= (gaol r 50) (true (at 1)))', 'unused', 'goal'),
    ('(num 1) (<= (next (at 3)) (nun 1))', 'unused', 'nun'),
]


@pytest.mark.parametrize(('rules', 'code', 'name'), SUGGESTED)
def test_close_name_is_suggested(rules: str, code: str, name: str) -> None:
    (finding,) = (finding for finding in find(GAME + rules) if finding.code == code)
    assert f"did you mean '{name}'?" in finding.message


@pytest.mark.parametrize('name', ['xyz', 'nxx', 'nu', 'mun'])
def test_no_name_is_suggested_that_is_not_close(name: str) -> None:
    found = find(f'{GAME}(num 1) (<= (next (at 3)) (num 1) ({name} 1))')
    assert ['did you mean' in finding.message for finding in found] == [name == 'nu']


def test_comparison_of_two_growing_numbers_is_no_bound() -> None:
    rules = '(n 0) (<= (n ?y) (n ?x) (add ?x 1 ?y) (less ?x ?y)) (<= terminal (n 9))'
    assert codes(GAME + rules) == ['unbounded-recursion']


def test_way_of_a_forbidden_dependency_is_named() -> None:
    (finding,) = find(GAME + '(<= terminal p) (<= p (not q)) (<= q (does r go))')
    assert "through 'p', then 'q'" in finding.message
    assert len(finding.related) == 1


def test_deep_cycles_do_not_exhaust_the_stack() -> None:
    rules = ''.join(f'(<= p{n} p{n + 1})\n' for n in range(5000))
    assert not has_errors(find(f'{GAME}{rules}(<= p5000 p0)\n(<= terminal p0)'))


def apply(finding: Diagnostic, text: str) -> str:
    """Return a text after the changes that a finding proposes."""
    for span, new in sorted(finding.edits, key=lambda edit: -edit[0].start):
        text = text[: span.start] + new + text[span.end :]
    return text


@pytest.mark.parametrize('path', sorted(_BROKEN.glob('*.gdl')), ids=lambda path: path.stem)
def test_proposed_changes_mend_what_was_found(path: Path) -> None:
    source = Source.from_file(path)
    found = read_game(source)[1]
    for finding in found:
        if finding.edits:
            after = [f.message for f in find(apply(finding, source.text))]
            # The same may be wrong at another place, too.
            assert after.count(finding.message) < [f.message for f in found].count(finding.message)


MENDED = {
    'did you mean': ('(<= (p ?x) (tru (at ?x)))', '(<= (p ?x) (true (at ?x)))'),
    'all places': (
        '(<= (p ?x) (tru (at ?x)))\n(<= (q ?x) (tru (at ?x)))',
        '(<= (p ?x) (true (at ?x)))\n(<= (q ?x) (true (at ?x)))',
    ),
    'a missing parenthesis': ('(<= (p ?x)\n    (true (at ?x)', '(<= (p ?x)\n    (true (at ?x)))'),
    'one before a comment': (
        '(<= (p ?x)\n    (true (at ?x)) ; why\n',
        '(<= (p ?x)\n    (true (at ?x))) ; why\n',
    ),
    'a rule in a rule': (
        '(<= (p ?x) (true (at ?x))\n(<= (q ?x) (true (at ?x))))',
        '(<= (p ?x) (true (at ?x)))\n(<= (q ?x) (true (at ?x))))',
    ),
    'a surplus one': ('(p 1))', '(p 1)'),
    'no condition': ('(<= (p 1))', '(p 1)'),
    'parentheses': ('(<= (p ?x) (true (at ?x)) (terminal))', None),
    'a range': ('(<= (p [3,1]:?x) (true (at ?x)))', '(<= (p [1,3]:?x) (true (at ?x)))'),
    'the type of a place elsewhere': (
        '(<= (next (won [0, 9]:?x)) (true (at ?x)))\n(<= (next (won ?y)) (true (at ?y)))',
        '(<= (next (won [0, 9]:?x)) (true (at ?x)))\n(<= (next (won [0, 9]:?y)) (true (at ?y)))',
    ),
    'capitals': ('(p Red)\n(p red)\n(q red)', '(p red)\n(p red)\n(q red)'),
}


@pytest.mark.parametrize('name', MENDED)
def test_proposed_changes(name: str) -> None:
    wrong, right = MENDED[name]
    right = right or wrong.replace('(terminal)', 'terminal')
    proposals = [apply(finding, wrong + GAME) for finding in find(wrong + GAME) if finding.edits]
    assert right + GAME in proposals
