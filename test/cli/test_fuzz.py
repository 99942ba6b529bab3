"""`gdl fuzz`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import pytest

from gdl_env.cli.verbs.test import fuzz
from gdl_env.engine import registry
from gdl_env.engine.contract import Engine, Role, State
from gdl_env.engine.fuzzing import process
from gdl_env.engine.fuzzing.game_trial import run_trial
from gdl_env.engine.fuzzing.generator import generate
from gdl_env.engine.fuzzing.trial import Trial, TrialTask
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.language.game import Game

if TYPE_CHECKING:
    from test.cli.conftest import Run

pytestmark = pytest.mark.prolog


class Generous(PrologEngine):
    """Gives 11 instead of 10."""

    def goals(self, state: State) -> Mapping[Role, int | None]:
        goals = super().goals(state)
        return {role: 11 if goal == 10 else goal for role, goal in goals.items()}


class ProcessHere:
    """Stands for a process: engines that a test registers are known only here."""

    def __init__(self, make: object, run: object) -> None:
        pass

    def run(self, work: int | str, task: TrialTask) -> Trial:
        return run_trial(work if isinstance(work, str) else generate(work).text, task)

    def __enter__(self) -> ProcessHere:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


def today() -> int:
    return int(datetime.now(timezone.utc).strftime('%Y%m%d'))


def check_games_of_the_day(gdl: Run, seconds: int) -> None:
    """Games with the seed of the day, which the output names: run it again with that seed."""
    seed = today()
    result = gdl('fuzz', '--seconds', seconds, '--games', 1000, '--standalone-every', 3)
    assert result.code == 0, f'gdl fuzz --seed {seed}\n{result.err}'
    assert f'seed {seed}' in result.err or f'seed {today()}' in result.err
    assert result.out.startswith('no disagreement in ')


def test_all_engines_and_their_parts_take_part(gdl: Run) -> None:
    every = '--firstorder-every', 1, '--standalone-every', 1
    result = gdl('fuzz', '--seed', 11, '--games', 2, '--jobs', 2, *every)
    assert result.code == 0, result.err
    _, seen = result.out.splitlines()
    engines = 'circuit', 'firstorder', 'prolog'
    parts = 'batches', 'machine code', 'search', 'random play', 'standalone'
    assert {name.rpartition(' ')[0] for name in seen.split(', ')} == {*engines, *parts}


def test_engines_agree_on_games_of_the_day(gdl: Run) -> None:
    check_games_of_the_day(gdl, 15)


@pytest.mark.slow
def test_engines_agree_on_many_games_of_the_day(gdl: Run) -> None:
    check_games_of_the_day(gdl, 60)


def test_a_disagreement_is_written_and_replays(
    gdl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_generous(game: Game, time_limit: float) -> Engine:
        return Generous(game, time_limit)

    monkeypatch.setitem(registry._ENGINES, 'generous', open_generous)
    monkeypatch.setattr(process, 'TrialProcess', ProcessHere)
    result = gdl('fuzz', '--seed', 1, '--engines', 'generous,prolog', '-o', tmp_path / 'found')
    assert result.code == 1
    assert 'generous and prolog disagree at the start' in result.err
    (rules,) = (tmp_path / 'found').glob('*.gdl')
    (recording,) = (tmp_path / 'found').glob('*.recording.jsonl')
    assert f'{rules} and {recording}' in result.err
    assert gdl('check', rules).code == 0
    assert gdl('replay', recording, '--game', rules, '--engine', 'generous').code == 0
    assert gdl('replay', recording, '--game', rules, '--engine', 'prolog').code == 1


def test_damaged_files_are_read_without_a_crash(gdl: Run) -> None:
    result = gdl('fuzz', '--parser', '--seed', 2, '--games', 10)
    assert result.code == 0, result.err
    assert result.out.startswith('10 damaged files read without a crash in ')


def test_a_log_shows_how_far_a_run_is(gdl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, '_REPORTED', 2)
    result = gdl('fuzz', '--parser', '--seed', 2, '--first', 10, '--games', 3)
    assert result.code == 0, result.err
    assert result.err == '2 of 3 files are done\n'


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (('--engines', 'prologue,circuit'), "no engine named 'prologue'"),
        (('--engines', 'prolog'), 'two or more different engines'),
        (('--engines', 'prolog,prolog'), 'two or more different engines'),
        (('--parser', '--engines', 'prolog,circuit'), '--parser asks no engine'),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    gdl: Run, arguments: tuple[str, ...], message: str
) -> None:
    result = gdl('fuzz', *arguments)
    assert result.code == 2
    assert message in result.err
