"""Every game still plays as it did when its playthrough and its recording were made."""

from pathlib import Path

from playthrough import GOLDEN, playthrough
import pytest

from gdl_env.engine.contract import Engine
from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.engine.recordings.replay import replay


@pytest.mark.prolog
def test_playthrough_is_the_golden_one(engine: Engine) -> None:
    golden = GOLDEN / f'{engine.game.name}.txt'
    assert playthrough(engine) == golden.read_text('utf-8'), (
        'if this is meant: python test/games/playthrough.py --write'
    )


def test_there_is_no_playthrough_without_a_game() -> None:
    games = {file.stem for file in (Path(__file__).parents[2] / 'games').glob('*.gdl')}
    assert {file.stem for file in GOLDEN.glob('*.txt')} == games


@pytest.mark.prolog
def test_recording_replays(engine: Engine, rule_file: Path) -> None:
    recordings = list(read_recordings(rule_file.with_suffix('.recording.jsonl')))
    assert len(recordings) == 3
    for recording in recordings:
        assert recording.ending is not None and recording.ending.is_terminal
        assert recording.rules_hash == engine.game.hash
        assert replay(engine, recording) is None
