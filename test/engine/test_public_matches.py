"""Matches that others have recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdl_env.engine.recordings.replay import replay
from gdl_env.engine.registry import open_engine
from gdl_env.engine.verification.corpus import read_index, read_matches, to_recording
from gdl_env.errors import RecordingError
from gdl_env.language.load import load_game

CORPUS = Path(__file__).resolve().parents[3] / 'shared' / 'gdl-corpus'


@pytest.mark.prolog
@pytest.mark.skipif(not CORPUS.is_dir(), reason='no corpus of public games here')
def test_public_matches_replay():
    matches = read_matches(CORPUS)
    known = {game.path for game in read_index(CORPUS)}
    assert known.issuperset(matches)
    for path in sorted(matches)[::6]:
        with open_engine(load_game(path)) as engine:
            recording = to_recording(matches[path][0], engine.roles)
            assert replay(engine, recording) is None, recording.place


@pytest.mark.parametrize(
    'match',
    [
        {},
        {'game': 'g', 'moves': [['a', 'b']], 'goals': [1], 'roles': ['x']},
        {'game': 'g', 'moves': 'a', 'goals': [1], 'roles': ['x']},
        {'game': 'g', 'moves': [['a']], 'goals': ['much'], 'roles': ['x']},
        {'game': 'g', 'moves': [['(']], 'goals': [1], 'roles': ['x']},
        {'game': 'g', 'moves': [['a']], 'goals': [1], 'roles': ['x'], 'states': [[]]},
    ],
)
def test_odd_public_match_is_refused(match: dict[str, object]):
    with pytest.raises(RecordingError, match='here:7: not a match of a corpus'):
        to_recording(match | {'place': 'here:7'}, ())
