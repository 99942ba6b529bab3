"""Random games on all engines: agreement, and planted mistakes that are found and made small."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import factorial
from pathlib import Path
import posix
from typing import cast

import pytest

from gdl_env.engine import registry
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import Rows, States
from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.native.native import chosen_variant
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.engine.contract import Engine, Move, Moves, Playout, Role, State
from gdl_env.engine.fuzzing import machine_code, process, standalone
from gdl_env.engine.fuzzing.fuzz import FuzzPlan, FuzzReport, fuzz
from gdl_env.engine.fuzzing.game_trial import run_trial
from gdl_env.engine.fuzzing.generator import generate
from gdl_env.engine.fuzzing.process import TrialProcess
from gdl_env.engine.fuzzing.rules import GeneratedGame
from gdl_env.engine.fuzzing.trial import Part, Trial, TrialStatus, TrialTask
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.engine.prolog.transpile import transpile
from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.errors import RangeError
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text

pytestmark = pytest.mark.prolog

SMALL = """
(role ann)
(init (step 0))
(<= (legal ann (take ?n)) (true (step ?n)))
(<= (next (step ?m)) (true (step ?n)) (add ?n 1 ?m) (less ?n 5))
(<= terminal (true (step 3)))
(<= (goal ann 10) (role ann))
"""


class WithoutFlag(PrologEngine):
    """Never makes the fact (flag red)."""

    def next_state(self, state: State, moves: Moves) -> State:
        after = super().next_state(state, moves)
        return frozenset(fact for fact in after if str(fact) != '(flag red)')


class Crashing(PrologEngine):
    def legal_moves(self, state: State) -> Mapping[Role, tuple[Move, ...]]:
        raise KeyError('moves')


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_wrong(game: Game, time_limit: float) -> Engine:
        return WithoutFlag(game, time_limit)

    def open_crashing(game: Game, time_limit: float) -> Engine:
        return Crashing(game, time_limit)

    monkeypatch.setitem(registry._ENGINES, 'wrong', open_wrong)
    monkeypatch.setitem(registry._ENGINES, 'crashing', open_crashing)


def run_here(work: int | str, task: TrialTask) -> Trial:
    """Run a trial in this process, in which tests can register engines."""
    return run_trial(work if isinstance(work, str) else generate(work).text, task)


def fuzz_here(*engines: str, games: int = 40, jobs: int = 1) -> FuzzReport:
    task = TrialTask(engines, states=20, seed=1)
    plan = FuzzPlan(generate, lambda number: task, 1, games, 600.0, reduction=300.0)
    return fuzz(plan, [run_here] * jobs)


@pytest.mark.usefixtures('wrong')
def test_a_wrong_engine_is_found_and_the_game_made_small(tmp_path: Path) -> None:
    report = fuzz_here('wrong', 'prolog')
    assert report.finding is not None
    game, trial = report.finding.game, report.finding.trial
    assert trial.status is TrialStatus.DISAGREE
    assert trial.signature == 'wrong prolog: next state'
    assert '(flag red)' in trial.remark
    # What is left: a role, a move, an end, a goal, and the rule for the flag with little around.
    assert len(game.rules) <= 8 < len(generate(game.seed).rules)
    file = tmp_path / 'found.jsonl'
    file.write_text(''.join(f'{line}\n' for line in trial.recording))
    (recording,) = read_recordings(file)
    assert len(recording.steps) == 1
    assert recording.rules_hash == game_from_text(game.text, 'fuzz').hash


@pytest.mark.usefixtures('wrong')
def test_an_engine_that_crashes_is_found() -> None:
    report = fuzz_here('crashing', 'prolog', games=2)
    assert report.finding is not None
    assert report.games == 1
    assert report.finding.trial.status is TrialStatus.CRASH
    assert report.finding.trial.signature == 'KeyError while comparing crashing with prolog'


def test_wrong_batches_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def stay(self: CircuitBatch, states: States, does: Rows) -> tuple[States, States]:
        return states, self.percepts(states, does)

    task = TrialTask(('circuit', 'prolog'), states=20, seed=1)
    assert run_trial(SMALL, task).status is TrialStatus.AGREE
    monkeypatch.setattr(CircuitBatch, 'step_and_perceive', stay)
    trial = run_trial(SMALL, task)
    assert trial.status is TrialStatus.DISAGREE
    assert trial.signature == 'batches: circuit prolog: next state'


def test_exhausted_experiments_are_agreement() -> None:
    text = SMALL.replace('(take ?n)', '(take deck)') + (
        '(<= (random deck 1 ?n) (true (step ?n)) (less ?n 1))'
    )
    trial = run_trial(text, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.AGREE
    assert trial.states


def test_a_value_outside_its_range_is_agreement() -> None:
    """Only the circuit engine reports it; others ignore ranges."""
    text = SMALL.replace('(next (step ?m))', '(next (step [0,2]:?m))')
    text = text.replace('(take ?n)', '(take [0,5]:?n)')
    trial = run_trial(text, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.AGREE, trial.remark
    assert trial.states > 2


def test_a_move_outside_its_range_is_agreement() -> None:
    """The circuit engine leaves it out, and stops at the next step."""
    text = SMALL.replace('(legal ann (take ?n))', '(legal ann (take [5,9]:?n))')
    text = text.replace('(next (step ?m))', '(next (step [0,9]:?m))') + '(legal ann wait)'
    trial = run_trial(text, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.AGREE, trial.remark


def test_a_move_outside_its_range_beside_an_exhausted_experiment_is_agreement() -> None:
    """No step that draws shows where the circuit engine stops; others do."""
    text = """
    (role ann)
    (by 3) (by 4)
    (<= (legal ann (bump [1,3]:?k)) (by ?k))
    (<= (random die 1 ?v) (true (face ?v)))
    (legal ann (roll die))
    (<= terminal (true end))
    (goal ann 10)
    """
    for seed in range(4):
        trial = run_trial(text, TrialTask(('circuit', 'prolog'), states=20, seed=seed))
        assert trial.status is TrialStatus.AGREE, trial.remark


def test_no_move_inside_its_range_is_agreement() -> None:
    """The circuit engine stops at the first question about such a state."""
    text = """
    (role ann)
    (<= (legal ann (put [0,4]:?n)) (add 2 ?n 1))
    (<= terminal (true (step 4)))
    (goal ann 10)
    """
    trial = run_trial(text, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.AGREE, trial.remark


def test_a_value_outside_its_range_inside_nested_terms_is_agreement() -> None:
    text = """
    (role ann)
    (type colour red)
    (type player ann)
    (legal ann wait)
    (<= (init (own player:?p (pair (of colour:?c) [0,3]:?n)))
        (mult -1 ?n 1) (role ?p) (type colour ?c))
    (<= (next (own player:?p (pair (of colour:?c) [0,3]:?n)))
        (true (own ?p (pair (of ?c) ?n))))
    (<= terminal (true end))
    (goal ann 10)
    """
    trial = run_trial(text, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.AGREE, trial.remark


def test_an_experiment_that_a_state_names_is_drawn_everywhere() -> None:
    """`legal` in a body carries the name of an experiment into a fact, and from there to moves."""
    text = """
    (role ann)
    (random deck 2 green)
    (random deck 1 red)
    (legal ann (take deck))
    (<= (legal ann (open (pair ?c ?n))) (true (cell ?n ?c)))
    (<= (next (cell 0 ?c)) (legal ann (take ?c)))
    (<= terminal (true end))
    (goal ann 10)
    """
    trial = run_trial(text, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.AGREE, trial.remark


def test_a_game_with_errors_is_not_compared() -> None:
    trial = run_trial('(role', TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.INVALID


def test_a_range_error_for_a_value_that_no_engine_has_is_a_disagreement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(self: CircuitEngine, state: State, moves: Moves) -> State:
        raise RangeError('(step 77)', '[0,2]', 'fuzz:5', 4)

    monkeypatch.setattr(CircuitEngine, 'next_state', refuse)
    trial = run_trial(SMALL, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.DISAGREE
    assert trial.signature == 'circuit prolog: next state'


def test_wrong_random_play_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of two coins is heads: neither all games nor none may end with it."""
    text = """
    (role ann)
    (role random)
    (init start)
    (<= (legal random (flip coin)) (true start))
    (random coin 1 heads)
    (random coin 3 tails)
    (<= (next (shown ?c)) (does random (flip ?c)))
    (<= terminal (true (shown ?c)))
    (<= (goal ann 100) (true (shown heads)))
    (<= (goal ann 0) (true (shown tails)))
    (goal random 0)
    """
    task = TrialTask(('circuit', 'prolog'), states=20, seed=1)
    trial = run_trial(text, task)
    assert trial.status is TrialStatus.AGREE, trial.remark
    assert Part.RANDOM_PLAY.value in trial.seen

    def play(self: CircuitEngine, count: int, seed: int, max_steps: int) -> Iterator[Playout]:
        goals = dict.fromkeys(self.roles, 0)
        return iter([Playout(1, goals)] * count)

    monkeypatch.setattr(CircuitEngine, 'playouts', play)
    trial = run_trial(text, task)
    assert trial.status is TrialStatus.DISAGREE
    assert 'the rules give a probability of 0.' in trial.remark


