"""Two engines compared: agreement, and errors that are planted to be found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
import json
from pathlib import Path

import pytest

from gdl_env.engine.contract import Engine, Move, Moves, Outcome, Role, State
from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.engine.recordings.recording import to_lines
from gdl_env.engine.recordings.replay import replay
from gdl_env.engine.registry import open_engine
from gdl_env.engine.verification import survey as survey_module
from gdl_env.engine.verification.comparison import Comparison, Disagreement, EngineQuery
from gdl_env.engine.verification.counterexample import describe, to_counterexample
from gdl_env.engine.verification.shrinking import shrink
from gdl_env.engine.verification.survey import SurveyStatus, SurveyTask, survey, verify_game
from gdl_env.engine.verification.verify import verify
from gdl_env.errors import EngineLimitError, EngineUnavailableError, RuleError
from gdl_env.language.library import rule_files
from gdl_env.language.load import load_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Number, Symbol, Term

pytestmark = pytest.mark.prolog

ROOT = Path(__file__).resolve().parents[3]
GAMES = rule_files(ROOT / 'games')
X = Symbol('x')
CENTRE = read_term('(cell 2 2 x)')


class Wrong(Engine):
    """An engine that asks another one, until a test replaces an answer."""

    name = 'wrong'

    def __init__(self, right: Engine) -> None:
        super().__init__(right.game)
        self.right = right

    @property
    def roles(self) -> tuple[Role, ...]:
        return self.right.roles

    @property
    def initial_state(self) -> State:
        return self.right.initial_state

    def is_terminal(self, state: State) -> bool:
        return self.right.is_terminal(state)

    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        return self.right.legal_moves(state)

    def goals(self, state: State) -> Mapping[Role, int | None]:
        return self.right.goals(state)

    def next_state(self, state: State, moves: Moves) -> State:
        return self.right.next_state(state, moves)

    def percepts(self, state: State, moves: Moves) -> Mapping[Role, frozenset[Term]]:
        return self.right.percepts(state, moves)

    def experiments(self, state: State) -> Mapping[str, tuple[Outcome, ...]]:
        return self.right.experiments(state)

    def close(self) -> None:
        self.right.close()


class WrongRoles(Wrong):
    @property
    def roles(self) -> tuple[Role, ...]:
        return self.right.roles[::-1]


class WrongInitial(Wrong):
    @property
    def initial_state(self) -> State:
        return self.right.initial_state | {Symbol('more')}


class WrongTerminal(Wrong):
    """Over as soon as x has the centre."""

    def is_terminal(self, state: State) -> bool:
        return CENTRE in state or self.right.is_terminal(state)


class WrongGoals(Wrong):
    """A win of x counts less."""

    def goals(self, state: State) -> Mapping[Role, int | None]:
        goals = self.right.goals(state)
        return {role: 99 if goal == 100 and role == X else goal for role, goal in goals.items()}


class WrongMissingMove(Wrong):
    """The last move is not legal once x has the centre."""

    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        legal = self.right.legal_moves(state)
        return {r: m[:-1] if CENTRE in state else m for r, m in legal.items()}


class WrongMoreMoves(Wrong):
    """The same move again, once x has the centre."""

    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        legal = self.right.legal_moves(state)
        more = read_term('(mark 2 2)')
        if CENTRE not in state:
            return legal
        return {r: (*m, more) if m and more not in m else m for r, m in legal.items()}


class WrongOrder(Wrong):
    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        return {role: moves[::-1] for role, moves in self.right.legal_moves(state).items()}


class WrongNext(Wrong):
    """Forgets whose turn it is when x takes the centre."""

    def next_state(self, state: State, moves: Moves) -> State:
        after = self.right.next_state(state, moves)
        if CENTRE in after and CENTRE not in state:
            return frozenset(fact for fact in after if not str(fact).startswith('(control'))
        return after


class WrongAnswer(Wrong):
    """Cannot say what anybody gets, once x has the centre."""

    def goals(self, state: State) -> Mapping[Role, int | None]:
        if CENTRE in state:
            raise RuleError('no idea')
        return self.right.goals(state)


@pytest.fixture(scope='module')
def tictactoe() -> Iterator[Engine]:
    with open_engine(load_game(ROOT / 'games' / 'tictactoe.gdl'), 'prolog') as engine:
        yield engine


@pytest.mark.parametrize('path', GAMES, ids=lambda path: path.stem)
def test_engines_agree(path: Path) -> None:
    task = SurveyTask('auto', 'prolog', states=60, seed=1, seconds=5.0, time_limit=30.0)
    result = verify_game(path, task)
    # Large games get as far as the time goes. A game may run on the reference alone; then it is
    # said why.
    assert result.status in {SurveyStatus.AGREE, SurveyStatus.ALONE, SurveyStatus.CUT}, (
        result.remark
    )
    assert result.states >= 5 or result.passed_over


# The error, what is found, the steps of the shortest way to it, and of its recording.
PLANTED: list[tuple[type[Wrong], EngineQuery, int, int]] = [
    (WrongRoles, EngineQuery.ROLES, 0, 0),
    (WrongInitial, EngineQuery.INITIAL, 0, 0),
    (WrongTerminal, EngineQuery.TERMINAL, 1, 1),
    (WrongGoals, EngineQuery.GOALS, 5, 5),
    (WrongMissingMove, EngineQuery.LEGAL, 1, 2),
    (WrongMoreMoves, EngineQuery.LEGAL, 1, 2),
    (WrongNext, EngineQuery.NEXT, 1, 1),
    (WrongAnswer, EngineQuery.GOALS, 1, 1),
]


@pytest.mark.parametrize(
    ('wrong', 'question', 'length', 'recorded'), PLANTED, ids=lambda v: getattr(v, '__name__', '')
)
def test_planted_error(
    tictactoe: Engine,
    tmp_path: Path,
    wrong: type[Wrong],
    question: EngineQuery,
    length: int,
    recorded: int,
) -> None:
    engine = wrong(tictactoe)
    found = verify(engine, tictactoe, states=2_000, seed=1).disagreement
    assert found is not None
    assert found.difference.question is question
    assert len(found.steps) == length
    assert found.is_shortest
    comparison = Comparison(engine, tictactoe)
    assert question.value in describe(comparison, found)

    shown = to_counterexample(comparison, found)
    path = tmp_path / 'wrong.jsonl'
    path.write_text(''.join(f'{line}\n' for line in to_lines(shown.recording)), 'utf-8')
    (recording,) = read_recordings(path)
    assert recording == replace(shown.recording, place=recording.place)
    assert len(recording.steps) == recorded
    assert replay(shown.teller, recording) is None
    if wrong is WrongAnswer:
        with pytest.raises(RuleError):
            replay(shown.other, recording)
    else:
        deviation = replay(shown.other, recording)
        assert deviation is not None
        assert deviation.step == recorded


def test_an_order_that_is_wrong_is_found_but_no_recording_shows_it(tictactoe: Engine) -> None:
    engine = WrongOrder(tictactoe)
    found = verify(engine, tictactoe, states=10, seed=1).disagreement
    assert found is not None
    assert found.steps == ()
    assert found.difference.only_first == ('the moves of x are not sorted',)
    assert not to_counterexample(Comparison(engine, tictactoe), found).is_shown


def test_without_effort_a_long_way_stays_and_with_some_it_gets_shorter(tictactoe: Engine) -> None:
    comparison = Comparison(WrongGoals(tictactoe), tictactoe)
    # Neither the centre nor the answer to it matters.
    moves = ['11', '12', '21', '13', '22', '23', '31']
    steps = tuple(
        {Symbol('xo'[number % 2]): read_term(f'(mark {move[0]} {move[1]})')}
        for number, move in enumerate(moves)
    )
    state = tictactoe.initial_state
    for step in steps:
        state = tictactoe.next_state(state, step)
    difference = comparison.compare_state(state)
    assert difference is not None
    found = Disagreement(steps, difference)
    assert shrink(comparison, found, comparisons=4) == found
    shorter = shrink(comparison, found, comparisons=600)
    assert len(shorter.steps) == 5
    assert not shorter.is_shortest


def test_probabilities_are_compared() -> None:
    class Loaded(Wrong):
        def experiments(self, state: State) -> Mapping[str, tuple[Outcome, ...]]:
            return {
                name: tuple(
                    Outcome(o.value, o.probability * (2 if o.value == Number(1) else 1))
                    for o in outcomes
                )
                for name, outcomes in self.right.experiments(state).items()
            }

    with open_engine(load_game(ROOT / 'games' / 'pig.gdl'), 'prolog') as engine:
        found = verify(Loaded(engine), engine, states=200, seed=1).disagreement
        assert found is not None
        assert found.difference.question is EngineQuery.EXPERIMENTS
        assert found.is_shortest
        assert any(str(Fraction(1, 3)) in text for text in found.difference.only_first)


def test_percepts_are_compared() -> None:
    class Blind(Wrong):
        def percepts(self, state: State, moves: Moves) -> Mapping[Role, frozenset[Term]]:
            return dict.fromkeys(self.right.roles, frozenset())

    with open_engine(
        load_game(ROOT / 'games' / 'simultaneous_krieg_tictactoe.gdl'), 'prolog'
    ) as engine:
        comparison = Comparison(Blind(engine), engine)
        found = verify(comparison.first, engine, states=200, seed=1).disagreement
        assert found is not None
        assert found.difference.question is EngineQuery.PERCEPTS
        shown = to_counterexample(comparison, found)
        assert shown.teller is engine
        assert replay(shown.teller, shown.recording) is None
        assert replay(shown.other, shown.recording) is not None


def test_an_engine_that_is_stopped_ends_the_comparison(tictactoe: Engine) -> None:
    class Slow(Wrong):
        def goals(self, state: State) -> Mapping[Role, int | None]:
            raise EngineLimitError('too slow')

    result = verify(Slow(tictactoe), tictactoe, states=10, seed=1)
    assert result.disagreement is None
    assert result.cut == 'too slow'


def test_time_ends_the_comparison(tictactoe: Engine) -> None:
    result = verify(Wrong(tictactoe), tictactoe, states=10**9, seed=1, seconds=0.2)
    assert 0 < result.states < 10**6
    assert 'time' in result.cut


def test_two_engines_without_an_answer_agree(tictactoe: Engine) -> None:
    engine = WrongAnswer(tictactoe)
    assert verify(engine, WrongAnswer(tictactoe), states=300, seed=1).disagreement is None


def test_the_same_seed_gives_the_same_walks(tictactoe: Engine) -> None:
    def states(seed: int) -> int:
        return verify(Wrong(tictactoe), tictactoe, states=200, seed=seed).different

    assert states(3) == states(3)


# ---- many games


def test_survey_goes_on_after_a_broken_game(tmp_path: Path) -> None:
    (tmp_path / 'broken.gdl').write_text('(role x', 'utf-8')
    tictactoe = tmp_path / 'fine.gdl'
    tictactoe.write_text((ROOT / 'games' / 'tictactoe.gdl').read_text('utf-8'), 'utf-8')
    task = SurveyTask('auto', 'prolog', states=20, seed=1, seconds=60.0, time_limit=30.0)
    results = {r.path.name: r for r in survey(rule_files(tmp_path), task, jobs=2)}
    assert results['broken.gdl'].status is SurveyStatus.REFUSED
    assert results['fine.gdl'].status is SurveyStatus.AGREE
    assert results['fine.gdl'].states == 20


def test_a_disagreement_is_told_with_its_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_wrong(game: object, name: str, **options: float) -> Engine:
        engine = open_engine(game, 'prolog')  # type: ignore[arg-type]
        return WrongNext(engine) if name == 'wrong' else engine

    monkeypatch.setattr(survey_module, 'open_engine', open_wrong)
    task = SurveyTask('wrong', 'prolog', states=200, seed=1, seconds=60.0, time_limit=30.0)
    result = verify_game(ROOT / 'games' / 'tictactoe.gdl', task)
    assert result.status is SurveyStatus.DISAGREE
    assert 'next state' in result.remark
    assert [json.loads(line)['type'] for line in result.recording] == ['match', 'step']


def test_an_engine_that_cannot_run_the_game_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Callable[..., Engine] = open_engine

    def open_none(game: object, name: str, **options: float) -> Engine:
        if name == 'other':
            raise EngineUnavailableError('too large')
        return opened(game, name)

    monkeypatch.setattr(survey_module, 'open_engine', open_none)
    task = SurveyTask('other', 'prolog', states=20, seed=1, seconds=60.0, time_limit=30.0)
    result = verify_game(ROOT / 'games' / 'tictactoe.gdl', task)
    assert result.status is SurveyStatus.ALONE
    assert result.remark == 'too large'
