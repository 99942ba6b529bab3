"""Matches that are recorded, and read again."""

from __future__ import annotations

from pathlib import Path
from random import Random

from gdl_env.engine.contract import Engine
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.engine.recordings.recording import Recording, RecordingWriter
from gdl_env.language.game import Turns


def record(engine: Engine, path: Path, seed: int, steps: int = 1000) -> Interpreter:
    """Record a random match, up to a number of steps."""
    random = Random(seed)
    match = Interpreter(engine, seed)
    with RecordingWriter(path) as writer:
        writer.start(match, seed)
        while (actors := match.actors()) and len(match.history) < steps:
            if engine.game.turns is Turns.SERIAL:
                actors = (random.choice(actors),)
            match.step({role: random.choice(match.legal_moves(role)) for role in actors})
            writer.follow(match)
        writer.end(match)
    return match


def read_one(path: Path) -> Recording:
    """Return the only match of a file."""
    (recording,) = read_recordings(path)
    return recording
