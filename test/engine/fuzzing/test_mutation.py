"""Damaged rule files: read without a crash, and a crash that is planted is found."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from gdl_env.engine.fuzzing import parser_trial
from gdl_env.engine.fuzzing.fuzz import FuzzPlan, FuzzReport, fuzz
from gdl_env.engine.fuzzing.mutation import mutate
from gdl_env.engine.fuzzing.parser_trial import run_parser_trial
from gdl_env.engine.fuzzing.trial import Trial, TrialStatus, TrialTask
from gdl_env.language.source import Source

GAMES = Path(__file__).resolve().parents[3] / 'games'
SMALL = [GAMES / 'nim.gdl', GAMES / 'kuhn_poker.gdl', GAMES / 'tictactoe.gdl']


def fuzz_here(games: int) -> FuzzReport:
    make = partial(mutate, paths=SMALL)

    def run(work: int | str, task: TrialTask) -> Trial:
        return run_parser_trial(work if isinstance(work, str) else make(work).text, task)

    task = TrialTask((), states=0, seed=1)
    return fuzz(FuzzPlan(make, lambda number: task, 1, games, 60.0, reduction=10.0), [run])


def test_damaged_files_differ_from_the_original_and_repeat() -> None:
    originals = {path.read_text('utf-8') for path in SMALL}
    texts = [mutate(seed, SMALL).text for seed in range(20)]
    assert len(set(texts)) == 20
    assert not originals & set(texts)
    assert texts == [mutate(seed, SMALL).text for seed in range(20)]


def test_damaged_files_never_crash_parser_and_checker() -> None:
    report = fuzz_here(60)
    assert report.finding is None, report.finding
    assert report.statuses == {TrialStatus.AGREE: 60}


def test_a_crash_is_found_and_the_file_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(source: Source) -> None:
        if 'terminal' in source.text:
            raise IndexError('no such rule')

    monkeypatch.setattr(parser_trial, 'read_game', read)
    report = fuzz_here(5)
    assert report.finding is not None
    assert report.finding.trial.signature == 'IndexError in read'
    assert len(report.finding.game.rules) == 1
    assert 'terminal' in report.finding.game.text
