"""Random games on all engines: agreement, and planted mistakes that are found and made small."""

from __future__ import annotations

from collections.abc import Mapping
import os
from pathlib import Path

import pytest

from gdl_env.engine import registry
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.contract import Rows, States
from gdl_env.engine.contract import Engine, Move, Moves, Role, State
from gdl_env.engine.fuzzing.fuzz import Report, fuzz
from gdl_env.engine.fuzzing.generator import generate
from gdl_env.engine.fuzzing.process import TrialProcess
from gdl_env.engine.fuzzing.trial import Trial, TrialStatus, TrialTask, run_trial
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.engine.recordings.reader import read_recordings
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


def fuzz_here(*engines: str, games: int = 40) -> Report:
    """Fuzz in this process, in which tests can register engines."""

    def run(text: str, some: tuple[str, ...]) -> Trial:
        return run_trial(text, TrialTask(some or engines, states=20, seed=1))

    return fuzz(generate, 1, games, 60.0, run, reduction=20.0)


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


def test_a_game_with_errors_is_not_compared() -> None:
    trial = run_trial('(role', TrialTask(('circuit', 'prolog'), states=20, seed=1))
    assert trial.status is TrialStatus.INVALID


def die(text: str, task: TrialTask) -> Trial:
    os._exit(3)


def test_a_process_that_dies_is_a_finding_and_is_replaced() -> None:
    with TrialProcess(TrialTask((), states=1, seed=1), die) as process:
        for _ in range(2):
            assert process.run(SMALL).status is TrialStatus.CRASH
