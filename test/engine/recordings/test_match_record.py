"""Match records of GGP servers are read as recordings, and what is wrong with one is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gdl_env.cli.main import main
from gdl_env.engine.recordings.match_record import is_match_record, read_match_records
from gdl_env.engine.recordings.replay import replay
from gdl_env.engine.registry import open_engine
from gdl_env.errors import RecordingError
from gdl_env.language.load import game_from_text

# In capitals, as GGP-Base keeps names; with a move of two parts inside each other.
RULES = """
(role Left) (role Right) (init (control Left)) (init (at (pair 0 0)))
(other Left Right) (other Right Left)
(<= (legal ?p (put (pair 1 ?n))) (true (control ?p)) (number ?n))
(<= (legal ?p noop) (true (control ?q)) (other ?p ?q))
(number 1) (number 2)
(<= (next (at ?x)) (does ?p (put ?x)))
(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
(<= terminal (true (at (pair 1 2))))
(<= (goal Left 100) (true (at ?x))) (<= (goal Right 30) (true (at ?x)))
"""
JSON: dict[str, Any] = {
    'matchId': 'base.1',
    'startClock': 10,
    'playClock': 3,
    'isCompleted': True,
    'goalValues': [100, 30],
    'states': [
        '( ( control Left ) ( at ( pair 0 0 ) ) )',
        '( ( at ( pair 1 1 ) ) ( control Right ) )',
        '( ( true ( control Left ) ) ( true ( at ( pair 1 2 ) ) ) )',
    ],
    'moves': [['( put ( pair 1 1 ) )', 'noop'], ['noop', '( put ( pair 1 2 ) )']],
}
_PAIR = '<relation>pair</relation><argument>{}</argument><argument>{}</argument>'


def fact(name: str, inner: str) -> str:
    return f'<fact><relation>{name}</relation><argument>{inner}</argument></fact>'


def action(n: int) -> str:
    inner = _PAIR.format(1, n)
    return f'<action><relation>put</relation><argument>{inner}</argument></action>'


NOOP = '<action>noop</action>'
XML = (
    '<match><goalValues>100</goalValues><goalValues>30</goalValues><herstory>'
    f'<state>{fact("control", "Left")}{fact("at", _PAIR.format(0, 0))}</state>'
    f'<state>{fact("control", "Right")}{fact("at", _PAIR.format(1, 1))}</state>'
    f'<state>{fact("control", "Left")}{fact("at", _PAIR.format(1, 2))}</state>'
    f'</herstory><history><move>{action(1)}{NOOP}</move><move>{NOOP}{action(2)}</move></history>'
    '<isCompleted>true</isCompleted></match>'
)
# A line of a collection: other names, and no states.
LINE = {'id': 'x', 'rules': 'games/pairs.kif', 'moves': JSON['moves'], 'goals': [100, 30]}


def _write(folder: Path, text: str) -> Path:
    path = folder / 'matches' / 'record'
    path.parent.mkdir()
    path.write_text(text)
    return path


GOOD = {'json': json.dumps(JSON, indent=1), 'xml': XML, 'lines': f'{json.dumps(LINE)}\n' * 2}


@pytest.mark.parametrize('kind', GOOD)
def test_records_replay(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _write(tmp_path, GOOD[kind])
    rules = tmp_path / 'games' / 'pairs.kif'
    rules.parent.mkdir()
    rules.write_text(RULES)
    assert is_match_record(path)
    # A collection names its rules; a single record does not.
    chosen = [] if kind == 'lines' else ['--game', str(rules)]
    assert main(['replay', str(path), *chosen]) == 0
    count, steps = (2, 4) if kind == 'lines' else (1, 2)
    assert f'{count} matches, {steps} steps: all as recorded' in capsys.readouterr().out
    if kind != 'lines':
        assert main(['replay', str(path)]) == 2
        assert 'does not name its game: add --game' in capsys.readouterr().err


def _changed(**changes: Any) -> str:
    return json.dumps(JSON | changes)


DIFFERENT = [
    (_changed(goalValues=[100, 0]), 'the goals differ'),
    (_changed(moves=[['( put ( pair 1 7 ) )', 'noop']], states=JSON['states'][:2]), 'not a legal'),
    (_changed(moves=[['noop', 'noop'], JSON['moves'][1]]), 'not a legal move'),
    (_changed(states=[*JSON['states'][:2], '( ( at ( pair 1 2 ) ) )']), 'the state after'),
    (_changed(moves=JSON['moves'][:1], states=JSON['states'][:2]), 'whether the game is over'),
    (XML.replace('<argument>2</argument>', '<argument>1</argument>', 1), 'the state after'),
]


@pytest.mark.parametrize(('text', 'message'), DIFFERENT)
def test_deviations_are_found(text: str, message: str, tmp_path: Path) -> None:
    path = _write(tmp_path, text)
    with open_engine(game_from_text(RULES, 'pairs')) as engine:
        (record,) = read_match_records(path)
        deviation = replay(engine, record.to_recording(engine))
    assert deviation is not None
    assert message in deviation.message


def test_an_unfinished_match_has_no_end(tmp_path: Path) -> None:
    text = _changed(isCompleted=False, moves=JSON['moves'][:1], states=JSON['states'][:2])
    (record,) = read_match_records(_write(tmp_path, text))
    with open_engine(game_from_text(RULES, 'pairs')) as engine:
        recording = record.to_recording(engine)
        assert recording.ending is None
        assert replay(engine, recording) is None


BAD = [
    ('{}', "an object with a list 'moves'"),
    ('{"moves": [["a"]]', 'this is not JSON'),
    (_changed(moves=[['noop']], states=None), '1 moves for 2 roles: left, right'),
    (_changed(moves=[[1, 2]]), "'moves' should hold lists of terms"),
    (_changed(states='x'), "'states' should be a list"),
    (_changed(states=['( ( a )']), 'not balanced'),
    (_changed(states=JSON['states'][:1]), '1 states do not go with 2 steps'),
    (_changed(goalValues=[1]), '1 goals for 2 roles'),
    (_changed(goalValues=['1', '2']), 'a list of numbers'),
    (_changed(moves=[['((', 'noop'], JSON['moves'][1]]), 'step 1'),
    ('<match>', 'this is not XML'),
    ('<game/>', 'the root <match>'),
    (XML.replace('>30<', '>much<'), 'should be a number'),
]


@pytest.mark.parametrize(('text', 'message'), BAD)
def test_bad_records_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = _write(tmp_path, text)
    with (
        open_engine(game_from_text(RULES, 'pairs')) as engine,
        pytest.raises(RecordingError, match=message) as error,
    ):
        for record in read_match_records(path):
            record.to_recording(engine)
    assert 'record' in str(error.value)
