"""Exact values of small game trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from gdl_env.engine.contract import NATURE, Engine, Move, Role, State
from gdl_env.language.parser import parse_term
from gdl_env.language.terms import Term

# Probability of each move of a role in a state.
Policy = Callable[[State, tuple[Move, ...]], Mapping[Move, Fraction]]


def term(text: str) -> Term:
    """Read a role, a move or a fact."""
    return parse_term(text)


def expected_goal(engine: Engine, state: State, role: Role, policy: Policy) -> Fraction:
    """Return the exact expectation of a goal when one role moves at a time by a policy."""
    if engine.is_terminal(state):
        goal = engine.goals(state)[role]
        assert goal is not None
        return Fraction(goal)
    (actor,) = engine.actors(state)
    moves = engine.legal_moves(state)[actor]
    chances = uniform(state, moves) if actor == NATURE else policy(state, moves)
    return sum(
        (
            chance
            * outcome.probability
            * expected_goal(engine, engine.next_state(state, {actor: outcome.value}), role, policy)
            for move, chance in chances.items()
            for outcome in engine.outcomes(state, move)
        ),
        Fraction(0),
    )


def uniform(_: State, moves: tuple[Move, ...]) -> Mapping[Move, Fraction]:
    """Return the same probability for each move."""
    return {move: Fraction(1, len(moves)) for move in moves}
