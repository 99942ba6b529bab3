"""What holds in a state in which the game is over."""

from __future__ import annotations

from gdl_env.engine.circuit.engine import CircuitEngine
from gdl_env.language.load import game_from_text
from gdl_env.language.reader import read_term


def test_goals_may_ask_what_is_legal_at_the_end() -> None:
    """Found by random games: moves of final states were left out, and the goal with them."""
    game = game_from_text("""
    (role ann)
    (init (step 0))
    (<= (legal ann (take ?n)) (true (step ?n)))
    (<= (next (step ?m)) (true (step ?n)) (add ?n 1 ?m))
    (<= terminal (true (step 2)))
    (<= (goal ann 50) (legal ann (take 2)))
    """)
    engine = CircuitEngine(game)
    state = frozenset({read_term('(step 2)')})
    assert engine.is_terminal(state)
    assert engine.goals(state) == {game.roles[0]: 50}
