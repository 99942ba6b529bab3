"""The facts and moves of random games, where the rules have no bound for all that can occur."""

from __future__ import annotations

from random import Random
from time import monotonic

from gdl_env.engine.circuit.network.vocabulary import RowVocabulary
from gdl_env.engine.contract import Move, Role
from gdl_env.engine.interpreter import Interpreter
from gdl_env.engine.registry import open_engine
from gdl_env.language.game import Game, Turns
from gdl_env.language.terms import Term, sort_key

# How many games are played, how long they may be, and for how many seconds that may go on.
GAMES = 200
_STEPS = 2000
_PATIENCE = 30.0


def sample_vocabulary(game: Game) -> RowVocabulary:
    """Return what occurs in random games; the same games each time."""
    random = Random(0)
    facts: set[Term] = set()
    legal: set[tuple[Role, Move]] = set()
    percepts: set[tuple[Role, Term]] = set()
    end = monotonic() + _PATIENCE
    with open_engine(game) as engine:
        match = Interpreter(engine, 0)
        for _ in range(GAMES):
            match.reset(random.getrandbits(64))
            facts |= match.state
            while (actors := match.actors()) and len(match.history) < _STEPS:
                moves = engine.legal_moves(match.state)
                legal |= {(role, move) for role in engine.roles for move in moves[role]}
                if game.turns is Turns.SERIAL:
                    actors = (random.choice(actors),)
                match.step({role: random.choice(moves[role]) for role in actors})
            for step in match.history:
                facts |= step.state
                percepts |= {(role, p) for role, seen in step.percepts.items() for p in seen}
            if monotonic() > end:
                break
        initial, roles = engine.initial_state, engine.roles
    listed = tuple(sorted(facts, key=sort_key))
    moves_of = tuple(sorted(legal, key=lambda pair: (str(pair[0]), sort_key(pair[1]))))
    return RowVocabulary(
        roles=roles,
        facts=listed,
        initial=tuple(fact in initial for fact in listed),
        legal=moves_of,
        does=moves_of,
        goals=(),
        percepts=tuple(sorted(percepts, key=lambda pair: (str(pair[0]), sort_key(pair[1])))),
        events=(),
    )
