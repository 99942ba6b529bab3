"""Small games, random answers, and what a tick looked like: shared by the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.environment.protocol import NO_ACTION, Answer, Question
from gdl_env.environment.step import Step
from gdl_env.language.game import Game
from gdl_env.language.library import find_game
from gdl_env.language.load import game_from_text, load_game

# Two roles that could always move, one at a time; the fifth round is the last.
SERIAL = """
(role ann) (role ben)
(init (round 0))
(init (sees ann (secret a)))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (legal ?p (say yes)) (role ?p) (true (round ?n)) (succ ?n ?m))
(<= (legal ?p (say no)) (role ?p) (true (round ?n)) (succ ?n ?m))
(<= (legal ?p noop) (role ?p) (true (round ?n)) (succ ?n ?m))
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next (said ?p ?n)) (does ?p (say ?x)) (true (round ?n)))
(<= (next (said ?p ?n)) (true (said ?p ?n)))
(<= (next (sees ?p (own ?x))) (does ?p (say ?x)))
(<= terminal (true (round 5)))
(goal ann 50) (goal ben 50)
"""

# Weighted chance whose weights depend on the state, and percepts of one role only (GDL-II).
COIN = """
(role guesser) (role watcher)
(side heads) (side tails)
(random coin 1 heads)
(<= (random coin ?w tails) (true (bias ?w)))
(init (bias 3)) (init (step 1))
(<= (legal watcher (toss coin)) (true (step 1)))
(<= (legal watcher (wait ?s)) (side ?s) (true (step 1)))
(<= (legal guesser (guess ?s)) (side ?s) (true (step 2)))
(<= (legal watcher noop) (true (step 2)))
(<= (next (is ?s)) (does watcher (toss ?s)))
(<= (next (is ?s)) (does watcher (wait ?s)))
(<= (next (is ?s)) (true (is ?s)))
(<= (next (guessed ?s)) (does guesser (guess ?s)))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= (next (bias ?w)) (true (bias ?w)))
(<= (sees watcher (shows ?s)) (does watcher (toss ?s)))
(<= (sees guesser (was ?s)) (true (step 2)) (true (is ?s)))
(<= terminal (true (step 3)))
(<= (goal guesser 100) (true (guessed ?s)) (true (is ?s)))
(<= (goal guesser 0) (true (guessed ?s)) (not (true (is ?s))))
(<= (goal watcher 75) (true (guessed ?s)) (not (true (is ?s))))
(<= (goal watcher 25) (true (guessed ?s)) (true (is ?s)))
"""

# A card that was drawn has weight 0: the third draw from two cards has nothing to draw.
DECK = """
(role a) (card red) (card black) (init (drawn 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (random deck 0 ?c) (card ?c) (true (gone ?c)))
(<= (random deck 1 ?c) (card ?c) (not (true (gone ?c))))
(legal a (draw deck)) (legal a (pass deck))
(<= (next (gone ?c)) (true (gone ?c)))
(<= (next (gone ?c)) (does a (draw ?c))) (<= (next (gone ?c)) (does a (pass ?c)))
(<= (next (drawn ?m)) (true (drawn ?n)) (succ ?n ?m))
(<= terminal (true (drawn 3))) (goal a 50)
"""

# A game of one move or of six, as its player likes: short ones must not be favoured.
SHORT_OR_LONG = """
(role r)
(init (left 6))
(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal r stop) (true (left 6)))
(<= (legal r go) (true (left ?n)))
(<= (legal r walk) (true (left ?n)))
(<= (next (left ?m)) (true (left ?n)) (succ ?m ?n) (not (does r stop)))
(<= (next done) (does r stop))
(<= (next done) (true (left 1)))
(<= terminal (true done))
(<= (goal r 25) (true done))
"""

# Nobody has anything to decide.
FORCED = """
(role r) (role random)
(init (step 1))
(<= (legal random (throw 1)) (true (step 1)))
(<= (legal random (throw 2)) (true (step 1)))
(<= (next (got ?n)) (does random (throw ?n)))
(<= terminal (true (got ?n)))
(<= (goal r 100) (true (got 2)))
(<= (goal r 0) (true (got 1)))
"""


def small(text: str) -> Game:
    return game_from_text(text)


def named(name: str) -> Game:
    return load_game(find_game(name))


def opened(game: Game | str, **options: Any) -> Environment:
    """Open a game of `games/` by its name, or a game, with these options."""
    return Environment.open(named(game) if isinstance(game, str) else game, Options(**options))


def choose(question: Question, chance: np.random.Generator) -> Answer:
    """Answer with a random legal action in every lane."""
    assert question.legal is not None
    legal = question.legal.unpack()
    drawn = (chance.random(legal.shape) * legal).argmax(axis=1).astype(np.int32)
    action = np.where(question.to_move, drawn, np.int32(NO_ACTION))
    return Answer(question.tick, question.role, 'test', action)


def choose_all(environment: Environment, chance: np.random.Generator) -> dict[str, Answer]:
    return {role: choose(environment.question(role), chance) for role in environment.awaited}


def answer(environment: Environment, role: str, *actions: int, **more: Any) -> dict[str, Answer]:
    """Return the answer of one role to the current tick."""
    action = np.array(actions, np.int32)
    return {role: Answer(environment.tick_of(role), role, 'test', action, **more)}


def action_of(environment: Environment, role: str, move: str) -> int:
    player = environment.roles.index(role)
    return environment.game.moves(player, 0)[move]


def told(step: Step) -> tuple[object, ...]:
    """Return all that a step tells, as something to compare."""
    found: list[object] = [step.tick, step.moves, step.ended.tobytes()]
    for role, feedback in step.feedback.items():
        final = feedback.final_observation
        found += [
            role,
            feedback.episode.tobytes(),
            feedback.reward.tobytes(),
            feedback.goal.tobytes(),
            feedback.action.tobytes(),
            feedback.origin.tobytes(),
            feedback.terminated.tobytes(),
            feedback.truncated.tobytes(),
            None if final is None else final.to_bytes(),
        ]
    return tuple(found)


def asked(environment: Environment) -> tuple[object, ...]:
    """Return all that is asked at this tick, as something to compare."""
    found: list[object] = [environment.tick, environment.awaited]
    for role in environment.roles:
        question = environment.question(role, with_text=True)
        assert question.observation is not None
        assert question.legal is not None
        found += [
            question.to_move.tobytes(),
            question.observation.to_bytes(),
            question.legal.to_bytes(),
            question.episode.tobytes(),
            question.facts,
            question.legal_moves,
        ]
    return tuple(found)
