"""Recordings are replayed up to the first deviation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from recorded_matches import read_one, record

from gdl_env.engine.contract import Engine
from gdl_env.engine.recordings.recording import Recording
from gdl_env.engine.recordings.replay import replay
from gdl_env.engine.registry import open_engine
from gdl_env.language.library import rule_files
from gdl_env.language.load import load_game
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Symbol

ROOT = Path(__file__).resolve().parents[3]
X, O = Symbol('x'), Symbol('o')  # noqa: E741


@pytest.fixture(scope='module')
def tictactoe() -> Iterator[Engine]:
    with open_engine(load_game(ROOT / 'games' / 'tictactoe.gdl')) as engine:
        yield engine


@pytest.mark.prolog
@pytest.mark.parametrize('path', rule_files(ROOT / 'games'), ids=lambda path: path.stem)
@pytest.mark.each_game
def test_what_was_recorded_replays(tmp_path: Path, path: Path):
    with open_engine(load_game(path)) as engine:
        match = record(engine, tmp_path / 'm', seed=5)
        recording = read_one(tmp_path / 'm')
        assert recording.rules_hash == engine.game.hash
        assert [step.state for step in recording.steps] == [s.state for s in match.history]
        assert [dict(s.moves) for s in recording.steps] == [dict(s.played) for s in match.history]
        assert replay(engine, recording) is None


def alter(recording: Recording, number: int, **changes: object) -> Recording:
    steps = list(recording.steps)
    steps[number] = replace(steps[number], **changes)
    return replace(recording, steps=tuple(steps))


@pytest.mark.prolog
class TestDeviations:
    @pytest.fixture
    def recording(self, tmp_path: Path, tictactoe: Engine) -> Recording:
        record(tictactoe, tmp_path / 'm', seed=1)
        return read_one(tmp_path / 'm')

    def test_roles(self, tictactoe: Engine, recording: Recording):
        deviation = replay(tictactoe, replace(recording, roles=(O, X)))
        assert deviation is not None
        assert (deviation.step, deviation.only_computed) == (0, ('x', 'o'))
        assert deviation.place == recording.place

    def test_initial_state(self, tictactoe: Engine, recording: Recording):
        assert recording.initial is not None
        other = recording.initial - {read_term('(control x)')} | {read_term('(control o)')}
        deviation = replay(tictactoe, replace(recording, initial=frozenset(other)))
        assert deviation is not None
        assert str(deviation) == (
            'start: the initial state differs\n'
            '  only in the recording:\n    (control o)\n'
            '  only in the rules:\n    (control x)'
        )

    def test_illegal_move(self, tictactoe: Engine, recording: Recording):
        taken = next(iter(recording.steps[0].moves.values()))
        deviation = replay(tictactoe, alter(recording, 1, moves={O: taken}))
        assert deviation is not None
        assert deviation.step == 2
        assert deviation.message == f'{taken} is not a legal move of o'
        assert len(deviation.only_computed) == 8

    def test_wrong_role(self, tictactoe: Engine, recording: Recording):
        moves = {O: next(iter(recording.steps[0].moves.values()))}
        deviation = replay(tictactoe, alter(recording, 0, moves=moves))
        assert deviation is not None
        assert (deviation.only_recorded, deviation.only_computed) == (('o',), ('x',))

    def test_state(self, tictactoe: Engine, recording: Recording):
        deviation = replay(tictactoe, alter(recording, 2, state=frozenset({Symbol('odd')})))
        assert deviation is not None
        assert (deviation.step, deviation.only_recorded) == (3, ('odd',))
        assert deviation.place == recording.steps[2].place != recording.place
        assert len(deviation.only_computed) == 10

    def test_match_that_goes_on_after_the_end(self, tictactoe: Engine, recording: Recording):
        longer = replace(recording, steps=(*recording.steps, recording.steps[0]))
        deviation = replay(tictactoe, longer)
        assert deviation is not None
        assert 'the game is over by the rules' in deviation.message

    def test_end_too_early(self, tictactoe: Engine, recording: Recording):
        deviation = replay(tictactoe, replace(recording, steps=recording.steps[:-1]))
        assert deviation is not None
        assert deviation.only_recorded == ('terminal',)

    def test_goals(self, tictactoe: Engine, recording: Recording):
        assert recording.ending is not None and recording.ending.goals is not None
        ending = replace(recording.ending, goals=dict(recording.ending.goals) | {X: 33})
        deviation = replay(tictactoe, replace(recording, ending=ending))
        assert deviation is not None
        assert deviation.place == ending.place != recording.steps[-1].place
        assert deviation.only_recorded == ('x has 33',)

    def test_unfinished_match_has_no_end_to_compare(self, tictactoe: Engine, recording: Recording):
        unfinished = replace(recording, steps=recording.steps[:-1], ending=None)
        assert replay(tictactoe, unfinished) is None


@pytest.mark.prolog
def test_outcome_that_no_experiment_has(tmp_path: Path):
    with open_engine(load_game(ROOT / 'games' / 'pig.gdl')) as engine:
        record(engine, tmp_path / 'm', seed=5, steps=1)
        recording = read_one(tmp_path / 'm')
        (role,) = recording.steps[0].moves
        bad = alter(recording, 0, moves={role: read_term('(roll 7)')})
        deviation = replay(engine, bad)
        assert deviation is not None
        assert '(roll 7) is not a legal move' in deviation.message


@pytest.mark.prolog
def test_percepts_are_compared(tmp_path: Path):
    with open_engine(load_game(ROOT / 'games' / 'simultaneous_krieg_tictactoe.gdl')) as engine:
        record(engine, tmp_path / 'm', seed=5, steps=1)
        percepts = {X: frozenset({Symbol('noise')})}
        deviation = replay(engine, alter(read_one(tmp_path / 'm'), 0, percepts=percepts))
        assert deviation is not None
        assert deviation.message == 'what x perceives differs'
        assert deviation.only_recorded == ('noise',)