@pytest.mark.skipif(chosen_variant() is None, reason='no machine code on this processor')
def test_wrong_machine_code_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def shorten(*arguments: object) -> tuple[object, ...] | str:
        result = play(*arguments)
        if chosen_variant() is None or isinstance(result, str):
            return result
        return result[0] - 1, *result[1:]

    play = machine_code._play
    monkeypatch.setattr(machine_code, '_play', shorten)
    trial = run_trial(SMALL, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.DISAGREE
    assert 'steps of machine code and tape differ' in trial.remark


def test_wrong_search_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that forgets to take moves back."""
    monkeypatch.setattr(Search, 'undo', lambda self: None)
    trial = run_trial(SMALL, TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.DISAGREE
    assert trial.signature == 'search: circuit prolog: next state'


def test_a_wrong_standalone_program_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    task = TrialTask(('circuit', 'prolog'), states=20, seed=1, has_standalone=True)
    trial = run_trial(SMALL, task)
    assert trial.status is TrialStatus.AGREE, trial.remark
    assert Part.STANDALONE.value in trial.seen
    monkeypatch.setattr(
        standalone,
        'transpile',
        lambda game: transpile(game).replace('goal(ann, 10)', 'goal(ann, 9)'),
    )
    trial = run_trial(SMALL, task)
    assert trial.status is TrialStatus.DISAGREE
    assert 'only there: ann 9; only expected: ann 10' in trial.remark


def test_several_games_at_a_time_are_all_counted() -> None:
    report = fuzz_here('circuit', 'prolog', games=6, jobs=2)
    assert report.finding is None
    assert report.games == report.statuses.total() == 6
    assert report.seen['prolog'] == report.seen['circuit'] > 0


def test_a_run_continues_at_any_game() -> None:
    tried: list[int | str] = []

    def run(work: int | str, task: TrialTask) -> Trial:
        tried.append(work)
        return Trial(TrialStatus.AGREE)

    plan = FuzzPlan(generate, lambda number: TASK, seed=4, games=3, first=1_250)
    assert fuzz(plan, [run]).games == 3
    assert tried == [4_001_250, 4_001_251, 4_001_252]


# What stands for making a game must be found in a new process: functions of Python itself.
Make = Callable[[int], GeneratedGame]
# Beside `os`, where coverage puts one of its own.
EXIT = posix._exit
TASK = TrialTask((), states=1, seed=1, seconds=0.5)


def test_a_process_that_dies_is_a_finding_and_is_replaced() -> None:
    with TrialProcess(cast('Make', EXIT)) as trials:
        for _ in range(2):
            assert trials.run(3, TASK).status is TrialStatus.CRASH


def test_a_game_without_an_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, '_WARM_UP', 0.5)
    monkeypatch.setattr(process, '_PAUSE', 0.2)
    with TrialProcess(cast('Make', factorial)) as trials:
        trial = trials.run(10**9, TASK)
    assert trial.status is TrialStatus.CUT
    assert trial.remark == 'no result after 1 s'
