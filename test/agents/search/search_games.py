"""Games, rules and matches for tests of players that think ahead."""

from __future__ import annotations

from functools import cache

from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.registry import open_agent
from gdl_env.engine.batch.circuit_batch import CircuitBatch
from gdl_env.engine.batch.make import open_batch
from gdl_env.environment.score import Score
from gdl_env.language.game import Game
from gdl_env.language.load import game_from_text, open_game

# Both choose at once: the row player gets the entry, the column player what is left of 100.
MATRIX = """
(role row) (role column)
(init start)
(<= (legal row up) (true start)) (<= (legal row down) (true start))
(<= (legal column left) (true start)) (<= (legal column right) (true start))
(<= (next (chose ?r ?m)) (does ?r ?m))
(<= terminal (not (true start)))
(<= (goal row 80) (true (chose row up)) (true (chose column left)))
(<= (goal row 10) (true (chose row up)) (true (chose column right)))
(<= (goal row 40) (true (chose row down)) (true (chose column left)))
(<= (goal row 30) (true (chose row down)) (true (chose column right)))
(<= (goal column 20) (true (chose row up)) (true (chose column left)))
(<= (goal column 90) (true (chose row up)) (true (chose column right)))
(<= (goal column 60) (true (chose row down)) (true (chose column left)))
(<= (goal column 70) (true (chose row down)) (true (chose column right)))
"""

# A sure 40, or a lottery: an urn that chance draws from, three blanks and one prize.
LOTTERY = """
(role player) (role random)
(init start)
(<= (legal player safe) (true start)) (<= (legal player risky) (true start))
(<= (legal random blank1) (true gambling)) (<= (legal random blank2) (true gambling))
(<= (legal random blank3) (true gambling)) (<= (legal random prize) (true gambling))
(<= (next gambling) (does player risky))
(<= (next done) (does player safe))
(<= (next done) (true gambling))
(<= (next won) (does random prize))
(<= (next sure) (does player safe))
(<= terminal (true done))
(<= (goal player 40) (true sure))
(<= (goal player 100) (true won))
(<= (goal player 0) (true done) (not (true sure)) (not (true won)))
"""

# The same by an experiment with weights: the prize comes three times out of four.
WEIGHTED = """
(role player)
(random urn 3 prize) (random urn 1 blank)
(init start)
(<= (legal player safe) (true start))
(<= (legal player (draw urn)) (true start))
(<= (next (got ?e)) (does player (draw ?e)))
(<= (next sure) (does player safe))
(<= terminal (not (true start)))
(<= (goal player 60) (true sure))
(<= (goal player 100) (true (got prize)))
(<= (goal player 0) (true (got blank)))
"""

# Three players in turn; c can only win if b lets it, and b does not care.
THREE = """
(role a) (role b) (role c)
(number 1) (number 2)
(init (turn a))
(<= (legal ?r (pick ?n)) (true (turn ?r)) (number ?n))
(<= (next (picked ?r ?n)) (does ?r (pick ?n)))
(<= (next (picked ?r ?n)) (true (picked ?r ?n)))
(<= (next (turn b)) (true (turn a)))
(<= (next (turn c)) (true (turn b)))
(<= (next done) (true (turn c)))
(<= terminal (true done))
(<= (goal a 100) (true (picked a 1)) (true (picked b 1)))
(<= (goal a 50) (true (picked a 2)))
(<= (goal a 0) (true (picked a 1)) (true (picked b 2)))
(<= (goal b 100) (true (picked b 2)))
(<= (goal b 0) (true (picked b 1)))
(<= (goal c 100) (true (picked c 1)))
(<= (goal c 0) (true (picked c 2)))
"""


# Two cards and three draws: the third has nothing to draw.
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


@cache
def game_of(text: str) -> Game:
    """Return a game by its name, or by its rules."""
    return game_from_text(text, 'test_game') if '(role' in text else open_game(text)


@cache
def rules_of(text: str) -> CircuitBatch:
    rules = open_batch(game_of(text))
    assert isinstance(rules, CircuitBatch)
    return rules


@cache
def arena_of(text: str, lanes: int) -> Arena:
    return Arena(game_of(text), lanes)


def play(game: str, agents: tuple[str, ...], games: int, seed: int = 1) -> dict[str, Score]:
    """Play games in lanes, an agent on each seat."""
    arena = arena_of(game, min(games, 1_000))
    seats = {role: open_agent(text) for role, text in zip(arena.roles, agents, strict=True)}
    return arena.play(seats, games, seed)
