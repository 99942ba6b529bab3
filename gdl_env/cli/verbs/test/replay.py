"""Play recorded matches again and compare every move, state and goal with the rules.

Stops at the first deviation, shows what only the recording and what only the rules say, and exits
with 1. The game is found by the name in the recording, unless --game names another one. Match
records of GGP servers (JSON, JSON lines or XML) are read, too.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from gdl_env.cli.game_options import add_engine, load, open_engine_for
from gdl_env.cli.verb import Group, UsageError, Verb

if TYPE_CHECKING:
    from gdl_env.engine.contract import Engine
    from gdl_env.engine.recordings.recording import Recording


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument(
        'file',
        metavar='FILE',
        type=Path,
        help='a recording (JSON lines, or a bag), or a match record of a GGP server',
    )
    parser.add_argument('--game', metavar='GAME', help='the rules to compare with')
    add_engine(parser)


def run(options: Namespace) -> int:
    """Replay the matches of a file; return 1 at the first deviation."""
    from gdl_env.engine.recordings.match_record import (
        MatchRecord,
        is_match_record,
        read_match_records,
    )
    from gdl_env.engine.recordings.reader import read_recordings
    from gdl_env.engine.recordings.replay import replay
    from gdl_env.errors import RecordingError

    engines: dict[str, Engine] = {}
    matches = steps = unfinished = 0
    try:
        is_record = is_match_record(options.file)
        found = read_match_records(options.file) if is_record else read_recordings(options.file)
        for one in found:
            name = options.game or one.game
            if not name:
                raise UsageError(f'{one.place} does not name its game: add --game GAME')
            is_new = name not in engines
            if is_new:
                engines[name] = open_engine_for(load(name), options)
            recording = one.to_recording(engines[name]) if isinstance(one, MatchRecord) else one
            if is_new:
                _remark_on_rules(engines[name], recording)
            if recording.note:
                print(f'note: {recording.note}', file=sys.stderr)
            deviation = replay(engines[name], recording)
            if deviation is not None:
                print(f'{deviation.place}: match {matches + 1} of {name}: {deviation}')
                return 1
            matches += 1
            steps += len(recording.steps)
            unfinished += recording.ending is None
    finally:
        for engine in engines.values():
            engine.close()
    if not matches:
        raise RecordingError(f'{options.file} holds no match')
    remark = f' ({unfinished} without an end)' if unfinished else ''
    print(f'{options.file}: {matches} matches{remark}, {steps} steps: all as recorded')
    return 0


def _remark_on_rules(engine: Engine, recording: Recording) -> None:
    if recording.rules_hash and recording.rules_hash != engine.game.hash:
        text = f'the rules of {engine.game.name} are not those this was recorded with'
        print(f'note: {recording.place}: {text}', file=sys.stderr)


VERB = Verb(
    name='replay',
    group=Group.TEST,
    summary='compare recorded games with the rules, up to the first deviation',
    description=__doc__,
    examples="""
    gdl replay tictactoe.jsonl                           with the rules of that name
    gdl replay recordings/match/bag                      what a recorder node has written
    gdl replay match.xml --game my.kif                   a match record of GGP-Base
    gdl replay tictactoe.jsonl --game my_version.gdl     with other rules
    """,
    configure=configure,
    run=run,
)
