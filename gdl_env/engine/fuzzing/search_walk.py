"""Single-state search beside the engine: do, undo, clone, legal moves and ends must agree."""

from __future__ import annotations

from random import Random

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.engine.circuit.single_state.search import Search
from gdl_env.engine.contract import Moves, State
from gdl_env.engine.verification.comparison import (
    Difference,
    Disagreement,
    EngineQuery,
    differ,
)
from gdl_env.engine.verification.walks import choose_step
from gdl_env.errors import EngineError, EngineLimitError
from gdl_env.play.noop import is_pass


def compare_search(engine: CircuitEngine, states: int, seed: int) -> Disagreement | None:
    """Walk with a search and with the engine; return the first disagreement.

    Raises EngineLimitError.
    """
    random = Random(seed)
    search = Search(engine.compiled)
    left = states
    while left > 0:
        search.place()
        state = engine.initial_state
        steps: tuple[Moves, ...] = ()
        while left > 0:
            left -= 1
            found = _compare_state(engine, search, state)
            moves = None if found else choose_step(engine, state, random)
            if moves is None:
                break
            steps = (*steps, moves)
            try:
                after = engine.next_state(state, moves)
            except EngineLimitError:
                raise
            except EngineError:
                # A value outside its range: search has no way to say so before it looks.
                break
            if is_pass(engine.game, moves.values()):
                continue
            found = _compare_step(engine, search, state, after, moves)
            if found is not None:
                break
            state = after
        if found is not None:
            return Disagreement(steps, found)
        if not steps:
            break
    return None


def _compare_step(
    engine: CircuitEngine, search: Search, state: State, after: State, moves: Moves
) -> Difference | None:
    """Do the moves, take them back, and do them again; a clone does them, too."""
    copy = search.clone()
    search.do_moves(moves)
    found = _differ_in_state(search, after) or _compare_state(engine, search, after)
    search.undo()
    found = found or _differ_in_state(search, state) or _compare_state(engine, search, state)
    search.do_moves(moves)
    copy.do_moves(moves)
    return found or _differ_in_state(search, after) or _differ_in_state(copy, after)


def _differ_in_state(search: Search, state: State) -> Difference | None:
    return differ(EngineQuery.NEXT, map(str, search.state()), map(str, state))


def _compare_state(engine: CircuitEngine, search: Search, state: State) -> Difference | None:
    found = differ(
        EngineQuery.TERMINAL, [str(search.is_terminal)], [str(engine.is_terminal(state))]
    )
    if found is not None:
        return found
    legal = search.vocabulary.legal
    moves = engine.legal_moves(state)
    return differ(
        EngineQuery.LEGAL,
        [f'{role}: {move}' for role, move in (legal[row] for row in search.legal())],
        [f'{role}: {move}' for role in engine.roles for move in moves[role]],
    )
