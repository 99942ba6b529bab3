"""The checker against real games: what is playable passes, what is malformed does not.

Needs the corpus of games beside the repository, or where GDL_CORPUS says.
"""

from __future__ import annotations

import csv
from functools import cache
import os
from pathlib import Path

import pytest

from gdl_env.language.diagnostics import Diagnostic, Severity
from gdl_env.language.load import read_game
from gdl_env.language.source import Source

_ROOT = Path(__file__).resolve().parents[2]
_CORPUS = Path(os.environ.get('GDL_CORPUS') or _ROOT.parent / 'shared' / 'gdl-corpus')
_SAMPLE = 8

pytestmark = pytest.mark.skipif(
    not (_CORPUS / 'INDEX.tsv').is_file(), reason=f'no corpus of games at {_CORPUS}'
)


@cache
def _index() -> tuple[dict[str, str], ...]:
    path = _CORPUS / 'INDEX.tsv'
    if not path.is_file():
        return ()
    with path.open(encoding='utf-8', newline='') as file:
        return tuple(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))


def _playable() -> list[str]:
    """Return the games that a reasoner could play: a rule gave no move only in a broken one."""
    rows = (row for row in _index() if row['legal0'] and '!nolegal' not in row['perft'])
    return [row['file'] for row in rows]


def _check(file: str) -> tuple[Source, tuple[Diagnostic, ...]]:
    source = Source.from_file(_CORPUS / file)
    return source, read_game(source)[1]


def _errors(file: str) -> list[str]:
    source, found = _check(file)
    return [
        f'{finding.code} {source.position(finding.span.start)}: {finding.message[:80]}'
        for finding in found
        if finding.severity is Severity.ERROR
    ]


@pytest.mark.parametrize('file', _playable()[::_SAMPLE])
def test_playable_game_has_no_error(file: str) -> None:
    assert _errors(file) == []


@pytest.mark.slow
def test_every_playable_game_has_no_error() -> None:
    found = {file: errors for file in _playable() if (errors := _errors(file))}
    assert found == {}


@pytest.mark.slow
def test_check_never_raises_on_any_file() -> None:
    with_errors = [row['file'] for row in _index() if _errors(row['file'])]
    # Other dialects and plain mistakes; more of them would mean that the checker became strict.
    assert len(with_errors) <= 40


# What validators of other projects say of these games.
VERDICTS = [
    ('connectFour', None, ''),
    ('simpleMutex', None, ''),
    ('ticTacToe', None, ''),
    ('test_case_1a', Severity.WARNING, 'empty-body'),
    ('test_case_1b', None, ''),
    ('test_case_2a', None, ''),
    ('test_case_2b', None, ''),
    ('test_case_2c', None, ''),
    ('test_case_3a', Severity.NOTE, 'bare-parentheses'),
    ('test_case_3b', Severity.ERROR, 'unsafe-head'),
    ('test_case_3c', None, ''),
    ('test_case_3d', None, ''),
    ('test_case_3e', Severity.ERROR, 'unsafe-head'),
    ('test_case_3f', Severity.ERROR, 'unsafe-not'),
    ('test_case_4a', None, ''),
    ('test_case_5a', None, ''),
    ('test_case_5b', None, ''),
    ('test_case_5c', None, ''),
    ('test_case_5d', None, ''),
    ('test_case_5e', None, ''),
    # Others say error; it can be played, and we say what is not portable.
    ('test_clean_not_distinct', Severity.WARNING, 'nested-not'),
    ('test_invalid_function_arities_differ', Severity.WARNING, 'arity-conflict'),
    ('test_invalid_sentence_arities_differ', Severity.WARNING, 'arity-conflict'),
    ('unstratrec', Severity.ERROR, 'unstratified'),
]


@pytest.mark.parametrize(('name', 'severity', 'code'), VERDICTS)
def test_verdict_of_other_validators(name: str, severity: Severity | None, code: str) -> None:
    files = [
        row['file']
        for row in _index()
        if row['file'].startswith(f'games/{name}-')
        and ('ggp-org/ggp-base' in row['source'] or 'libgdl' in row['source'])
    ]
    if not files:
        pytest.skip(f'the corpus has no {name}')
    for file in files:
        _, found = _check(file)
        if severity is not Severity.ERROR:
            assert not [f.message for f in found if f.severity is Severity.ERROR]
        if severity is not None:
            assert (severity, code) in {(f.severity, f.code) for f in found}


