"""Play a few ticks, so that everything is compiled and loaded before the first real one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gdl_env.environment.environment import Environment
from gdl_env.environment.lanes.open_lanes import open_lanes
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import Answer
from gdl_env.language.game import Game
from gdl_env.play.turn_names import NAMED, ROTATE

# Each kind of answer takes kernels of its own: fresh arrays; arrays that cannot be written to, as
# they come from messages; and none, as when the clock has run out. A match that met one of them
# for the first time would stand still until they are compiled.
_FRESH, _READ_ONLY, _MISSING = range(3)
_KINDS = (_FRESH, _READ_ONLY, _MISSING, _FRESH, _READ_ONLY)
_AGENT = 'warm'


def warm_up(game: Game, options: Options, engine: str = 'auto', mapping: str = 'auto') -> None:
    """Play some ticks of a match like the one to come; functions of the user are not called."""
    lanes = open_lanes(game, options.lanes, engine, mapping)
    turn = options.turn if options.turn in NAMED else ROTATE
    environment = Environment(lanes, replace(options, reward='goal', turn=turn, episodes=0))
    try:
        _play_ticks(environment)
    finally:
        environment.close()


def _play_ticks(environment: Environment) -> None:
    """Play as agents do, by questions and answers: the first legal action in every lane."""
    for kind in _KINDS:
        answers = {}
        for question in environment.questions():
            if question.is_decision and question.legal is not None and kind != _MISSING:
                action = question.legal.unpack().argmax(axis=1).astype(np.int32)
                action.flags.writeable = kind == _FRESH
                answers[question.role] = Answer(question.tick, question.role, _AGENT, action)
        environment.step(answers)
