"""Dead ends: states in which no role has a move, although the game is not over.

Rules that lead to one are wrong (each state that is not terminal needs a legal move), and whoever
wrote them wants to see how it was reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.batch.contract import BatchGame, States
from gdl_env.engine.contract import Engine, Moves, State
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import open_engine
from gdl_env.errors import DeadEndError
from gdl_env.language.game import Turns
from gdl_env.language.terms import sort_key

# How long it may take to find one again, in seconds.
_PATIENCE = 20.0
# The way to a state of a batch is looked for by random play from this seed, in games of so many
# steps at most.
_SEED = 1
MOST_STEPS = 10_000


@dataclass(frozen=True)
class DeadEnd:
    """A state without moves, and the steps from the initial state that led to it, if known."""

    state: State
    steps: tuple[Moves, ...] | None

    @classmethod
    def of_match(cls, match: Interpreter) -> DeadEnd:
        """Return the dead end that a match has come to."""
        return cls(match.state, tuple(step.played for step in match.history))

    def __str__(self) -> str:
        facts = ' '.join(map(str, sorted(self.state, key=sort_key))) or '(no fact)'
        text = f'a dead end: no role has a move, but the game is not over in the state\n  {facts}'
        if self.steps is None:
            return text
        if not self.steps:
            return f'{text}\nwhich is the initial state'
        lines = [
            f'  {number}. {", ".join(f"{role}: {move}" for role, move in step.items())}'
            for number, step in enumerate(self.steps, 1)
        ]
        return '\n'.join((text, 'which is reached by', *lines))


def find_dead_end(engine: Engine, seed: int, max_steps: int) -> DeadEnd | None:
    """Play at random until a game comes to a dead end; None if that takes too long."""
    random = Random(seed)
    match = Interpreter(engine, seed)
    end = monotonic() + _PATIENCE
    while monotonic() < end:
        match.reset(random.getrandbits(64))
        while (actors := match.actors()) and len(match.history) < max_steps:
            if engine.game.turns is Turns.SERIAL:
                actors = (random.choice(actors),)
            match.step({role: random.choice(match.legal_moves(role)) for role in actors})
        if not actors and not match.is_terminal:
            return DeadEnd.of_match(match)
    return None


def report_dead_end(
    engine: Engine, seed: int, max_steps: int, state: State | None = None
) -> NoReturn:
    """Raise DeadEndError for a game that came to a dead end, with the moves if they are found.

    `state` is the dead end itself, where it is known.
    """
    found = find_dead_end(engine, seed, max_steps)
    if found is None and state is not None:
        found = DeadEnd(state, None)
    what = 'a game came to a dead end: no role has a move, but the game is not over'
    raise DeadEndError(f'{engine.game.name}: {what if found is None else found}')


def check_rows(
    rules: BatchGame,
    states: States,
    is_stuck: NDArray[np.bool_],
    max_steps: int = MOST_STEPS,
) -> None:
    """Raise DeadEndError if states of a batch have no move, although the game is not over."""
    stuck = np.flatnonzero(is_stuck)
    if len(stuck):
        with open_engine(rules.game) as engine:
            report_dead_end(engine, _SEED, max_steps, rules.to_state(states[stuck[0]]))
