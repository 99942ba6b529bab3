"""Check an engine: the form of its answers, and the answers themselves against another engine."""

from __future__ import annotations

from random import Random

from gdl_env.engine.contract import Engine, Moves, State
from gdl_env.engine.interpreter import draw
from gdl_env.engine.registry import open_engine
from gdl_env.engine.verification.comparison import Comparison
from gdl_env.engine.verification.counterexample import describe
from gdl_env.engine.verification.verify import verify
from gdl_env.language.game import Turns
from gdl_env.language.terms import sort_key
from gdl_env.testing.errors import ConformanceError

_LONGEST_WALK = 500


def check_engine(
    engine: Engine, *, reference: str = 'prolog', states: int = 200, seed: int = 0
) -> None:
    """Check an engine on the states of random walks through its game.

    Answers must have the form that the contract says, be the same when asked again, and leave
    states unchanged; and they must be those of the engine named `reference`. A disagreement is
    reported with the shortest sequence of moves that shows it.
    Raises ConformanceError; EngineUnavailableError if the reference cannot run the game.
    """
    _check_form(engine, states, Random(seed))
    with open_engine(engine.game, reference) as other:
        result = verify(engine, other, states, seed)
        if result.disagreement is not None:
            raise ConformanceError(describe(Comparison(engine, other), result.disagreement))


def _check_form(engine: Engine, states: int, random: Random) -> None:
    checked = 0
    while checked < states:
        state = engine.initial_state
        for _ in range(_LONGEST_WALK):
            _check_state(engine, state)
            checked += 1
            moves = None if checked >= states else _choose(engine, state, random)
            if moves is None:
                break
            after = engine.next_state(state, moves)
            _demand(after == engine.next_state(state, moves), 'next_state', state, 'changes')
            _demand(isinstance(after, frozenset), 'next_state', state, 'is no frozenset')
            state = after


def _check_state(engine: Engine, state: State) -> None:
    _demand(isinstance(state, frozenset), 'the state', state, 'is no frozenset')
    goals = engine.goals(state)
    _demand(tuple(goals) == engine.roles, 'goals', state, 'does not name all roles in order')
    right = all(goal is None or 0 <= goal <= 100 for goal in goals.values())
    _demand(right, 'goals', state, f'gives {dict(goals)}')
    _demand(engine.goals(state) == goals, 'goals', state, 'changes')
    over = engine.is_terminal(state)
    _demand(isinstance(over, bool), 'is_terminal', state, 'is neither True nor False')
    _demand(engine.is_terminal(state) == over, 'is_terminal', state, 'changes')
    if over:
        return
    legal = engine.legal_moves(state)
    _demand(set(legal) == set(engine.roles), 'legal_moves', state, 'does not name all roles')
    for role, moves in legal.items():
        ordered = tuple(sorted(set(moves), key=sort_key))
        _demand(moves == ordered, 'legal_moves', state, f'of {role} is no sorted tuple')
    _demand(engine.legal_moves(state) == legal, 'legal_moves', state, 'changes')
    for name, outcomes in engine.experiments(state).items():
        total = sum(outcome.probability for outcome in outcomes)
        _demand(not outcomes or total == 1, 'experiments', state, f'of {name} add up to {total}')


def _choose(engine: Engine, state: State, random: Random) -> Moves | None:
    actors = () if engine.is_terminal(state) else engine.actors(state)
    if not actors:
        return None
    if engine.game.turns is Turns.SERIAL:
        actors = (random.choice(actors),)
    legal = engine.legal_moves(state)
    chosen = {role: random.choice(legal[role]) for role in actors}
    return {
        role: draw(engine.drawable_outcomes(state, move), random) for role, move in chosen.items()
    }


def _demand(holds: bool, question: str, state: State, problem: str) -> None:
    if not holds:
        facts = ' '.join(map(str, sorted(state, key=sort_key)))
        raise ConformanceError(f'{question} {problem} in the state {facts}')