# For each malformed file the finding that must be there, and its line.
MALFORMED = [
    ('data_argument_test_hash_test1.kif', 'missing-relation', 1),
    ('data_flattener_tests_recurse.kif', 'missing-relation', 1),
    ('data_parser_tests_ds_test.kif', 'missing-relation', 1),
    ('data_parser_tests_headsafe.kif', 'unsafe-head', 5),
    ('data_parser_tests_init_depen.kif', 'depends-on-does', 5),
    ('data_parser_tests_init_depen.kif', 'depends-on-true', 5),
    ('data_parser_tests_legal_depen.kif', 'depends-on-does', 5),
    ('data_parser_tests_mgu_check.kif', 'missing-relation', 1),
    ('data_parser_tests_ndef_goal.kif', 'missing-relation', 1),
    ('data_parser_tests_ndef_legal.kif', 'missing-relation', 1),
    ('data_parser_tests_ndef_terminal.kif', 'missing-relation', 1),
    ('data_parser_tests_notunstrat.kif', 'unstratified', 5),
    ('data_parser_tests_opt1.kif', 'missing-relation', 1),
    ('data_parser_tests_recurseunstrat.kif', 'unbounded-recursion', 6),
    ('data_parser_tests_recurseunstrat.kif', 'unbounded-recursion', 8),
    ('data_parser_tests_recurseunstrat.kif', 'unbounded-recursion', 11),
    ('data_parser_tests_variable_parsing.kif', 'missing-relation', 1),
    ('data_questions_question1.kif', 'missing-relation', 1),
    ('data_questions_question2.kif', 'missing-relation', 1),
    ('examples_gdl_kif_expr.kif', 'keyword-place', 42),
    ('gamecontroller_lib_BenderNG_testdata_mazemoves.kif', 'keyword-place', 1),
    ('gamecontroller_lib_BenderNG_testdata_mazestate.kif', 'keyword-place', 1),
    ('gamecontroller_lib_BenderNG_testdata_moves1.kif', 'keyword-place', 1),
    ('gamecontroller_lib_BenderNG_testdata_moves2.kif', 'keyword-place', 1),
    ('gamecontroller_lib_BenderNG_testdata_outputs_output1.kif', 'list-head', 8),
    ('gamecontroller_lib_BenderNG_testdata_outputs_output3.kif', 'list-head', 6),
    ('gamecontroller_lib_BenderNG_testdata_state1.kif', 'keyword-place', 6),
    ('games_rules_ticTacToe2.kif', 'unbalanced', 65),
    ('games_rules_ticTacToe2.kif', 'unbalanced', 77),
    ('lib_BenderNG_testdata_mazemoves.kif', 'keyword-place', 1),
    ('lib_BenderNG_testdata_mazestate.kif', 'keyword-place', 1),
    ('lib_BenderNG_testdata_moves1.kif', 'keyword-place', 1),
    ('lib_BenderNG_testdata_moves2.kif', 'keyword-place', 1),
    ('lib_BenderNG_testdata_outputs_output1.kif', 'list-head', 8),
    ('lib_BenderNG_testdata_outputs_output3.kif', 'list-head', 6),
    ('lib_BenderNG_testdata_state1.kif', 'keyword-place', 6),
    ('resources_nim_recursive2.gdl', 'missing-relation', 1),
    ('rulesheets_gdl_ticTacToe2.kif', 'unbalanced', 65),
    ('rulesheets_gdl_ticTacToe2.kif', 'unbalanced', 77),
    ('samples_test.kif', 'keyword-place', 41),
]


@pytest.mark.parametrize(('name', 'code', 'line'), MALFORMED)
def test_malformed_file_gives_its_error_at_its_place(name: str, code: str, line: int) -> None:
    source, found = _check(f'malformed/{name}')
    errors = {
        (finding.code, source.position(finding.span.start)[0])
        for finding in found
        if finding.severity is Severity.ERROR
    }
    assert (code, line) in errors


def test_a_description_that_nobody_asks_for_is_a_warning_only() -> None:
    source, found = _check('malformed/data_parser_tests_base_depen.kif')
    warned = {
        (finding.code, source.position(finding.span.start)[0])
        for finding in found
        if finding.severity is Severity.WARNING
    }
    assert {('depends-on-does', 5), ('depends-on-true', 5)} <= warned


def test_a_negation_with_a_variable_of_its_own_is_a_warning_only() -> None:
    _, found = _check('malformed/data_parser_tests_notsafe.kif')
    assert (Severity.WARNING, 'open-negation') in {(f.severity, f.code) for f in found}
    assert not [f for f in found if f.severity is Severity.ERROR]


def test_two_arities_are_a_warning_only() -> None:
    source, found = _check('malformed/data_parser_tests_mularity.kif')
    (conflict,) = (finding for finding in found if finding.code == 'arity-conflict')
    assert source.position(conflict.span.start)[0] == 6
    assert not any(finding.severity is Severity.ERROR for finding in found)


def test_table_knows_every_malformed_file() -> None:
    names = {path.name for path in (_CORPUS / 'malformed').iterdir()}
    assert names - {name for name, _, _ in MALFORMED} == {
        'data_parser_tests_base_depen.kif',
        'data_parser_tests_mularity.kif',
        'data_parser_tests_notsafe.kif',
    }
