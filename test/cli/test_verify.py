"""`gdl verify`."""

from __future__ import annotations

from collections.abc import Iterator
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gdl_env.engine import registry
from gdl_env.engine.contract import Engine, Moves, State
from gdl_env.engine.prolog.engine import PrologEngine
from gdl_env.engine.verification.survey import GameResult, SurveyStatus
from gdl_env.language.game import Game

if TYPE_CHECKING:
    from test.cli.conftest import Run

pytestmark = pytest.mark.prolog


class Forgetful(PrologEngine):
    """Forgets whose turn it is after the second move."""

    def next_state(self, state: State, moves: Moves) -> State:
        after = super().next_state(state, moves)
        marks = sum(str(fact)[-2] in 'xo' for fact in after if str(fact).startswith('(cell'))
        if marks < 2:
            return after
        return frozenset(fact for fact in after if not str(fact).startswith('(control'))


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_forgetful(game: Game, time_limit: float) -> Engine:
        return Forgetful(game, time_limit)

    monkeypatch.setitem(registry._ENGINES, 'forgetful', open_forgetful)


def test_agreement(gdl: Run) -> None:
    result = gdl('verify', 'tictactoe', '--states', 50, '--seed', 1)
    assert result.code == 0
    assert 'and prolog agree on 50 states' in result.out


@pytest.mark.usefixtures('forgetful')
def test_disagreement_as_a_recording_that_replays(gdl: Run, tmp_path: Path) -> None:
    file = tmp_path / 'wrong.jsonl'
    result = gdl('verify', 'tictactoe', '--engine', 'forgetful', '--seed', 1, '-o', file)
    assert result.code == 1
    assert 'disagree in step 2 (nothing shorter shows it): next state' in result.err
    assert f'gdl replay {file} --game tictactoe --engine prolog deviates' in result.err
    assert gdl('replay', file, '--engine', 'forgetful').code == 0
    replayed = gdl('replay', file, '--engine', 'prolog')
    assert replayed.code == 1
    assert 'step 2: the state after the moves differs' in replayed.out


@pytest.mark.usefixtures('forgetful')
def test_without_a_file_the_recording_is_the_output(gdl: Run) -> None:
    result = gdl('verify', 'tictactoe', '--engine', 'forgetful', '--seed', 1)
    assert result.code == 1
    kinds = [json.loads(line)['type'] for line in result.out.splitlines()]
    assert kinds == ['match', 'step', 'step']


def test_an_engine_against_itself_is_refused(gdl: Run) -> None:
    result = gdl('verify', 'tictactoe', '--engine', 'prolog')
    assert result.code == 1
    assert 'nothing to compare' in result.err


def test_one_of_game_and_corpus(gdl: Run) -> None:
    assert gdl('verify').code == 2
    assert gdl('verify', 'tictactoe', '--corpus', 'games').code == 2


def test_corpus(gdl: Run, tmp_path: Path) -> None:
    (tmp_path / 'broken.gdl').write_text('(role x', 'utf-8')
    source = Path(__file__).resolve().parents[2] / 'games' / 'tictactoe.gdl'
    (tmp_path / 'fine.gdl').write_bytes(source.read_bytes())
    arguments = ('verify', '--corpus', tmp_path, '--states', 20, '--seed', 1, '--jobs', 1)
    result = gdl(*arguments, '--all')
    assert result.code == 0
    assert '2 games: 1 agree, 1 refused; 20 states compared' in result.out
    report = json.loads(gdl(*arguments, '--json').out)
    assert report['results'] == {'agree': 1, 'refused': 1}
    fine = report['games'][1]
    assert fine['states'] == 20
    assert fine['engine'] in report['engines']


def test_ctrl_c_tells_what_was_compared_by_then(gdl: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(paths: list[Path], *_: object) -> Iterator[GameResult]:
        yield GameResult(paths[0], SurveyStatus.AGREE, 'circuit', states=20)
        raise KeyboardInterrupt

    monkeypatch.setattr('gdl_env.engine.verification.survey.survey', stopped)
    folder = Path(__file__).resolve().parents[2] / 'games'
    result = gdl('verify', '--corpus', folder, '--seed', 1)
    assert result.code == 130
    assert '1 games: 1 agree; 20 states compared' in result.out
    assert 'stopped after 1 of' in result.err


def test_unknown_engine(gdl: Run) -> None:
    result = gdl('verify', '--corpus', 'games', '--against', 'prologue')
    assert result.code == 2
    assert "no engine named 'prologue'; engines: auto" in result.err


def test_corpus_without_games(gdl: Run, tmp_path: Path) -> None:
    assert gdl('verify', '--corpus', tmp_path).code == 2


def test_a_log_is_gone_on_with(gdl: Run, tmp_path: Path) -> None:
    games = tmp_path / 'games'
    games.mkdir()
    source = Path(__file__).resolve().parents[2] / 'games' / 'tictactoe.gdl'
    for name in ('first', 'second', 'third'):
        (games / f'{name}.gdl').write_bytes(source.read_bytes())
    log = tmp_path / 'done.jsonl'
    options = ('verify', '--corpus', games, '--states', 20, '--seed', 1, '--jobs', 1, '--log', log)
    assert gdl(*options).code == 0
    whole = log.read_bytes().splitlines(keepends=True)
    assert [json.loads(line).get('states') for line in whole] == [20, 20, 20, 20]
    # Killed in the middle of the third result; the first one says what only the log can know.
    first = whole[1].replace(b'"states": 20', b'"states": 77')
    log.write_bytes(b''.join([whole[0], first, whole[2], whole[3][:30]]))
    result = gdl(*options)
    assert result.code == 0
    assert '3 games: 3 agree; 117 states compared' in result.out
    assert len(log.read_bytes().splitlines()) == 4


def test_the_log_of_another_task_is_left_alone(gdl: Run, tmp_path: Path) -> None:
    log = tmp_path / 'done.jsonl'
    log.write_text('{"engine": "auto"}\n', 'utf-8')
    result = gdl('verify', '--corpus', 'games', '--log', log)
    assert result.code == 1
    assert 'is not the log of this task' in result.err
    assert log.read_text('utf-8') == '{"engine": "auto"}\n'
