"""The same moves in a game of ours and in the one open_spiel has, compared after each."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from gdl_env.engine.contract import Engine, Move, Role, State

# What open_spiel calls a move that a role makes in a state.
Spell = Callable[[State, Role, Move], str]


def load_spiel(name: str) -> Any:
    """Return the game of open_spiel, or skip the test."""
    pyspiel = pytest.importorskip('pyspiel', reason='pip install open_spiel')
    return pyspiel.load_game(name)


def compare_matches(engine: Engine, spiel: Any, spell: Spell, matches: int) -> int:
    """Play random matches in both games; return the number of states compared.

    Legal moves, ends and results must agree in every state; the first role is player 0.
    """
    states = 0
    for seed in range(matches):
        random = Random(seed)
        state, twin = engine.initial_state, spiel.new_initial_state()
        while not twin.is_terminal():
            assert not engine.is_terminal(state), twin
            (role,) = engine.actors(state)
            assert engine.roles.index(role) == twin.current_player()
            moves = {spell(state, role, move): move for move in engine.legal_moves(state)[role]}
            actions = {twin.action_to_string(a).rstrip('*'): a for a in twin.legal_actions()}
            assert moves.keys() == actions.keys(), twin
            chosen = random.choice(sorted(moves))
            state = engine.next_state(state, {role: moves[chosen]})
            twin.apply_action(actions[chosen])
            states += 1
        assert engine.is_terminal(state), twin
        goals = engine.goals(state)
        assert [goals[role] for role in engine.roles] == [50 + 50 * r for r in twin.returns()]
    return states


def perft_spiel(state: Any, depth: int) -> int:
    """Count the sequences of moves of a length."""
    if depth == 1 or state.is_terminal():
        return 0 if state.is_terminal() else len(state.legal_actions())
    return sum(perft_spiel(state.child(action), depth - 1) for action in state.legal_actions())


def square(row: int, column: int) -> str:
    """Return a cell as open_spiel writes it: c4 is column 3, row 4."""
    return f'{chr(ord("a") + column - 1)}{row}'
