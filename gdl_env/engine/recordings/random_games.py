"""Recordings of random moves."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TYPE_CHECKING

from gdl_env.engine.dead_ends import DeadEnd
from gdl_env.engine.interpreter import Interpreter
from gdl_env.language.game import Turns

if TYPE_CHECKING:
    from gdl_env.engine.contract import Engine
    from gdl_env.engine.recordings.recording import RecordingWriter


def record_random_games(
    engine: Engine, writer: RecordingWriter, games: Iterable[int], seed: int, max_steps: int
) -> tuple[int, DeadEnd | None]:
    """Play and write games, one for each number; return how many, and the first dead end.

    An interruption ends it; the game that is being played is not counted then.
    """
    random = Random(seed)
    match = Interpreter(engine, seed)
    done = 0
    dead_end: DeadEnd | None = None
    try:
        for _ in games:
            own_seed = random.getrandbits(32)
            match.reset(own_seed)
            writer.start(match, own_seed)
            while (actors := match.actors()) and len(match.history) < max_steps:
                if engine.game.turns is Turns.SERIAL:
                    actors = (random.choice(actors),)
                match.step({role: random.choice(match.legal_moves(role)) for role in actors})
                writer.follow(match)
            writer.end(match)
            done += 1
            if dead_end is None and not actors and not match.is_terminal:
                dead_end = DeadEnd.of_match(match)
    except KeyboardInterrupt:
        pass
    return done, dead_end
