"""Arithmetic relations against Python's, with each argument unknown in turn."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from gdl_env.engine.prolog.transpile import transpile
from gdl_env.language.load import game_from_text

pytestmark = pytest.mark.prolog

GAME = '(role me) (legal me noop) (goal me 50) (<= terminal (true end)) (init a) (next a)'


class Prolog:
    """Plain swipl with the runtime of a generated program; one goal a line."""

    def __init__(self, folder: str) -> None:
        path = f'{folder}/game.pl'
        text = transpile(game_from_text(GAME)).replace(':- initialization(main, main).', '')
        Path(path).write_text(text + LOOP, 'utf-8')
        self._process = subprocess.Popen(
            ['swipl', '-q', '-g', 'questions', path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, relation: str, *args: int | None) -> str | set[int]:
        """Return the values of the unknown, {0} or {} for a test, or the name of an error."""
        assert self._process.stdin is not None and self._process.stdout is not None
        words = ','.join('X' if arg is None else str(arg) for arg in args)
        self._process.stdin.write(f'q(X, {relation}({words})).\n')
        self._process.stdin.flush()
        answer = self._process.stdout.readline().strip()
        if answer.startswith('error'):
            return answer.split()[1]
        return {int(value) for value in answer.split()}

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


LOOP = """
questions :-
    read(Q),
    (   Q == end_of_file -> halt
    ;   Q = q(X, Goal),
        catch(( findall(V, (Goal, (var(X) -> V = 0 ; V = X)), L), sort(L, S),
                atomic_list_concat(S, ' ', Text) ),
              error(gdl(E), _), ( functor(E, Name, _), atom_concat('error ', Name, Text) )),
        writeln(Text), flush_output, questions
    ).
"""


@pytest.fixture(scope='module')
def prolog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prolog]:
    engine = Prolog(str(tmp_path_factory.mktemp('arithmetic')))
    yield engine
    engine.close()


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def holds(relation: str, a: int, b: int, c: int) -> bool:
    if relation == 'add':
        return a + b == c
    if relation == 'sub':
        return a - b == c
    if relation == 'mult':
        return a * b == c
    if b == 0:
        return False
    return (truncated(a, b) if relation == 'div' else a % b) == c


RELATIONS = ('add', 'sub', 'mult', 'div', 'mod')
BIG = st.integers(-(10**40), 10**40)


@pytest.mark.parametrize('relation', RELATIONS)
@given(a=BIG, b=BIG)
@settings(max_examples=60, deadline=None)
def test_third_argument(prolog: Prolog, relation: str, a: int, b: int) -> None:
    if relation in {'div', 'mod'} and b == 0:
        expected: set[int] = set()
    else:
        c = {
            'add': lambda: a + b,
            'sub': lambda: a - b,
            'mult': lambda: a * b,
            'div': lambda: truncated(a, b),
            'mod': lambda: a % b,
        }[relation]()
        expected = {c}
        assert prolog.ask(relation, a, b, c) == {0}
        assert prolog.ask(relation, a, b, c + 1) == set()
    assert prolog.ask(relation, a, b, None) == expected


@pytest.mark.parametrize('relation', RELATIONS)
@pytest.mark.parametrize('unknown', [0, 1])
def test_every_small_case(prolog: Prolog, relation: str, unknown: int) -> None:
    """All answers within ±200 are found, and an infinite set of answers is an error."""
    for known in product(range(-4, 5), repeat=2):
        args: list[int | None] = list(known)
        args.insert(unknown, None)
        wide = [v for v in range(-200, 201) if holds(relation, *_filled(args, v))]
        got = prolog.ask(relation, *args)
        if len(wide) > 50:
            assert got == 'infinitely_many', (relation, args)
        else:
            assert got == set(wide), (relation, args)


def _filled(args: list[int | None], value: int) -> tuple[int, int, int]:
    a, b, c = (value if arg is None else arg for arg in args)
    return a, b, c


def test_comparisons(prolog: Prolog) -> None:
    assert prolog.ask('less', 1, 2) == {0}
    assert prolog.ask('less', 2, 2) == set()
    assert prolog.ask('greater', 10**30, -(10**30)) == {0}
    assert prolog.ask('greater', None, 1) == 'unbound'


def test_two_unknowns_are_an_error(prolog: Prolog) -> None:
    assert prolog.ask('add', None, None, 3) == 'unbound'
