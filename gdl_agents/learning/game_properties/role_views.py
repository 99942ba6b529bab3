"""One view for both roles: each sees the game as the first role does, with the names exchanged.

Whether that is the same game is checked on states of random play: exchanged states must have the
same moves, successors and goals, for the other role. What one role learns, the other then knows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gdl_env.engine.contract import NATURE, Engine, Role, State
from gdl_env.engine.registry import open_engine
from gdl_env.environment.lanes.lanes import Lanes
from gdl_env.language.game import Game, Information
from gdl_env.language.reader import read_term
from gdl_env.language.terms import Compound, Symbol, Term

_GAMES = 4
_LONGEST = 300


def find_views(game: Game, lanes: Lanes) -> dict[str, NDArray[np.int64]]:
    """Return, by role, the entry to be seen at each place; empty if there is no such exchange."""
    mapping = lanes.mapping
    players = lanes.players
    if (
        mapping is None
        or len(players) != 2
        or NATURE in lanes.roles
        or game.information is not Information.COMPLETE
    ):
        return {}
    try:
        facts = [read_term(mapping.observation_name(i)) for i in range(mapping.observation_size)]
    except ValueError:
        return {}
    index = {fact: number for number, fact in enumerate(facts)}
    swapped = [index.get(_exchange(fact, players), -1) for fact in facts]
    moves = [mapping.move(role, a) for role in players for a in range(mapping.action_size)]
    if -1 in swapped or any(_exchange(move, players) != move for move in moves):
        return {}
    with open_engine(game) as engine:
        if not _is_exchangeable(engine, players):
            return {}
    same = np.arange(len(facts))
    return {str(players[0]): same, str(players[1]): np.array(swapped)}


def _is_exchangeable(engine: Engine, players: tuple[Role, ...]) -> bool:
    """Tell whether exchanged states are the same to the other role, in random games."""
    one, two = players
    for number in range(_GAMES):
        state = engine.initial_state
        chance = np.random.default_rng(number)
        for _ in range(_LONGEST):
            other = _exchange_state(state, players)
            if engine.is_terminal(state) != engine.is_terminal(other):
                return False
            if engine.is_terminal(state):
                goals, others = engine.goals(state), engine.goals(other)
                if (goals[one], goals[two]) != (others[two], others[one]):
                    return False
                break
            legal, others_legal = engine.legal_moves(state), engine.legal_moves(other)
            if (legal[one], legal[two]) != (others_legal[two], others_legal[one]):
                return False
            moves = {r: m[int(chance.integers(len(m)))] for r, m in legal.items() if m}
            swapped = {two if role == one else one: move for role, move in moves.items()}
            after = engine.next_state(other, swapped)
            state = engine.next_state(state, moves)
            if _exchange_state(state, players) != after:
                return False
        else:
            # Its goals are not known.
            return False
    return True


def _exchange_state(state: State, players: tuple[Role, ...]) -> State:
    return frozenset(_exchange(fact, players) for fact in state)


def _exchange(term: Term, players: tuple[Role, ...]) -> Term:
    """Return a term with the names of two roles exchanged."""
    if isinstance(term, Symbol) and term in players:
        return players[1 - players.index(term)]
    if isinstance(term, Compound):
        return Compound(term.name, tuple(_exchange(arg, players) for arg in term.args))
    return term
