"""Values outside their range: only the circuit engine stops there, and only where it must."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
import re

from gdl_env.engine.contract import Engine, Moves, State
from gdl_env.engine.perft import each_step
from gdl_env.engine.verification.comparison import Disagreement, EngineQuery
from gdl_env.errors import EngineError, RangeError

_VARIABLE = re.compile(r'\?[^\s()]+')
# Steps from one state that are tried.
_STEPS = 100


def leaves_range(engine: Engine, other: Engine, found: Disagreement) -> bool:
    """Tell whether an engine stops there at a value outside its range, as other engines do not.

    The other engine must have that fact in its next state, or that move in one of the two states.
    A move outside its range is missing in a state, and the step from there stops; where no move is
    left, no question about the state is answered.
    """
    steps = list(found.steps)
    try:
        engine.is_terminal(_follow(engine, steps))
    except RangeError as error:
        return _occurs(error, _texts(other, _follow(other, steps)))
    except EngineError:
        # The step there is judged below.
        pass
    if found.difference.question is not EngineQuery.LEGAL:
        return _stops(engine, other, steps)
    # Some moves draw from experiments without events, which is another error.
    last = islice(each_step(other, _follow(other, steps)), _STEPS)
    return any(_stops(engine, other, [*steps, moves]) for moves in last)


def _stops(engine: Engine, other: Engine, steps: Iterable[Moves]) -> bool:
    """Tell whether one of these steps leads to a value outside its range that the other has."""
    state = engine.initial_state
    for moves in steps:
        try:
            state = engine.next_state(state, moves)
        except RangeError as error:
            after = other.next_state(state, moves)
            return _occurs(error, _texts(other, state) | _texts(other, after))
        except EngineError:
            return False
    return False


def _follow(engine: Engine, steps: Iterable[Moves]) -> State:
    state = engine.initial_state
    for moves in steps:
        state = engine.next_state(state, moves)
    return state


def _texts(engine: Engine, state: State) -> set[str]:
    """Return the facts and moves of a state."""
    texts = set(map(str, state))
    try:
        return texts.union(*(map(str, moves) for moves in engine.legal_moves(state).values()))
    except EngineError:
        return texts


def _occurs(error: RangeError, texts: set[str]) -> bool:
    # The rule's other variables stand for anything.
    pattern = re.compile('.+'.join(map(re.escape, _VARIABLE.split(error.what))))
    return any(pattern.fullmatch(text) for text in texts)
