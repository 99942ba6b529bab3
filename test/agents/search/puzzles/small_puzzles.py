"""Puzzles that are small enough to try out everything, and an engine that does."""

from __future__ import annotations

from functools import cache

from gdl_env.engine.contract import Engine, State
from gdl_env.engine.registry import open_engine
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text

# Coins in a row: one jumps over two others onto a third, and single coins become pairs.
COINS = """
(role solver)
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
(init (pile 1 one)) (init (pile 2 one)) (init (pile 3 one)) (init (pile 4 one))
(init (pile 5 one)) (init (pile 6 one)) (init (pile 7 one)) (init (pile 8 one))
(init (left 4))
(<= (before ?x ?y) (succ ?x ?y))
(<= (before ?x ?y) (succ ?x ?z) (before ?z ?y))
(<= (same ?x ?y) (true (pile ?x ?a)) (true (pile ?y ?b)) (before ?x ?y) (not (between ?x ?y)))
(<= (between ?x ?y) (before ?x ?z) (before ?z ?y) (true (pile ?z ?a)))
(<= (two ?x ?y) (single ?x ?z ?y))
(<= (two ?x ?y) (single ?y ?z ?x))
(<= (single ?x ?z ?y) (same ?x ?z) (same ?z ?w) (same ?w ?y) (true (pile ?z one))
    (true (pile ?w one)))
(<= (single ?x ?z ?y) (same ?x ?z) (same ?z ?y) (true (pile ?z pair)))
(<= (legal solver (jump ?x ?y)) (two ?x ?y) (true (pile ?x one)) (true (pile ?y one)))
(<= (next (pile ?y pair)) (does solver (jump ?x ?y)))
(<= (next (pile ?z ?a)) (true (pile ?z ?a)) (does solver (jump ?x ?y)) (distinct ?z ?x)
    (distinct ?z ?y))
(<= (next (left ?m)) (true (left ?n)) (succ ?m ?n))
(<= (next (left 0)) (true (left 1)))
(<= stuck (legal solver ?m))
(<= terminal (not stuck))
(<= (goal solver 100) (true (left 0)))
(<= (goal solver 50) (true (left 1)))
(<= (goal solver 0) (not (true (left 0))) (not (true (left 1))))
"""

# A walk on a board with prizes: what is best cannot be seen from the highest goal of the rules,
# since 100 is out of reach.
PRIZES = """
(role walker)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(place 0) (place 1) (place 2) (place 3)
(init (at 0 0)) (init (step 0))
(prize 3 1 20) (prize 0 3 35) (prize 2 2 10) (prize 3 3 5)
(<= (legal walker (go ?x ?v)) (true (at ?u ?v)) (near ?u ?x))
(<= (legal walker (go ?u ?y)) (true (at ?u ?v)) (near ?v ?y))
(<= (near ?u ?x) (place ?u) (place ?x) (succ ?u ?x))
(<= (near ?u ?x) (place ?u) (place ?x) (succ ?x ?u))
(<= (next (at ?x ?y)) (does walker (go ?x ?y)))
(<= (next (got ?n)) (does walker (go ?x ?y)) (prize ?x ?y ?n))
(<= (next (got ?n)) (true (got ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 6)))
(<= (goal walker 100) (true (got 35)) (true (got 20)))
(<= (goal walker 45) (true (got 35)) (true (got 10)) (not (true (got 20))))
(<= (goal walker 35) (true (got 35)) (not (true (got 10))) (not (true (got 20))))
(<= (goal walker 30) (true (got 20)) (true (got 10)) (not (true (got 35))))
(<= (goal walker 20) (true (got 20)) (not (true (got 10))) (not (true (got 35))))
(<= (goal walker 10) (true (got 10)) (not (true (got 20))) (not (true (got 35))))
(<= (goal walker 0) (not (true (got 10))) (not (true (got 20))) (not (true (got 35))))
"""

# Nothing counts steps, and the wrong way goes round and round.
LOOPS = """
(role walker)
(door a left b) (door a right c) (door b left a) (door b right c) (door c left a)
(door c right d) (door d left b) (door d right e) (door e left a) (door e right f)
(door f left a) (door f right out)
(init (in a))
(<= (legal walker ?w) (true (in ?r)) (door ?r ?w ?s))
(<= (next (in ?s)) (does walker ?w) (true (in ?r)) (door ?r ?w ?s))
(<= terminal (true (in out)))
(<= (goal walker 100) (true (in out)))
(<= (goal walker 0) (not (true (in out))))
"""

PUZZLES = {'coins': COINS, 'prizes': PRIZES, 'loops': LOOPS}


@cache
def game_of(name: str) -> Game:
    """Return a small puzzle."""
    return game_from_text(PUZZLES[name], name)


@cache
def best_goal(name: str) -> int:
    """Return the best goal, by trying out everything, state by state."""
    with open_engine(game_of(name), 'firstorder') as engine:
        return _search(engine)


def _search(engine: Engine) -> int:
    met, waiting = {engine.initial_state}, [engine.initial_state]
    best = -1
    while waiting:
        state = waiting.pop()
        if engine.is_terminal(state):
            ((_, goal),) = engine.goals(state).items()
            best = max(best, -1 if goal is None else goal)
            continue
        ((role, moves),) = engine.legal_moves(state).items()
        for move in moves:
            after: State = engine.next_state(state, {role: move})
            if after not in met:
                met.add(after)
                waiting.append(after)
    return best
